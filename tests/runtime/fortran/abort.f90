! A failure without `stat`: its words are on standard error, and the program ends with code 2.
program abort
  use mpi_f08
  use bracket
  implicit none
  real :: x(3), result

  call MPI_Init()
  x = 1
  call bracket_reduce(MPI_COMM_WORLD, x, result, upper=[4])
  print '(a)', 'went on'
  call MPI_Finalize()
end program
