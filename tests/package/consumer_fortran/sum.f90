! SPDX-License-Identifier: MIT

program sum_of_ranks
  use mpi_f08
  use bracket
  implicit none
  integer :: rank
  double precision :: mine, total

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  mine = rank + 1
  call bracket_reduce(MPI_COMM_WORLD, mine, total)
  if (rank == 0) print '(i0)', nint(total)
  call MPI_Finalize()
end program
