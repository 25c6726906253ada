! SPDX-License-Identifier: MIT

!> The procedures of the module `bracket` for plan files.
submodule(bracket:bracket_reducers) bracket_plans
  implicit none

contains

  module procedure read_planned
    integer(c_int64_t) :: number
    character(:, c_char), allocatable :: name

    name = path // c_null_char
    number = elements
    call report(c_planned_read(communicator%mpi_val, name, number, self%handle), stat, errmsg)
  end procedure

  module procedure planned_held
    integer(c_int) :: code

    first = 0
    last = 0
    code = c_planned_held(self%handle, first, last)
    first = first + 1
    call report(code, stat, errmsg)
  end procedure

  module procedure free_planned
    call c_planned_free(self%handle)
  end procedure

end submodule
