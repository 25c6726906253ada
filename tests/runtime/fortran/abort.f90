! A failure without `stat`: its words are on standard error, and the program ends with code 2.
program abort
  use mpi_f08
  use bracket
  implicit none
  real :: result
  logical :: x(3)

  call MPI_Init()
  x = .true.
  call bracket_reduce(MPI_COMM_WORLD, x, result)
  print '(a)', 'went on'
  call MPI_Finalize()
end program
