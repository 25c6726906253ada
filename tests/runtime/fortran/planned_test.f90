! SPDX-License-Identifier: MIT

! Reducers as a plan file says. The file is for chunks of three elements and gives rank 0 all of them.
module planned_test
  use, intrinsic :: iso_c_binding
  use support
  implicit none
  private
  public :: test_planned

  integer, parameter :: count = 100

contains

  subroutine test_planned()
    type(bracket_planned) :: planned
    type(bracket_settings) :: settings
    type(bracket_reducer) :: sums
    integer(c_int64_t) :: first, last, i
    integer :: stat
    real(real64), allocatable :: mine(:)
    real(real64) :: total
    character(200) :: words
    character(40) :: path

    write (path, '(a, i0, a)') 'planned_by_fortran_', ranks, '.json'
    if (rank == 0) call write_plan(trim(path))
    call MPI_Barrier(MPI_COMM_WORLD)
    call planned%read(MPI_COMM_WORLD, trim(path), int(count, c_int64_t))
    call planned%held(first, last)
    call check(first == merge(1, count + 1, rank == 0) .and. last == count, 'planned elements')
    allocate (mine(last - first + 1))
    do i = first, last
      mine(i - first + 1) = element(i)
    end do
    settings%planned = planned
    call sums%create(MPI_COMM_WORLD, mine, settings=settings)
    call sums%run(mine, total)
    call check(total == tree_of_chunks(1, count), 'as planned')
    call sums%free()

    settings%plan = 'direct'
    call sums%create(MPI_COMM_WORLD, mine, settings=settings, stat=stat, errmsg=words)
    call check_fails(stat, bracket_collective, words, 'are those of the plan file')
    call planned%read(MPI_COMM_WORLD, 'none.json', int(count, c_int64_t), stat, words)
    call check_fails(stat, bracket_collective, words, 'none.json')
    call planned%held(first, last, stat, words)
    call check_fails(stat, bracket_bad_input, words, 'is NULL')
    call planned%free()
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call delete(trim(path))
  end subroutine

  real(real64) function element(i)
    integer(c_int64_t), intent(in) :: i

    element = 1 / real(i, real64)
  end function

  !> Chunks of three from left to right, then the binary tree over the chunks.
  recursive real(real64) function tree_of_chunks(first, last) result(total)
    integer, intent(in) :: first, last
    integer :: i, half

    if (last - first < 3) then
      total = element(int(first, c_int64_t))
      do i = first + 1, last
        total = total + element(int(i, c_int64_t))
      end do
      return
    end if
    half = 3
    do while (2 * half < last - first + 1)
      half = 2 * half
    end do
    total = tree_of_chunks(first, first + half - 1) + tree_of_chunks(first + half, last)
  end function

  subroutine write_plan(path)
    character(*), intent(in) :: path
    integer :: unit, k

    open (newunit=unit, file=path, status='replace', action='write')
    write (unit, '(a, i0, a)') '{"format":"bracket-plan","version":1,"made_by":"a test",' // &
      '"objective":"score","ranks":', ranks, ',"collective":"all-reduce","root":0,"items":1,'
    write (unit, '(a)') '"machine":{"format":"bracket-machine","version":2,"name":"default",' // &
      '"source":"","latency_seconds":1e-7,"overhead_seconds":7e-8,"gap_seconds":7e-8,' // &
      '"gap_seconds_per_byte":1e-10,"overhead_seconds_per_byte":0.0,' // &
      '"seconds_per_addition":4e-9,"eager_bytes":null},"budget":0,"seed":1,'
    write (unit, '(4(a, i0))') '"plans":[{"elements":[', count, ',', count, &
      '],"order":"chunked-tree:3","order_version":1,"plan":"butterfly:1024","distribution":' // &
      '{"format":"bracket-distribution","version":1,"elements":', count, ',"ranks":', ranks
    write (unit, '(a, i0)') ',"counts":[', count
    do k = 2, ranks
      write (unit, '(a)') ',0'
    end do
    write (unit, '(a)') ']},"predicted":{"score":1e-6}}]}'
    close (unit)
  end subroutine

  subroutine delete(path)
    character(*), intent(in) :: path
    integer :: unit

    open (newunit=unit, file=path)
    close (unit, status='delete')
  end subroutine

end module
