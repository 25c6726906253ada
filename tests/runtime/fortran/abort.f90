! SPDX-License-Identifier: MIT

! A failure without `stat` prints its message on standard error and ends the program with code 2.
! With the argument `early`, MPI is not running; with `copy`, a reducer was copied.
program abort
  use mpi_f08
  use bracket
  implicit none
  real :: result
  logical :: x(3)
  type(bracket_reducer) :: first, second
  character(5) :: what

  call get_command_argument(1, what)
  if (what /= 'early') call MPI_Init()
  if (what == 'copy') then
    call first%create(MPI_COMM_SELF, 1.0)
    second = first
  end if
  x = .true.
  call bracket_reduce(MPI_COMM_WORLD, x, result)
  print '(a)', 'went on'
  call MPI_Finalize()
end program
