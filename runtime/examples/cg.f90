! SPDX-License-Identifier: MIT

! Solves a one-dimensional Laplace problem by conjugate gradients, and prints the squared residual of
! each iteration with all its bits.
!
!   cg [mpi|bracket] [rows] [iterations]
!
! By default, it takes 20 iterations by `mpi` on 100 000 rows.
! The matrix has 2 on its diagonal and -1 beside it. The right side is 1 / row. Each rank has
! consecutive rows; there must be at least as many rows as ranks. By `mpi`, a dot product is a loop
! and MPI_Allreduce, and its bits depend on the number of ranks. By `bracket`, they do not.
program cg
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use mpi_f08
  use bracket
  implicit none

  integer :: rank, ranks, iterations, k
  integer(int64) :: rows, first, own, i
  logical :: by_bracket
  character(20) :: word
  real(real64), allocatable :: solution(:), residual(:), direction(:), product(:)
  real(real64) :: square, next, step
  type(bracket_reducer) :: reducer

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  word = 'mpi'
  if (command_argument_count() > 0) call get_command_argument(1, word)
  by_bracket = word == 'bracket'
  if (word /= 'mpi' .and. .not. by_bracket) &
    call refuse('no method ' // trim(word) // '; there are mpi and bracket')
  rows = number(2, 100000)
  iterations = number(3, 20)
  if (rows < ranks) call refuse('there must be at least as many rows as ranks')
  first = rows * rank / ranks
  own = rows * (rank + 1) / ranks - first

  allocate (solution(own), product(own), source=0.0_real64)
  residual = [(1 / real(first + i, real64), i=1, own)]
  direction = residual
  if (by_bracket) call reducer%create(MPI_COMM_WORLD, residual, residual)
  square = dot(residual, residual)
  do k = 1, iterations
    call multiply(direction, product)
    step = square / dot(direction, product)
    solution = solution + step * direction
    residual = residual - step * product
    next = dot(residual, residual)
    direction = residual + next / square * direction
    square = next
    if (rank == 0) print '(i0, 1x, z16.16)', k, square
  end do
  if (by_bracket) call reducer%free()
  call MPI_Finalize()

contains

  integer function number(position, default)
    integer, intent(in) :: position, default
    integer :: failure

    number = default
    if (command_argument_count() < position) return
    call get_command_argument(position, word)
    read (word, '(i20)', iostat=failure) number
    if (failure /= 0 .or. number < 1) &
      call refuse(trim(word) // ': a whole number from 1 on was expected')
  end function

  ! All ranks refuse the same arguments, so they can end together. After MPI_Abort, the launcher of
  ! MPICH may lose the reason.
  subroutine refuse(words)
    character(*), intent(in) :: words

    if (rank == 0) write (error_unit, '(a)') words
    call MPI_Finalize()
    stop 2, quiet=.true.
  end subroutine

  real(real64) function dot(x, y)
    real(real64), intent(in) :: x(:), y(:)
    real(real64) :: mine
    integer(int64) :: row

    if (by_bracket) then
      call reducer%run(x, dot, y)
      return
    end if
    mine = 0
    do row = 1, size(x, kind=int64)
      mine = mine + x(row) * y(row)
    end do
    call MPI_Allreduce(mine, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function

  ! The matrix times x, with the values beside x from the neighbouring ranks.
  subroutine multiply(x, y)
    real(real64), intent(in) :: x(:)
    real(real64), intent(out) :: y(:)
    real(real64) :: beside(0:size(x) + 1)
    integer :: below, above, last

    last = size(x)
    below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    above = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
    beside(0) = 0
    beside(1:last) = x
    beside(last + 1) = 0
    call MPI_Sendrecv(beside(last), 1, MPI_DOUBLE_PRECISION, above, 0, &
                      beside(0), 1, MPI_DOUBLE_PRECISION, below, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call MPI_Sendrecv(beside(1), 1, MPI_DOUBLE_PRECISION, below, 0, &
                      beside(last + 1), 1, MPI_DOUBLE_PRECISION, above, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    y = 2 * x - beside(0:last - 1) - beside(2:last + 1)
  end subroutine

end program
