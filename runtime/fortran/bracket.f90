! SPDX-License-Identifier: MIT

!> Reductions with the same bits on any number of ranks and threads, for arrays of rank 0 to 5 of
!> integers, reals and complex numbers of 32 and 64 bits. Arrays are never copied.
!>
!>     use mpi_f08
!>     use bracket
!>     call bracket_reduce(MPI_COMM_WORLD, x, total)
!>
!> For more than one reduction, make a reducer once and run it as often as you want:
!>
!>     type(bracket_reducer) :: total
!>     call total%create(MPI_COMM_WORLD, x(1:levels, 1:own_cells))
!>     call total%run(x(1:levels, 1:own_cells), result)
!>     call total%free()
!>
!> The first dimension varies fastest in the sequence of elements, as in Fortran; a rank's elements
!> follow those of the rank below. The bits are the same if the sequence of elements is the same.
!> Blocks of a grid have different sequences on different numbers of ranks. For these,
!> `settings=bracket_settings('binned')` gives bits that do not depend on the sequence. All
!> procedures that can fail take `stat`, one of the codes below, and `errmsg`. Without `stat` a
!> failure ends the program: it writes the message to standard error, then calls MPI_Abort with code 2.
module bracket
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use bracket_interface
  implicit none
  private

  public :: bracket_reducer, bracket_field, bracket_settings, bracket_reduce, bracket_planned
  public :: bracket_field_of, bracket_field_by, bracket_join, bracket_accumulator
  public :: bracket_located_int32, bracket_located_int64
  public :: bracket_located_real32, bracket_located_real64, bracket_digests

  public :: bracket_ok, bracket_bad_input, bracket_collective, bracket_no_memory, bracket_internal
  public :: bracket_sum, bracket_product, bracket_minimum, bracket_maximum
  public :: bracket_minimum_location, bracket_maximum_location, bracket_digest

  !> What a plan file of `bracket tune` says about a number of elements. A copy is the same one: free
  !> one of them.
  type :: bracket_planned
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    !> Reads a plan file for so many elements on the ranks of a communicator. Collective.
    procedure :: read => read_planned
    !> First and last position of the elements that this rank is to hold, from 1 on.
    procedure :: held => planned_held
    procedure :: free => free_planned
  end type

  !> Settings of a reducer. They must be the same on every rank, except `threads`, `kernel` and
  !> `memory`.
  type :: bracket_settings
    character(:), allocatable :: algorithm  !< as in bracket.h; if not allocated, 'tree'
    logical :: widened = .false.          !< compute real32 in real64, and round once at the end
    logical :: checked = .false.          !< integer results that do not fit are an error
    integer :: root = -1                  !< rank that gets the results; -1: every rank
    integer :: threads = 0                !< that fold each rank's elements; 0: 1
    character(:), allocatable :: plan     !< if not allocated, one that suits the number of ranks
    character(:), allocatable :: kernel   !< if not allocated, the fastest on this processor
    character(:), allocatable :: memory   !< of the arrays: 'host' or 'cuda'; if not allocated, as
                                          !< their addresses say
    type(bracket_planned) :: planned      !< if read, in place of algorithm, plan, root and
                                          !< distribution
  end type

  !> An array, two arrays whose products are reduced, or a function; made by `bracket_field_of` or
  !> `bracket_field_by`. It refers to the arrays themselves: those of a run must be targets, and must
  !> exist until the run is complete.
  type :: bracket_field
    private
    type(c_field) :: arrays
    integer(c_int64_t), allocatable :: distribution(:)
  end type

  !> Reduces fields that the ranks of a communicator hold. A copy ends the program, since both copies
  !> would free the same reducer. Call `free` before MPI_Finalize, and before you create it again.
  type :: bracket_reducer
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    !> Makes a reducer of one array. Collective.
    procedure :: create => create_one
    !> Makes a reducer of several fields, which share messages. Collective.
    procedure :: create_fields
    !> Makes a reducer of one array of any type, of up to 256 bytes, by an operator of the program, a
    !> `bracket_join`. `context` goes to each call. The operator need be neither
    !> associative nor commutative, but must give the same result for the same operands. With several
    !> threads, there are concurrent calls. Elements are sent as bytes, so they must have no
    !> allocatable components. Collective.
    procedure :: create_own
    !> Reduces an array of the same shape, at any address. Collective.
    procedure :: run => run_one
    !> Reduces as many fields as the reducer has; the results are a contiguous list. Collective.
    procedure :: run_fields
    !> Begin such a run. Arrays and results must be asynchronous or targets, and must not be changed
    !> or read until the run is complete.
    procedure :: start => start_one
    procedure :: start_fields
    !> Makes progress, and returns whether the run is complete. Call it now and then: other ranks may
    !> wait for this rank.
    procedure :: test => test_run
    !> Completes the run, if there is one.
    procedure :: wait => wait_for_run
    !> First and last position of the elements of a field that this rank holds, from 1 on.
    procedure :: held
    !> Number of elements of a field on all ranks.
    procedure :: elements
    !> What the algorithm 'stochastic' says about the latest result of a field, on ranks that have it:
    !> decimal digits that rounding errors do not affect, and the number of cancellations.
    procedure :: accuracy
    !> Whether this rank gets the results.
    procedure :: delivers
    !> Number of messages that this rank has sent in all runs.
    procedure :: messages_sent
    procedure :: free => free_reducer
    procedure, private :: refuse_copy
    generic :: assignment(=) => refuse_copy
  end type

  abstract interface
    !> Combines `left`, which comes first, and `right`, to `result`, which is another place.
    subroutine bracket_join(left, right, result, context) bind(c)
      import :: c_ptr
      type(c_ptr), value :: left, right, result, context
    end subroutine
  end interface

  !> Reduces elements that come one after the other, without an array of them. The result has the bits
  !> of a reducer over all elements with the same settings:
  !>
  !>     type(bracket_accumulator) :: mass
  !>     call mass%create(0.0_real64, settings=bracket_settings('binned'))
  !>     do i = 1, cells
  !>       call mass%add(density(i) * volume(i))
  !>     end do
  !>     call mass%reduce(MPI_COMM_WORLD, total)
  !>     call mass%free()
  !>
  !> Sums by 'binned', minima, maxima, and sums and products of integers do not depend on the sequence:
  !> elements may come in any. All other results need the elements in their global sequence: those of
  !> all ranks' accumulators together are the elements from 1 on, without a gap. Algorithms are 'tree',
  !> 'binned', 'double-double' and 'stochastic'. A copy ends the program.
  type :: bracket_accumulator
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    !> Makes an accumulator of elements of the type and kind of `like`, which is not read. `first` is
    !> the global position of its first element, from 1 on; it has no meaning if the result does not
    !> depend on the sequence. Not collective.
    procedure :: create => create_accumulator
    !> Adds a number, or the elements of an array, the first dimension fastest.
    procedure :: add => add_elements
    !> Adds the elements of another accumulator, which keeps them. If the result depends on the
    !> sequence, they must follow those of this one.
    procedure :: add_other
    !> Number of elements that were added.
    procedure :: count => count_of_elements
    !> Forgets all elements. The next one has the global position `first`, or 1.
    procedure :: reset
    !> Gives the result of this accumulator's elements alone. If it depends on the sequence, they must
    !> begin at the global position 1.
    procedure :: value => value_of_elements
    !> Reduces the elements of all ranks' accumulators, which keep them. Collective.
    procedure :: reduce => reduce_accumulators
    procedure :: free => free_accumulator
    procedure, private :: refuse_accumulator_copy
    generic :: assignment(=) => refuse_accumulator_copy
  end type

  interface
    module subroutine create_accumulator(self, like, first, op, settings, stat, errmsg)
      class(bracket_accumulator), intent(inout) :: self
      type(*), dimension(..), intent(in) :: like
      integer(c_int64_t), intent(in), optional :: first
      integer, intent(in), optional :: op
      type(bracket_settings), intent(in), optional :: settings
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine add_elements(self, elements, stat, errmsg)
      class(bracket_accumulator), intent(inout) :: self
      type(*), dimension(..), intent(in), target :: elements
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine add_other(self, other, stat, errmsg)
      class(bracket_accumulator), intent(inout) :: self
      class(bracket_accumulator), intent(in) :: other
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    !> It has no `stat`: a failure ends the program.
    integer(c_int64_t) module function count_of_elements(self)
      class(bracket_accumulator), intent(in) :: self
    end function

    module subroutine reset(self, first, stat, errmsg)
      class(bracket_accumulator), intent(inout) :: self
      integer(c_int64_t), intent(in), optional :: first
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine value_of_elements(self, result, stat, errmsg)
      class(bracket_accumulator), intent(inout) :: self
      type(*), dimension(..), intent(inout), target :: result
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine reduce_accumulators(self, communicator, result, stat, errmsg)
      class(bracket_accumulator), intent(inout) :: self
      type(MPI_Comm), intent(in) :: communicator
      type(*), dimension(..), intent(inout), target :: result
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    !> Frees the accumulator; does nothing if it was not created.
    module subroutine free_accumulator(self, stat, errmsg)
      class(bracket_accumulator), intent(inout) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine refuse_accumulator_copy(self, other)
      class(bracket_accumulator), intent(inout) :: self
      class(bracket_accumulator), intent(in) :: other
    end subroutine
  end interface

  interface
    module subroutine read_planned(self, communicator, path, elements, stat, errmsg)
      class(bracket_planned), intent(inout) :: self
      type(MPI_Comm), intent(in) :: communicator
      character(*), intent(in) :: path
      integer(c_int64_t), intent(in) :: elements
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine planned_held(self, first, last, stat, errmsg)
      class(bracket_planned), intent(in) :: self
      integer(c_int64_t), intent(out) :: first, last
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine free_planned(self)
      class(bracket_planned), intent(inout) :: self
    end subroutine

    !> Reduces an array on every rank, by the sum if `op` is missing. Collective. Makes a reducer and
    !> frees it: for more than one reduction, make a reducer yourself.
    module subroutine bracket_reduce(communicator, array, result, factors, op, settings, stat, &
                                     errmsg)
      type(MPI_Comm), intent(in) :: communicator
      type(*), dimension(..), intent(in), target :: array
      type(*), dimension(..), intent(inout), target :: result
      type(*), dimension(..), intent(in), optional, target :: factors
      integer, intent(in), optional :: op
      type(bracket_settings), intent(in), optional :: settings
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine create_one(self, communicator, array, factors, distribution, op, settings, &
                                 stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      type(MPI_Comm), intent(in) :: communicator
      type(*), dimension(..), intent(in), target :: array
      type(*), dimension(..), intent(in), optional, target :: factors
      integer(c_int64_t), intent(in), optional :: distribution(:)
      integer, intent(in), optional :: op
      type(bracket_settings), intent(in), optional :: settings
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine create_own(self, communicator, array, join, context, distribution, settings, &
                                 stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      type(MPI_Comm), intent(in) :: communicator
      type(*), dimension(..), intent(in), target :: array
      procedure(bracket_join) :: join
      type(c_ptr), intent(in), optional :: context
      integer(c_int64_t), intent(in), optional :: distribution(:)
      type(bracket_settings), intent(in), optional :: settings
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine create_fields(self, communicator, fields, op, settings, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      type(MPI_Comm), intent(in) :: communicator
      type(bracket_field), intent(in) :: fields(:)
      integer, intent(in), optional :: op
      type(bracket_settings), intent(in), optional :: settings
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine run_one(self, array, result, factors, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      type(*), dimension(..), intent(in), target :: array
      type(*), dimension(..), intent(inout), target :: result
      type(*), dimension(..), intent(in), optional, target :: factors
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine run_fields(self, fields, results, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      type(bracket_field), intent(in) :: fields(:)
      type(*), dimension(..), intent(inout), target :: results
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine start_one(self, array, result, factors, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      type(*), dimension(..), intent(in), target, asynchronous :: array
      type(*), dimension(..), intent(inout), target, asynchronous :: result
      type(*), dimension(..), intent(in), optional, target, asynchronous :: factors
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine start_fields(self, fields, results, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      type(bracket_field), intent(in) :: fields(:)
      type(*), dimension(..), intent(inout), target, asynchronous :: results
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine test_run(self, complete, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      logical, intent(out) :: complete
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine wait_for_run(self, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine held(self, first, last, field, stat, errmsg)
      class(bracket_reducer), intent(in) :: self
      integer(c_int64_t), intent(out) :: first, last
      integer, intent(in), optional :: field
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine accuracy(self, digits, cancellations, field, stat, errmsg)
      class(bracket_reducer), intent(in) :: self
      real(c_double), intent(out) :: digits
      integer(c_int64_t), intent(out), optional :: cancellations
      integer, intent(in), optional :: field
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    !> It has no `stat`: a failure ends the program.
    integer(c_int64_t) module function elements(self, field)
      class(bracket_reducer), intent(in) :: self
      integer, intent(in), optional :: field
    end function

    logical module function delivers(self)
      class(bracket_reducer), intent(in) :: self
    end function

    integer(c_int64_t) module function messages_sent(self)
      class(bracket_reducer), intent(in) :: self
    end function

    !> Frees the reducer; does nothing if it was not created.
    module subroutine free_reducer(self, stat, errmsg)
      class(bracket_reducer), intent(inout) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module subroutine refuse_copy(self, other)
      class(bracket_reducer), intent(inout) :: self
      class(bracket_reducer), intent(in) :: other
    end subroutine
  end interface

contains

  !> Describes an array or, with `factors`, the products of two arrays, which must have as many
  !> elements in each dimension. `distribution` has one boundary more than there are ranks: rank k,
  !> from 0 on, holds the elements at the positions distribution(k + 1) + 1 to distribution(k + 2).
  !> Without it, each rank's elements follow those of the rank below. `op` is an operator in place of
  !> the reducer's; their results must have the same type: numbers or locations. Errors are reported
  !> when a reducer is made.
  function bracket_field_of(array, factors, distribution, op) result(field)
    type(*), dimension(..), intent(in), target :: array
    type(*), dimension(..), intent(in), optional, target :: factors
    integer(c_int64_t), intent(in), optional :: distribution(:)
    integer, intent(in), optional :: op
    type(bracket_field) :: field

    call c_view(array, field%arrays%elements)
    field%arrays%has_factors = 0
    if (present(factors)) then
      field%arrays%has_factors = 1
      call c_view(factors, field%arrays%factors)
    end if
    field%arrays%boundary_count = -1
    field%arrays%boundaries = c_null_ptr
    field%arrays%op = 0
    if (present(op)) field%arrays%op = op
    field%arrays%by_function = 0
    field%arrays%make = c_null_funptr
    field%arrays%context = c_null_ptr
    if (present(distribution)) field%distribution = distribution
  end function

  !> Describes elements that a function makes, as many as `like` has and of its type. `like` is not
  !> read. So the products of three arrays need no array of their own. `make` is the c_funloc of a
  !> procedure that writes elements by their numbers, from 1 on:
  !>
  !>     subroutine make(context, first, count, elements) bind(c)
  !>       type(c_ptr), value :: context
  !>       integer(c_int64_t), value :: first, count   ! those from first to first + count - 1
  !>       real(c_double), intent(out) :: elements(count)
  !>
  !> It may be called twice for the same numbers, and must then write the same elements. With several
  !> threads, there are concurrent calls. It gets `context` as its argument.
  function bracket_field_by(like, make, context, distribution, op) result(field)
    type(*), dimension(..), intent(in), target :: like
    type(c_funptr), value :: make
    type(c_ptr), intent(in), optional :: context
    integer(c_int64_t), intent(in), optional :: distribution(:)
    integer, intent(in), optional :: op
    type(bracket_field) :: field

    field = bracket_field_of(like, distribution=distribution, op=op)
    field%arrays%by_function = 1
    field%arrays%make = make
    if (present(context)) field%arrays%context = context
  end function

end module
