! SPDX-License-Identifier: MIT

! Accumulators, compared with reducers over arrays of the same elements.
module accumulators_test
  use support
  implicit none
  private
  public :: test_accumulators

  integer, parameter :: count = 1000

contains

  subroutine test_accumulators()
    call test_sum('tree')
    call test_sum('binned:2')
    call test_sum('double-double')
    call test_arrays()
    call test_results()
    call test_failures()
  end subroutine

  !> Numbers that cancel, so that another bracketing gives another sum.
  elemental real(real64) function any_number(i)
    integer, intent(in) :: i

    any_number = real(mod(i * 48271_int64, 2147483647_int64), real64) / 2.0_real64**20
    if (mod(i, 4) == 0) any_number = any_number * 2.0_real64**40
    if (mod(i, 4) == 2) any_number = -any_number * 2.0_real64**40
  end function

  !> Elements one at a time, then an array, then those of another accumulator.
  subroutine test_sum(algorithm)
    character(*), intent(in) :: algorithm
    type(bracket_accumulator) :: sums, other
    real(real64) :: everything(count), expected, result
    integer :: first, last, third, half, i

    everything = any_number([(i, i = 1, count)])
    first = share(count, rank) + 1
    last = share(count, rank + 1)
    third = first + (last - first) / 3
    half = first + (last - first) / 2
    call sums%create(0.0_real64, int(first, int64), settings=bracket_settings(algorithm))
    call other%create(0.0_real64, int(half, int64), settings=bracket_settings(algorithm))
    do i = first, third - 1
      call sums%add(everything(i))
    end do
    call sums%add(everything(third:half - 1))
    call other%add(everything(half:last))
    call sums%add_other(other)
    call check(sums%count() == last - first + 1, algorithm // ': the number of elements')
    call bracket_reduce(MPI_COMM_SELF, everything, expected, settings=bracket_settings(algorithm))
    call sums%reduce(MPI_COMM_WORLD, result)
    call check(result == expected, algorithm // ': the sum over the ranks')
    call sums%reset()
    call check(sums%count() == 0, algorithm // ': no elements')
    call sums%add(everything)
    call sums%value(result)
    call check(result == expected, algorithm // ': the sum of one accumulator')
    call other%free()
    call sums%free()
    call sums%free()
  end subroutine

  !> Sections of any strides, in the sequence of Fortran.
  subroutine test_arrays()
    type(bracket_accumulator) :: sums, digest
    type(bracket_digests) :: found, expected
    integer(int32) :: grid(6, 5, 4), result, i
    real(real32) :: row(3, 2)

    grid = reshape([(small(i), i = 1, 120)], [6, 5, 4])
    call sums%create(0_int32)
    call sums%add(grid(2:5, ::2, 4:1:-1))
    call sums%value(result)
    call check(result == sum(grid(2:5, ::2, :)), 'the sum of a section')
    call digest%create(0_int32, op=bracket_digest)
    call digest%add(grid(2:5, ::2, 4:1:-1))
    call digest%value(found)
    call bracket_reduce(MPI_COMM_SELF, grid(2:5, ::2, 4:1:-1), expected, op=bracket_digest)
    call check(found%set == expected%set .and. found%sequence == expected%sequence, &
               'the sequence of a section')
    call sums%free()
    call digest%free()
    row = reshape([1, 2, 3, 4, 5, 6], [3, 2])
    call sums%create(row)
    call sums%add(row)
    call sums%value(row(1, 1))
    call check(row(1, 1) == 21, 'the sum of an array')
    call sums%free()
  end subroutine

  subroutine test_results()
    type(bracket_accumulator) :: greatest
    type(bracket_settings) :: settings
    type(bracket_located_real64) :: result

    settings%root = ranks - 1
    call greatest%create(0.0_real64, rank + 1_int64, bracket_maximum_location, settings)
    call greatest%add(real(mod(rank, 2), real64))
    result = bracket_located_real64(-1, -1)
    call greatest%reduce(MPI_COMM_WORLD, result)
    if (rank < ranks - 1) then
      call check(result%index == -1, 'no result on other ranks')
    else
      call check(result%value == min(ranks - 1, 1) .and. result%index == min(ranks, 2), &
                 'the greatest and its position')
    end if
    call greatest%free()
  end subroutine

  subroutine test_failures()
    type(bracket_accumulator) :: sums, other
    real(real64) :: result, several(2)
    real(real32) :: single
    logical :: yes
    character(200) :: words
    integer :: stat

    call sums%add(1.0_real64, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'the accumulator is NULL')
    call sums%create(yes, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'the elements are neither integer, real nor')
    call sums%create(result, settings=bracket_settings('sequential'), stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'cannot compute sequential')
    call sums%create(result, 3_int64)
    call sums%create(result, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'was created before')
    call sums%add(1.0_real32, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'do not have the type and kind')
    call sums%add(yes, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'neither integer, real nor complex')
    call sums%add_other(other, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'the accumulator is NULL')
    call sums%add(1.0_real64)
    call sums%value(several, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'no single variable')
    call sums%value(result, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'begin at the global index 2')
    call sums%reduce(MPI_COMM_WORLD, result, stat, words)
    call check_fails(stat, bracket_collective, words, 'begins at the global index 2')
    call sums%reset(rank + 1_int64)
    call sums%add(1.0_real64)
    ! Only the last rank's result is wrong.
    if (rank == ranks - 1) then
      call sums%reduce(MPI_COMM_WORLD, single, stat, words)
    else
      call sums%reduce(MPI_COMM_WORLD, result, stat, words)
    end if
    call check_fails(stat, bracket_collective, words, 'no single variable')
    call sums%reduce(MPI_COMM_WORLD, result)
    call check(result == ranks, 'the sum after failures')
    call sums%free()
  end subroutine

end module
