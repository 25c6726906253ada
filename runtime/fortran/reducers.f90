! SPDX-License-Identifier: MIT

!> The procedures of the module `bracket` that make and run reducers, and what they share.
submodule(bracket) bracket_reducers
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none

  !> Names in settings, as C takes them.
  type :: names
    character(:, c_char), allocatable :: algorithm, plan, kernel, memory
  end type

contains

  module procedure bracket_reduce
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
  end procedure

  module procedure create_one
    type(bracket_field) :: fields(1)

    fields(1) = bracket_field_of(array, factors, distribution)
    call report(make(self, communicator, fields, op, settings), stat, errmsg)
  end procedure

  module procedure create_fields
    call report(make(self, communicator, fields, op, settings), stat, errmsg)
  end procedure

  module procedure create_own
    type(bracket_field) :: fields(1)

    fields(1) = bracket_field_of(array, distribution=distribution)
    call report(make(self, communicator, fields, settings=settings, join=c_funloc(join), &
                     context=context), stat, errmsg)
  end procedure

  module procedure run_one
    type(bracket_field) :: fields(1)
    integer(c_int) :: code

    fields(1) = bracket_field_of(array, factors)
    code = begin(self, fields, result)
    if (code == bracket_ok) code = c_wait(self%handle)
    call report(code, stat, errmsg)
  end procedure

  module procedure run_fields
    integer(c_int) :: code

    code = begin(self, fields, results)
    if (code == bracket_ok) code = c_wait(self%handle)
    call report(code, stat, errmsg)
  end procedure

  module procedure start_one
    type(bracket_field) :: fields(1)

    fields(1) = bracket_field_of(array, factors)
    call report(begin(self, fields, result), stat, errmsg)
  end procedure

  module procedure start_fields
    call report(begin(self, fields, results), stat, errmsg)
  end procedure

  module procedure test_run
    integer(c_int) :: code, answer

    code = c_test(self%handle, answer)
    complete = answer /= 0
    call report(code, stat, errmsg)
  end procedure

  module procedure wait_for_run
    call report(c_wait(self%handle), stat, errmsg)
  end procedure

  module procedure held
    integer(c_int) :: code

    first = 0
    last = 0
    code = c_held(c_reducer(self%handle), index_of(field), first, last)
    first = first + 1
    call report(code, stat, errmsg)
  end procedure

  module procedure accuracy
    integer(c_int64_t) :: number
    integer(c_int) :: code

    digits = 0
    number = 0
    code = c_accuracy(c_reducer(self%handle), index_of(field), digits, number)
    if (present(cancellations)) cancellations = number
    call report(code, stat, errmsg)
  end procedure

  module procedure elements
    call report(c_elements(c_reducer(self%handle), index_of(field), elements))
  end procedure

  module procedure delivers
    integer(c_int) :: answer

    call report(c_delivers(c_reducer(self%handle), answer))
    delivers = answer /= 0
  end procedure

  module procedure messages_sent
    call report(c_messages_sent(c_reducer(self%handle), messages_sent))
  end procedure

  module procedure free_reducer
    call report(c_free(self%handle), stat, errmsg)
  end procedure

  module procedure refuse_copy
    if (c_associated(self%handle) .or. c_associated(other%handle)) then
      call end_program('a bracket_reducer is not copied: create another')
    end if
  end procedure

  !> The number of a field, counted from 0 as in C.
  integer(c_int64_t) function index_of(field)
    integer, intent(in), optional :: field

    index_of = 0
    if (present(field)) index_of = int(field, c_int64_t) - 1
  end function

  integer(c_int) function make(self, communicator, fields, op, settings, join, context) &
      result(code)
    class(bracket_reducer), intent(inout) :: self
    type(MPI_Comm), intent(in) :: communicator
    type(bracket_field), intent(in), target :: fields(:)
    integer, intent(in), optional :: op
    type(bracket_settings), intent(in), optional :: settings
    type(c_funptr), intent(in), optional :: join
    type(c_ptr), intent(in), optional :: context
    type(c_field) :: described(size(fields))
    type(c_funptr) :: own
    type(c_ptr) :: its_context
    type(c_settings) :: c
    type(names), target :: kept
    integer :: k, operator_number

    operator_number = bracket_sum
    if (present(op)) operator_number = op
    own = c_null_funptr
    if (present(join)) own = join
    its_context = c_null_ptr
    if (present(context)) its_context = context
    call describe(settings, c, kept)
    do k = 1, size(fields)
      described(k) = fields(k)%arrays
      if (allocated(fields(k)%distribution)) then
        described(k)%boundary_count = size(fields(k)%distribution)
        described(k)%boundaries = c_loc(fields(k)%distribution)
      end if
    end do
    code = c_create(communicator%mpi_val, operator_number, own, its_context, described, &
                    int(size(fields), c_int64_t), c, self%handle)
  end function

  !> The settings as C takes them. `kept` has the names, as long as C reads them.
  subroutine describe(settings, c, kept)
    type(bracket_settings), intent(in), optional :: settings
    type(c_settings), intent(out) :: c
    type(names), intent(inout), target :: kept
    type(bracket_settings) :: chosen

    if (present(settings)) chosen = settings
    c = c_settings(c_sizeof(c), merge(1, 0, chosen%widened), merge(1, 0, chosen%checked), &
                   merge(1, 0, chosen%root /= -1), merge(chosen%root, 0, chosen%root /= -1), &
                   chosen%threads, c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr, &
                   chosen%planned%handle)
    if (allocated(chosen%algorithm)) then
      kept%algorithm = chosen%algorithm // c_null_char
      c%algorithm = c_loc(kept%algorithm)
    end if
    if (allocated(chosen%plan)) then
      kept%plan = chosen%plan // c_null_char
      c%plan = c_loc(kept%plan)
    end if
    if (allocated(chosen%kernel)) then
      kept%kernel = chosen%kernel // c_null_char
      c%kernel = c_loc(kept%kernel)
    end if
    if (allocated(chosen%memory)) then
      kept%memory = chosen%memory // c_null_char
      c%memory = c_loc(kept%memory)
    end if
  end subroutine

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

    write (error_unit, '(a)') 'bracket: '//words
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

end submodule
