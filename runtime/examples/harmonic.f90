! SPDX-License-Identifier: MIT

! Sums 1 / k for k from 1 to N without an array of these numbers. The program exists in C, C++,
! Fortran and Python. It prints the same lines on any number of ranks.
program harmonic
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use bracket
  implicit none

  integer :: rank, ranks
  integer(int64) :: elements, first, last, k
  real(real64) :: sum_binned, sum_tree
  type(bracket_accumulator) :: binned, tree
  character(20) :: argument

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  elements = 1000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) elements
  end if

  ! The ranks take turns: binned sums do not depend on the sequence.
  call binned%create(0.0_real64, settings=bracket_settings('binned'))
  do k = rank + 1, elements, ranks
    call binned%add(1 / real(k, real64))
  end do

  ! Each rank has a slab of the sequence, which begins at a global position.
  first = elements * rank / ranks + 1
  last = elements * (rank + 1) / ranks
  call tree%create(0.0_real64, first)
  do k = first, last
    call tree%add(1 / real(k, real64))
  end do

  call binned%reduce(MPI_COMM_WORLD, sum_binned)
  call tree%reduce(MPI_COMM_WORLD, sum_tree)
  if (rank == 0) then
    print '(a, z16.16)', 'binned ', sum_binned
    print '(a, z16.16)', 'tree ', sum_tree
  end if
  call binned%free()
  call tree%free()
  call MPI_Finalize()
end program
