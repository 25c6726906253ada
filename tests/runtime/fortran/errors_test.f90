! SPDX-License-Identifier: MIT

! Errors and their messages, on every rank.
module errors_test
  use support
  implicit none
  private
  public :: test_errors

contains

  subroutine test_errors()
    call test_creation()
    call test_runs()
    call test_use()
  end subroutine

  subroutine test_creation()
    type(bracket_reducer) :: sums
    type(bracket_settings) :: settings
    real(real64) :: x(3, 4), y(2)
    real(real32) :: single(3, 4)
    logical :: yes(3)
    real(real64) :: deep(1, 1, 1, 1, 1, 1)
    type(MPI_Comm) :: none
    character(200) :: words
    integer :: stat

    x = 0
    ! Only the last rank's arguments are wrong.
    if (rank == ranks - 1) then
      call sums%create(MPI_COMM_WORLD, yes, stat=stat, errmsg=words)
    else
      call sums%create(MPI_COMM_WORLD, x, stat=stat, errmsg=words)
    end if
    call check_fails(stat, bracket_collective, words, 'neither integer, real nor complex')
    call sums%create(MPI_COMM_WORLD, deep, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'elements of rank 6: there may be 0 to 5')
    call sums%create(MPI_COMM_WORLD, x, single, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'all arrays of a reducer must have one type')
    call sums%create(MPI_COMM_WORLD, x, y, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'the factors are not as many')
    call sums%create(MPI_COMM_WORLD, x, distribution=[0_int64], stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'a distribution of 1 boundaries')
    call sums%create(MPI_COMM_WORLD, x, op=17, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'the number 17 is not an operator')
    call sums%create(MPI_COMM_WORLD, x, op=bracket_bad_input, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, &
                     'the number 1 is not an operator')
    settings%algorithm = 'kahan'
    call sums%create(MPI_COMM_WORLD, x, settings=settings, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'unknown algorithm')
    deallocate (settings%algorithm)
    settings%plan = 'nonsense'
    call sums%create(MPI_COMM_WORLD, x, settings=settings, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'nonsense')
    call sums%create_fields(MPI_COMM_WORLD, [bracket_field ::], stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, '0 fields')
    call reduce_assumed_size(x, stat, words)
    call check_fails(stat, bracket_collective, words, 'assumed-size array, whose end is unknown')
    none = MPI_COMM_NULL
    call sums%create(none, x, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'MPI_COMM_NULL')
    call bracket_reduce(none, x, y(1), stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'MPI_COMM_NULL')
  end subroutine

  subroutine reduce_assumed_size(x, stat, words)
    real(real64), intent(in) :: x(3, *)
    integer, intent(out) :: stat
    character(*), intent(inout) :: words
    real(real64) :: result

    call bracket_reduce(MPI_COMM_WORLD, x, result, stat=stat, errmsg=words)
  end subroutine

  ! The last rank's run is refused, and with it the runs of all others.
  subroutine test_runs()
    type(bracket_reducer) :: sums
    real(real64) :: x(3, 4), result, apart(4)
    real(real32) :: single(3, 4), narrow
    type(bracket_located_real64) :: located
    character(200) :: words
    character(60) :: expected
    integer :: stat, what

    x = 1
    do what = 1, 6
      call sums%create(MPI_COMM_WORLD, x)
      if (rank < ranks - 1) then
        call sums%run(x, result, stat=stat, errmsg=words)
      else
        select case (what)
        case (1)
          call sums%run(single, result, stat=stat, errmsg=words)
        case (2)
          call sums%run(x(:, :3), result, stat=stat, errmsg=words)
        case (3)
          call sums%run(x, narrow, stat=stat, errmsg=words)
        case (4)
          call sums%run(x, located, stat=stat, errmsg=words)
        case (5)
          call sums%run(x, result, x, stat=stat, errmsg=words)
        case (6)
          call sums%run(x, apart(::2), stat=stat, errmsg=words)
        end select
      end if
      expected = 'the result does not have the type and kind'
      if (what == 1) expected = 'field 1: the reducer has another type and kind'
      if (what == 2) expected = 'field 1: the array of elements does not have the shape'
      if (what == 5) expected = 'factors for a field that is not of products'
      if (what == 6) expected = 'the results need a contiguous list of 1'
      call check_fails(stat, bracket_collective, words, trim(expected))
      call sums%free()
    end do
  end subroutine

  subroutine test_use()
    type(bracket_reducer) :: sums
    real(real64) :: x(3), result
    integer(int64) :: first, last
    character(200) :: words
    character(4) :: short
    integer :: stat
    logical :: complete

    x = 1
    call sums%run(x, result, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'the reducer is NULL: not created, or freed')
    call sums%wait(stat, words)
    call check_fails(stat, bracket_bad_input, words, 'not created')
    call sums%test(complete, stat, words)
    call check_fails(stat, bracket_bad_input, words, 'not created')
    call sums%held(first, last, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'not created')
    call sums%free(stat, words)
    call check(stat == bracket_ok, 'freed without having been created')
    call sums%create(MPI_COMM_WORLD, x)
    call sums%held(first, last, 2, stat, short)
    call check(stat == bracket_bad_input .and. short == 'ther', 'a short errmsg is cut')
    ! A second creation is refused. The first reducer lives until it is freed.
    call sums%create(MPI_COMM_WORLD, x(::2), stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'the reducer was created before: call free')
    call sums%run(x, result)
    call check(result == 3 * ranks, 'the first lives on')
    call sums%free()
    call sums%create(MPI_COMM_WORLD, x(::2))
    call sums%run(x(::2), result)
    call check(result == 2 * ranks, 'created again')
    call sums%free()
    call sums%free()
  end subroutine

end module
