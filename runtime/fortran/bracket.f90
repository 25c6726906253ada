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
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08, only: MPI_Comm
  use bracket_interface
  implicit none
  private

  public :: bracket_reducer, bracket_field, bracket_settings, bracket_reduce
  public :: bracket_field_of, bracket_field_by
  public :: bracket_located_int32, bracket_located_int64
  public :: bracket_located_real32, bracket_located_real64, bracket_digests

  public :: bracket_ok, bracket_bad_input, bracket_collective, bracket_no_memory, bracket_internal
  public :: bracket_sum, bracket_product, bracket_minimum, bracket_maximum
  public :: bracket_minimum_location, bracket_maximum_location, bracket_digest

  !> Settings of a reducer. They must be the same on every rank, except `threads` and `kernel`.
  type :: bracket_settings
    character(:), allocatable :: algorithm  !< as in bracket.h; if not allocated, 'tree'
    logical :: widened = .false.          !< compute real32 in real64, and round once at the end
    logical :: checked = .false.          !< integer results that do not fit are an error
    integer :: root = -1                  !< rank that gets the results; -1: every rank
    integer :: threads = 0                !< that fold each rank's elements; 0: 1
    character(:), allocatable :: plan     !< if not allocated, one that suits the number of ranks
    character(:), allocatable :: kernel   !< if not allocated, the fastest on this processor
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
    !> Whether this rank gets the results.
    procedure :: delivers
    !> Number of messages that this rank has sent in all runs.
    procedure :: messages_sent
    procedure :: free => free_reducer
    procedure, private :: refuse_copy
    generic :: assignment(=) => refuse_copy
  end type

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

  !> Reduces an array on every rank, by the sum if `op` is missing. Collective. Makes a reducer and
  !> frees it: for more than one reduction, make a reducer yourself.
  subroutine bracket_reduce(communicator, array, result, factors, op, settings, stat, errmsg)
    type(MPI_Comm), intent(in) :: communicator
    type(*), dimension(..), intent(in), target :: array
    type(*), dimension(..), intent(inout), target :: result
    type(*), dimension(..), intent(in), optional, target :: factors
    integer, intent(in), optional :: op
    type(bracket_settings), intent(in), optional :: settings
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(bracket_reducer) :: reducer
    type(bracket_field) :: fields(1)
    integer(c_int) :: code

    fields(1) = bracket_field_of(array, factors)
    code = make(reducer, communicator, fields, op, settings)
    if (code == bracket_ok) then
      code = begin(reducer, fields, result)
      if (code == bracket_ok) code = c_wait(reducer%handle)
    end if
    call report(code, stat, errmsg)
    code = c_free(reducer%handle)
  end subroutine

  subroutine create_one(self, communicator, array, factors, distribution, op, settings, stat, &
                        errmsg)
    class(bracket_reducer), intent(inout) :: self
    type(MPI_Comm), intent(in) :: communicator
    type(*), dimension(..), intent(in), target :: array
    type(*), dimension(..), intent(in), optional, target :: factors
    integer(c_int64_t), intent(in), optional :: distribution(:)
    integer, intent(in), optional :: op
    type(bracket_settings), intent(in), optional :: settings
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(bracket_field) :: fields(1)

    fields(1) = bracket_field_of(array, factors, distribution)
    call report(make(self, communicator, fields, op, settings), stat, errmsg)
  end subroutine

  subroutine create_fields(self, communicator, fields, op, settings, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    type(MPI_Comm), intent(in) :: communicator
    type(bracket_field), intent(in) :: fields(:)
    integer, intent(in), optional :: op
    type(bracket_settings), intent(in), optional :: settings
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(make(self, communicator, fields, op, settings), stat, errmsg)
  end subroutine

  subroutine run_one(self, array, result, factors, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    type(*), dimension(..), intent(in), target :: array
    type(*), dimension(..), intent(inout), target :: result
    type(*), dimension(..), intent(in), optional, target :: factors
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(bracket_field) :: fields(1)
    integer(c_int) :: code

    fields(1) = bracket_field_of(array, factors)
    code = begin(self, fields, result)
    if (code == bracket_ok) code = c_wait(self%handle)
    call report(code, stat, errmsg)
  end subroutine

  subroutine run_fields(self, fields, results, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    type(bracket_field), intent(in) :: fields(:)
    type(*), dimension(..), intent(inout), target :: results
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    code = begin(self, fields, results)
    if (code == bracket_ok) code = c_wait(self%handle)
    call report(code, stat, errmsg)
  end subroutine

  subroutine start_one(self, array, result, factors, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    type(*), dimension(..), intent(in), target, asynchronous :: array
    type(*), dimension(..), intent(inout), target, asynchronous :: result
    type(*), dimension(..), intent(in), optional, target, asynchronous :: factors
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(bracket_field) :: fields(1)

    fields(1) = bracket_field_of(array, factors)
    call report(begin(self, fields, result), stat, errmsg)
  end subroutine

  subroutine start_fields(self, fields, results, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    type(bracket_field), intent(in) :: fields(:)
    type(*), dimension(..), intent(inout), target, asynchronous :: results
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(begin(self, fields, results), stat, errmsg)
  end subroutine

  subroutine test_run(self, complete, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    logical, intent(out) :: complete
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code, answer

    code = c_test(self%handle, answer)
    complete = answer /= 0
    call report(code, stat, errmsg)
  end subroutine

  subroutine wait_for_run(self, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(c_wait(self%handle), stat, errmsg)
  end subroutine

  subroutine held(self, first, last, field, stat, errmsg)
    class(bracket_reducer), intent(in) :: self
    integer(c_int64_t), intent(out) :: first, last
    integer, intent(in), optional :: field
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    first = 0
    last = 0
    code = c_held(c_reducer(self%handle), index_of(field), first, last)
    first = first + 1
    call report(code, stat, errmsg)
  end subroutine

  !> It has no `stat`: a failure ends the program.
  integer(c_int64_t) function elements(self, field)
    class(bracket_reducer), intent(in) :: self
    integer, intent(in), optional :: field

    call report(c_elements(c_reducer(self%handle), index_of(field), elements))
  end function

  logical function delivers(self)
    class(bracket_reducer), intent(in) :: self
    integer(c_int) :: answer

    call report(c_delivers(c_reducer(self%handle), answer))
    delivers = answer /= 0
  end function

  integer(c_int64_t) function messages_sent(self)
    class(bracket_reducer), intent(in) :: self

    call report(c_messages_sent(c_reducer(self%handle), messages_sent))
  end function

  !> Frees the reducer; does nothing if it was not created.
  subroutine free_reducer(self, stat, errmsg)
    class(bracket_reducer), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call report(c_free(self%handle), stat, errmsg)
  end subroutine

  subroutine refuse_copy(self, other)
    class(bracket_reducer), intent(inout) :: self
    class(bracket_reducer), intent(in) :: other

    if (c_associated(self%handle) .or. c_associated(other%handle)) then
      call end_program('a bracket_reducer is not copied: create another')
    end if
  end subroutine

  !> The number of a field, counted from 0 as in C.
  integer(c_int64_t) function index_of(field)
    integer, intent(in), optional :: field

    index_of = 0
    if (present(field)) index_of = int(field, c_int64_t) - 1
  end function

  integer(c_int) function make(self, communicator, fields, op, settings) result(code)
    class(bracket_reducer), intent(inout) :: self
    type(MPI_Comm), intent(in) :: communicator
    type(bracket_field), intent(in), target :: fields(:)
    integer, intent(in), optional :: op
    type(bracket_settings), intent(in), optional :: settings
    type(c_field) :: described(size(fields))
    type(bracket_settings) :: chosen
    type(c_settings) :: c
    character(:, c_char), allocatable, target :: algorithm, plan, kernel
    integer :: k, operator_number

    operator_number = bracket_sum
    if (present(op)) operator_number = op
    if (present(settings)) chosen = settings
    c = c_settings(c_sizeof(c), merge(1, 0, chosen%widened), merge(1, 0, chosen%checked), &
                   merge(1, 0, chosen%root /= -1), merge(chosen%root, 0, chosen%root /= -1), &
                   chosen%threads, c_null_ptr, c_null_ptr, c_null_ptr)
    if (allocated(chosen%algorithm)) then
      algorithm = chosen%algorithm // c_null_char
      c%algorithm = c_loc(algorithm)
    end if
    if (allocated(chosen%plan)) then
      plan = chosen%plan // c_null_char
      c%plan = c_loc(plan)
    end if
    if (allocated(chosen%kernel)) then
      kernel = chosen%kernel // c_null_char
      c%kernel = c_loc(kernel)
    end if
    do k = 1, size(fields)
      described(k) = fields(k)%arrays
      if (allocated(fields(k)%distribution)) then
        described(k)%boundary_count = size(fields(k)%distribution)
        described(k)%boundaries = c_loc(fields(k)%distribution)
      end if
    end do
    code = c_create(communicator%mpi_val, operator_number, described, &
                    int(size(fields), c_int64_t), c, self%handle)
  end function

  integer(c_int) function begin(self, fields, results) result(code)
    class(bracket_reducer), intent(inout) :: self
    type(bracket_field), intent(in) :: fields(:)
    type(*), dimension(..), intent(inout), target :: results
    type(c_field) :: described(size(fields))
    type(array_view) :: places
    integer :: k

    do k = 1, size(fields)
      described(k) = fields(k)%arrays
    end do
    call c_view(results, places)
    code = c_start(self%handle, described, int(size(fields), c_int64_t), places)
  end function

  !> Sets `stat` and `errmsg`. Without `stat`, a failure ends the program.
  subroutine report(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: words

    if (present(stat)) stat = code
    if (code == bracket_ok) return
    words = latest_words()
    if (present(errmsg)) errmsg = words
    if (present(stat)) return
    call end_program(words)
  end subroutine

  subroutine end_program(words)
    character(*), intent(in) :: words

    write (error_unit, '(a)') words
    flush (error_unit)
    call c_abort()
  end subroutine

  function latest_words() result(words)
    character(:), allocatable :: words
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: message
    integer :: i

    message = c_message()
    call c_f_pointer(message, characters, [c_strlen(message)])
    allocate (character(size(characters)) :: words)
    do i = 1, size(characters)
      words(i:i) = characters(i)
    end do
  end function

end module
