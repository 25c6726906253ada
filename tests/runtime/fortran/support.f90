! SPDX-License-Identifier: MIT

! Common parts of the tests in Fortran: checks that count failures, and a rank's share of a field.
module support
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, error_unit
  use mpi_f08
  use bracket
  implicit none

  integer :: failures = 0, rank, ranks

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (condition) return
    write (error_unit, '(a, i0, a, i0, 2a)') 'rank ', rank, ' of ', ranks, ': ', what
    failures = failures + 1
  end subroutine

  subroutine check_fails(stat, expected, errmsg, words)
    integer, intent(in) :: stat, expected
    character(*), intent(in) :: errmsg, words

    call check(stat == expected .and. index(errmsg, words) > 0, &
               'not "' // words // '" but "' // trim(errmsg) // '"')
  end subroutine

  !> Number of the `count` elements on the ranks below `of_rank`.
  integer function share(count, of_rank)
    integer, intent(in) :: count, of_rank

    share = count * of_rank / ranks
  end function

  !> A small number as an element: the sum is the same for every bracketing.
  elemental integer function small(i)
    integer, intent(in) :: i

    small = mod(i * 37, 101) - 50
  end function

end module
