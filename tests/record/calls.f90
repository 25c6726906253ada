! SPDX-License-Identifier: MIT

! Calls reductions by both interfaces of Fortran, on 3 ranks. The test knows the inputs and results.

subroutine old_interface(rank)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: rank
  double precision :: mine, total
  integer :: request, error, status(MPI_STATUS_SIZE), first, second
  logical :: done

  mine = rank + 1
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Iallreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, status, error)
  call MPI_Iallreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, request, error)
  done = .false.
  do while (.not. done)
    call MPI_Test(request, done, status, error)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, first, error)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, second, error)
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_MAX, second, error)
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_MIN, first, error)
end subroutine

program calls
  use mpi_f08
  implicit none
  integer :: rank, counts(3)
  double precision :: mine, total, three(3)
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: third, fourth
  interface
    subroutine old_interface(rank)
      integer, intent(in) :: rank
    end subroutine
  end interface

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call old_interface(rank)
  mine = rank + 1
  three = [1, 2, 3]
  counts = [1, 0, 2]
  total = mine
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Reduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_PROD, 1, MPI_COMM_WORLD)
  call MPI_Scan(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Iallreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(1))
  call MPI_Ireduce(mine, three(1), 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  three = [1, 2, 3]
  call MPI_Reduce_scatter(MPI_IN_PLACE, three, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Comm_dup(MPI_COMM_WORLD, third)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, fourth)
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_MAX, fourth)
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_MIN, third)
  call MPI_Finalize()
end program
