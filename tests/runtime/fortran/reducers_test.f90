! SPDX-License-Identifier: MIT

! Reducers of several fields, operators and functions, their settings, and nonblocking runs.
module reducers_test
  use, intrinsic :: iso_c_binding
  use support
  implicit none
  private
  public :: test_reducers

contains

  subroutine test_reducers()
    call test_fields()
    call test_operators()
    call test_functions()
    call test_nonblocking()
    call test_settings()
    call test_accuracy()
  end subroutine

  subroutine test_fields()
    real(real64), target :: a(3, 5), b(7)
    real(real64) :: totals(2)
    type(bracket_reducer) :: sums
    type(bracket_field) :: fields(2)

    a = rank
    b = 1
    fields = [bracket_field_of(a(:, ::2)), bracket_field_of(b, b(7:1:-1))]
    call sums%create_fields(MPI_COMM_WORLD, fields)
    call sums%run_fields(fields, totals)
    call check(totals(1) == 9 * (ranks * (ranks - 1) / 2), 'first field')
    call check(totals(2) == 7 * ranks, 'second field')
    call check(sums%elements(2) == 7 * ranks, 'elements of the second field')
    call sums%free()
  end subroutine

  subroutine test_operators()
    real(real64), target :: a(3, 5)
    real(real64) :: results(3)
    type(bracket_located_real64) :: extremes(2)
    type(bracket_reducer) :: several
    type(bracket_field) :: fields(3)
    integer :: stat
    character(200) :: words

    a = rank
    a(2, 3) = -rank - 1
    fields = [bracket_field_of(a), bracket_field_of(a, op=bracket_maximum), &
              bracket_field_of(a, a, op=bracket_minimum)]
    call several%create_fields(MPI_COMM_WORLD, fields)
    call several%run_fields(fields, results)
    call check(results(1) == 14 * (ranks * (ranks - 1) / 2) - ranks * (ranks + 1) / 2, 'sum')
    call check(results(2) == ranks - 1, 'maximum')
    call check(results(3) == 0, 'minimum of squares')
    call several%free()

    fields(2) = bracket_field_of(a, op=bracket_maximum_location)
    call several%create_fields(MPI_COMM_WORLD, fields(1:2), op=bracket_minimum_location)
    call several%run_fields(fields(1:2), extremes)
    call check(extremes(1)%value == -ranks .and. &
               extremes(1)%index == 15 * (ranks - 1) + 8, 'where the least lies')
    call check(extremes(2)%value == ranks - 1 .and. &
               extremes(2)%index == 15 * (ranks - 1) + 1, 'where the largest lies')
    call several%free()

    call several%create_fields(MPI_COMM_WORLD, fields(1:2), stat=stat, errmsg=words)
    call check(stat == bracket_collective, 'a location beside a sum is refused')
    call check(index(words, 'different types') > 0, words)
    fields(2) = bracket_field_of(a, op=77)
    call several%create_fields(MPI_COMM_WORLD, fields(1:2), stat=stat, errmsg=words)
    call check(stat == bracket_collective, 'no operator')
    call check(index(words, 'field 2: ') > 0, words)

    ! A run may name an operator again, but not another one.
    fields(1) = bracket_field_of(a)
    fields(2) = bracket_field_of(a, op=bracket_maximum)
    call several%create_fields(MPI_COMM_WORLD, fields(1:2))
    fields(1) = bracket_field_of(a, op=bracket_sum)
    call several%run_fields(fields(1:2), results(1:2))
    call check(results(2) == ranks - 1, 'maximum again')
    if (rank == ranks - 1) fields(2) = bracket_field_of(a, op=bracket_minimum)
    call several%run_fields(fields(1:2), results(1:2), stat, words)
    call check_fails(stat, bracket_collective, words, &
                     'field 2: another operator than the reducer was made with')
    call several%free()
  end subroutine

  !> Squares of the elements' numbers, which begin at the context's number.
  subroutine squares(context, first, count, elements) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: first, count
    real(c_double), intent(out) :: elements(count)
    integer(c_int64_t), pointer :: begin
    integer(c_int64_t) :: i

    call c_f_pointer(context, begin)
    do i = 1, count
      elements(i) = real(begin + first + i - 1, c_double)**2
    end do
  end subroutine

  subroutine test_functions()
    real(real64), target :: a(1000)
    real(real64) :: results(3), expected
    integer(c_int64_t), target :: begin
    integer(c_int64_t) :: i
    type(bracket_reducer) :: sums
    type(bracket_field) :: fields(3)
    character(200) :: words
    integer :: stat

    begin = 1000 * rank
    a = 2
    expected = 0
    do i = 1, 1000 * ranks
      expected = expected + real(i, real64)**2
    end do
    fields = [bracket_field_by(a, c_funloc(squares), c_loc(begin)), bracket_field_of(a), &
              bracket_field_by(a, c_funloc(squares), c_loc(begin), op=bracket_maximum)]
    call sums%create_fields(MPI_COMM_WORLD, fields)
    do i = 1, 2
      call sums%run_fields(fields, results)
      call check(results(1) == expected, 'sum of squares')
      call check(results(2) == 2000 * ranks, 'an array beside a function')
      call check(results(3) == (1000._real64 * ranks)**2, 'largest square')
    end do
    ! An array again, after a function.
    fields(1) = bracket_field_of(a)
    call sums%run_fields(fields, results)
    call check(results(1) == 2000 * ranks, 'an array after a function')
    if (rank == ranks - 1) fields(3) = bracket_field_by(a, c_null_funptr)
    call sums%run_fields(fields, results, stat, words)
    call check_fails(stat, bracket_collective, words, 'field 3: no function: give the c_funloc')
    call sums%free()
    fields(3) = bracket_field_by(a, c_null_funptr)
    call sums%create_fields(MPI_COMM_WORLD, fields, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'field 3: no function: give the c_funloc')
  end subroutine

  subroutine test_nonblocking()
    integer(int64), asynchronous :: mine(2, 3), least(2, 3)
    integer(int64), asynchronous :: total
    type(bracket_located_int64), target :: found
    type(bracket_reducer) :: sums, minima
    integer :: run
    logical :: complete

    call sums%create(MPI_COMM_WORLD, mine)
    call minima%create(MPI_COMM_WORLD, least, op=bracket_minimum_location)
    do run = 1, 3
      mine = run
      least = 9
      least(2, 2) = merge(run, 9, rank == ranks - 1)
      call sums%start(mine, total)
      call minima%start(least, found)
      complete = .false.
      do while (.not. complete)
        call sums%test(complete)
      end do
      call check(total == 6 * run * ranks, 'nonblocking sum')
      call minima%wait()
      call minima%wait()
      call minima%test(complete)
      call check(complete, 'complete')
      call check(found%value == run .and. found%index == 6 * (ranks - 1) + 4, 'nonblocking location')
    end do
    call sums%free()
    call minima%free()
  end subroutine

  subroutine test_accuracy()
    type(bracket_reducer) :: sums
    real(real64) :: mine(100), total, digits
    integer(int64) :: cancellations
    integer :: stat
    character(200) :: words

    mine = 0.1_real64
    call sums%create(MPI_COMM_WORLD, mine, settings=bracket_settings('stochastic'))
    call sums%accuracy(digits, stat=stat, errmsg=words)
    call check_fails(stat, bracket_bad_input, words, 'no run is complete')
    call sums%run(mine, total)
    call sums%accuracy(digits, cancellations)
    call check(digits > 12 .and. digits < 16 .and. cancellations == 0, 'digits')
    call sums%free()
  end subroutine

  subroutine test_settings()
    type(bracket_settings) :: settings
    type(bracket_reducer) :: sums
    real(real32) :: mine(2), total

    mine = [2.0_real32**24, 1.0_real32]
    settings%widened = .true.
    settings%root = ranks - 1
    settings%plan = 'aggregated'
    settings%kernel = 'scalar'
    settings%memory = 'emulated'
    settings%algorithm = 'chunked-tree:3'
    call sums%create(MPI_COMM_WORLD, mine, settings=settings)
    call check(sums%delivers() .eqv. rank == ranks - 1, 'delivered to the last')
    total = -1
    call sums%run(mine, total)
    if (sums%delivers()) then
      call check(total == real((2.0_real64**24 + 1) * ranks, real32), 'widened')
    else
      call check(total == -1, 'nothing is delivered here')
    end if
    call sums%free()
  end subroutine

end module
