! SPDX-License-Identifier: MIT

! Operators of a program over a type of its own, which is not commutative.
module own_operators_test
  use, intrinsic :: iso_c_binding
  use support
  implicit none
  private
  public :: test_own_operators

  type, bind(c) :: piece
    integer(c_int64_t) :: first, last
    real(c_double) :: total
  end type

  integer, parameter :: count = 400

contains

  subroutine test_own_operators()
    type(piece), allocatable, target :: mine(:), wide(:)
    type(piece) :: whole
    type(bracket_reducer) :: all_pieces
    integer(c_int), target :: torn
    integer :: begin, own, i, stat
    real(real64) :: number
    character(200) :: words

    begin = share(count, rank)
    own = share(count, rank + 1) - begin
    allocate (mine(own), wide(2 * own))
    do i = 1, own
      mine(i) = piece(begin + i, begin + i, 1 / real(begin + i, real64))
      wide(2 * i - 1) = mine(i)
      wide(2 * i) = piece(-1, -1, 0)
    end do
    torn = 0
    call all_pieces%create_own(MPI_COMM_WORLD, mine, append, c_loc(torn))
    call all_pieces%run(mine, whole)
    call check(torn == 0 .and. whole%first == 1 .and. whole%last == count, 'pieces in their places')
    call check(whole%total == tree(1, count), 'pieces by the tree')
    whole = piece(0, 0, 0)
    call all_pieces%run(wide(1::2), whole)
    call check(torn == 0 .and. whole%total == tree(1, count), 'pieces that lie apart')
    call all_pieces%run(mine, number, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'does not have the type and kind')
    call all_pieces%free()

    call all_pieces%create(MPI_COMM_WORLD, mine, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'neither integer, real nor complex')
    call all_pieces%create_own(MPI_COMM_WORLD, mine, append, c_loc(torn), &
                               settings=bracket_settings('binned'), stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'binned')
  end subroutine

  subroutine append(left, right, result, context) bind(c)
    type(c_ptr), value :: left, right, result, context
    type(piece), pointer :: l, r, both
    integer(c_int), pointer :: torn

    call c_f_pointer(left, l)
    call c_f_pointer(right, r)
    call c_f_pointer(result, both)
    call c_f_pointer(context, torn)
    if (l%last + 1 /= r%first) torn = 1
    both = piece(l%first, r%last, l%total + r%total)
  end subroutine

  !> The binary tree over the pieces' numbers.
  recursive real(real64) function tree(first, last) result(total)
    integer, intent(in) :: first, last
    integer :: half

    if (first == last) then
      total = 1 / real(first, real64)
      return
    end if
    half = 1
    do while (2 * half < last - first + 1)
      half = 2 * half
    end do
    total = tree(first, first + half - 1) + tree(first + half, last)
  end function

end module
