! SPDX-License-Identifier: MIT

!> The procedures of the module `bracket` that make and use accumulators.
submodule(bracket:bracket_reducers) bracket_accumulators
  implicit none

contains

  module procedure create_accumulator
    type(array_view) :: view
    type(c_settings) :: c
    type(names), target :: kept
    integer :: operator_number

    operator_number = bracket_sum
    if (present(op)) operator_number = op
    call describe(settings, c, kept)
    call c_view(like, view)
    call report(c_accumulator_create(view, operator_number, first_of(first), c, self%handle), stat, &
                errmsg)
  end procedure

  module procedure add_elements
    type(array_view) :: view

    call c_view(elements, view)
    call report(c_accumulator_add(self%handle, view), stat, errmsg)
  end procedure

  module procedure add_other
    call report(c_accumulator_add_other(self%handle, other%handle), stat, errmsg)
  end procedure

  module procedure count_of_elements
    call report(c_accumulator_count(self%handle, count_of_elements))
  end procedure

  module procedure reset
    call report(c_accumulator_reset(self%handle, first_of(first)), stat, errmsg)
  end procedure

  module procedure value_of_elements
    type(array_view) :: view

    call c_view(result, view)
    call report(c_accumulator_value(self%handle, view), stat, errmsg)
  end procedure

  module procedure reduce_accumulators
    type(array_view) :: view

    call c_view(result, view)
    call report(c_accumulator_reduce(self%handle, communicator%mpi_val, view), stat, errmsg)
  end procedure

  module procedure free_accumulator
    call report(c_accumulator_free(self%handle), stat, errmsg)
  end procedure

  module procedure refuse_accumulator_copy
    if (c_associated(self%handle) .or. c_associated(other%handle)) then
      call end_program('a bracket_accumulator is not copied: create another')
    end if
  end procedure

  integer(c_int64_t) function first_of(first)
    integer(c_int64_t), intent(in), optional :: first

    first_of = 1
    if (present(first)) first_of = first
  end function

end submodule
