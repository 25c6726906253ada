! SPDX-License-Identifier: MIT

! Arrays of every rank and type, and sections of them.
module arrays_test
  use support
  implicit none
  private
  public :: test_arrays

  integer, parameter :: cells = 41, levels = 3

contains

  subroutine test_arrays()
    call test_types()
    call test_complex()
    call test_locations()
    call test_digests()
    call test_ranks()
    call test_sections_and_products()
    call test_nothing()
  end subroutine

  ! Every second element of one row, backwards: no elements are adjacent.
  subroutine test_types()
    integer(int32) :: narrow(2, 2 * cells), narrow_sum
    integer(int64) :: wide(2, 2 * cells), wide_sum
    real(real32) :: single(2, 2 * cells), single_sum
    real(real64) :: double(2, 2 * cells), double_sum
    integer :: i, first, own, op, expected

    first = share(cells, rank)
    own = share(cells, rank + 1) - first
    wide = 1000
    do i = 1, own
      wide(2, 2 * (own - i + 1)) = small(first + i)
    end do
    narrow = int(wide, int32)
    single = real(wide, real32)
    double = real(wide, real64)
    do op = bracket_sum, bracket_maximum
      if (op == bracket_product) cycle
      expected = sum([(small(i), i=1, cells)])
      if (op == bracket_minimum) expected = minval([(small(i), i=1, cells)])
      if (op == bracket_maximum) expected = maxval([(small(i), i=1, cells)])
      call bracket_reduce(MPI_COMM_WORLD, narrow(2, 2*own:2:-2), narrow_sum, op=op)
      call check(narrow_sum == expected, 'int32')
      call bracket_reduce(MPI_COMM_WORLD, wide(2, 2*own:2:-2), wide_sum, op=op)
      call check(wide_sum == expected, 'int64')
      call bracket_reduce(MPI_COMM_WORLD, single(2, 2*own:2:-2), single_sum, op=op)
      call check(nint(single_sum) == expected, 'real32')
      call bracket_reduce(MPI_COMM_WORLD, double(2, 2*own:2:-2), double_sum, op=op)
      call check(nint(double_sum) == expected, 'real64')
    end do
  end subroutine

  subroutine test_complex()
    complex(real32) :: single(2, cells), single_sum
    complex(real64) :: double(2, cells), double_sum, product
    integer :: i, first, own

    first = share(cells, rank)
    own = share(cells, rank + 1) - first
    double = 1000
    do i = 1, own
      double(1, i) = cmplx(small(first + i), small(first + i + 7), real64)
    end do
    single = cmplx(double, kind=real32)
    call bracket_reduce(MPI_COMM_WORLD, single(1, :own), single_sum)
    call bracket_reduce(MPI_COMM_WORLD, double(1, :own), double_sum)
    call check(nint(real(double_sum)) == sum([(small(i), i=1, cells)]), 'complex128, real part')
    call check(nint(aimag(double_sum)) == sum([(small(i + 7), i=1, cells)]), 'complex128, imaginary')
    call check(cmplx(single_sum, kind=real64) == double_sum, 'complex64')
    double(1, :own) = (0, 1)
    call bracket_reduce(MPI_COMM_WORLD, double(1, :own), product, op=bracket_product)
    call check(product == (0, 1), 'product of i 41 times')
  end subroutine

  subroutine test_locations()
    integer(int32) :: narrow(cells)
    real(real64) :: all(levels, cells), mine(levels, cells)
    type(bracket_located_real64) :: found
    type(bracket_located_int32) :: least
    integer :: i, k, first, own, place(2)

    first = share(cells, rank)
    own = share(cells, rank + 1) - first
    do i = 1, cells
      do k = 1, levels
        all(k, i) = small(levels * i + k)
      end do
    end do
    mine(:, :own) = all(:, first+1:first+own)
    call bracket_reduce(MPI_COMM_WORLD, mine(:, :own), found, op=bracket_maximum_location)
    place = maxloc(all)
    call check(found%value == maxval(all), 'value of maximum-location')
    call check(found%index == place(1) + levels * (place(2) - 1), 'position of maximum-location')
    do i = 1, own
      narrow(i) = small(first + i)
    end do
    call bracket_reduce(MPI_COMM_WORLD, narrow(:own), least, op=bracket_minimum_location)
    call check(least%index == minloc([(small(i), i=1, cells)], 1), 'position of minimum-location')
  end subroutine

  !> Compares digests of one set of elements in two sequences.
  subroutine test_digests()
    real(real64) :: forward(3), backward(3)
    type(bracket_digests) :: digest, again, other
    integer :: i

    forward = [(3.0_real64 * rank + i, i=1, 3)]
    backward = 3 * ranks + 1 - forward
    call bracket_reduce(MPI_COMM_WORLD, forward, digest, op=bracket_digest)
    call bracket_reduce(MPI_COMM_WORLD, forward, again, op=bracket_digest)
    call bracket_reduce(MPI_COMM_WORLD, backward, other, op=bracket_digest)
    call check(digest%set == again%set .and. digest%sequence == again%sequence, 'the same digest')
    call check(digest%set == other%set, 'digest of the same set')
    call check(digest%sequence /= other%sequence, 'digest of another sequence')
    call bracket_reduce(MPI_COMM_SELF, [1.0_real64], digest, op=bracket_digest)
    call check(digest%set == -8586179365795795475_int64, 'the digest of 1.0')  ! by SplitMix64
  end subroutine

  subroutine test_ranks()
    integer(int64) :: scalar, total
    integer(int32) :: a1(4), a2(4, 4), a3(4, 4, 4), a4(4, 4, 4, 4), a5(4, 4, 4, 4, 4), found
    type(bracket_located_int32) :: least
    integer :: i

    scalar = rank + 1
    call bracket_reduce(MPI_COMM_WORLD, scalar, total)
    call check(total == ranks * (ranks + 1_int64) / 2, 'rank 0')
    a5 = reshape([(mod(7 * i, 1024), i=1, 1024)], shape(a5))
    a4 = a5(:, :, :, :, 1)
    a3 = a4(:, :, :, 1)
    a2 = a3(:, :, 1)
    a1 = a2(:, 1)
    call bracket_reduce(MPI_COMM_WORLD, a1(::3), found)
    call check(found == ranks * sum(a1(::3)), 'rank 1')
    call bracket_reduce(MPI_COMM_WORLD, a2(4:1:-2, 2:), found)
    call check(found == ranks * sum(a2(4:1:-2, 2:)), 'rank 2')
    call bracket_reduce(MPI_COMM_WORLD, a3(2, :, ::2), found)
    call check(found == ranks * sum(a3(2, :, ::2)), 'rank 3, of which 2 are left')
    call bracket_reduce(MPI_COMM_WORLD, a4(:, 2:3, ::3, 4:2:-1), found)
    call check(found == ranks * sum(a4(:, 2:3, ::3, 4:2:-1)), 'rank 4')
    call bracket_reduce(MPI_COMM_WORLD, a5(::3, 2:4, :, 4:1:-1, ::2), found)
    call check(found == ranks * sum(a5(::3, 2:4, :, 4:1:-1, ::2)), 'rank 5')
    ! Positions count in Fortran's order of elements.
    a5 = 5
    a5(3, 2, 1, 1, 2) = -1
    call bracket_reduce(MPI_COMM_WORLD, a5, least, op=bracket_minimum_location)
    call check(least%index == 3 + 4 * 1 + 256, 'position in rank 5')
  end subroutine

  subroutine test_sections_and_products()
    real(real64), allocatable :: values(:, :), masks(:, :), other(:, :)
    real(real64) :: total, dot, expected
    type(bracket_reducer) :: sums, dots
    integer(int64) :: boundaries(0:ranks), first_held, last_held
    integer :: i, k, first, own

    first = share(cells, rank)
    own = share(cells, rank + 1) - first
    allocate (values(0:levels, own + 2), masks(levels + 1, own + 2), source=1e300_real64)
    do i = 1, own
      do k = 1, levels
        values(k, i) = small(levels * (first + i) + k)
        masks(k + 1, i) = mod(first + i + k, 3)
      end do
    end do
    boundaries = [(int(levels * share(cells, i), int64), i=0, ranks)]
    ! Level 0 and the last two cells do not belong to the field: a section has the declared bounds.
    call sums%create(MPI_COMM_WORLD, values(1:levels, 1:own), distribution=boundaries)
    call dots%create(MPI_COMM_WORLD, values(1:levels, 1:own), masks(2:levels + 1, 1:own))
    call sums%run(values(1:levels, 1:own), total)
    call dots%run(values(1:levels, 1:own), dot, masks(2:levels + 1, 1:own))
    expected = sum([((real(small(levels * i + k), real64), k=1, levels), i=1, cells)])
    call check(total == expected, 'sum of a section')
    expected = sum([((real(small(levels * i + k) * mod(i + k, 3), real64), k=1, levels), i=1, cells)])
    call check(dot == expected, 'products')
    call sums%held(first_held, last_held)
    call check(first_held == levels * first + 1, 'first held')
    call check(last_held == levels * (first + own), 'last held')
    call check(sums%elements() == levels * cells, 'elements')
    call check(sums%delivers(), 'delivers')
    call check(sums%messages_sent() > 0 .or. ranks == 1 .or. own == 0, 'messages sent')

    ! Now these elements are mirrored in a longer array.
    allocate (other(own + 5, 2 * (levels + 1)))
    other = 1e300_real64
    other(own:1:-1, 2:2*(levels+1):2) = transpose(values(:, 1:own))
    call reduce_mirrored(sums, other, own, 2 * total)
    call sums%run(values(1:levels, 1:own), total)
    expected = sum([((real(small(levels * i + k), real64), k=1, levels), i=1, cells)])
    call check(total == expected, 'back where they were')
    call sums%free()
    call dots%free()
  end subroutine

  ! Sections of an array with transposed dimensions have their elements in another order, which does
  ! not change a sum of small numbers.
  subroutine reduce_mirrored(sums, other, own, expected)
    type(bracket_reducer), intent(inout) :: sums
    real(real64), intent(inout) :: other(:, :)
    integer, intent(in) :: own
    real(real64), intent(in) :: expected
    real(real64), allocatable :: doubled(:, :)
    real(real64) :: total
    integer :: k

    allocate (doubled(2 * (size(other, 2) / 2), 3 * own + 9))
    doubled = 1e300_real64
    do k = 1, size(other, 2) / 2
      doubled(2 * k, 1:2*own:2) = 2 * other(own:1:-1, 2 * k)
    end do
    call sums%run(doubled(4::2, 1:2*own:2), total)
    call check(total == expected, 'moved')
  end subroutine

  subroutine test_nothing()
    real(real64) :: none(0), total
    type(bracket_located_real64) :: found

    total = 5
    call bracket_reduce(MPI_COMM_WORLD, none, total)
    call check(total == 0, 'the sum of nothing')
    call bracket_reduce(MPI_COMM_WORLD, none, found, op=bracket_maximum_location)
    call check(found%index == 0, 'the position of nothing')
  end subroutine

end module
