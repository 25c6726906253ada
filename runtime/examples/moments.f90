! SPDX-License-Identifier: MIT

! Mean and variance of 1 / k for k from 1 to N, by an operator of the program. The program exists in
! C, C++, Fortran and Python.
!
!   moments [N] [PLAN.json]
!
! It prints the same lines on any number of ranks, and with any plan file of `bracket tune` for N
! elements in tree order. Compile it with -ffp-contract=off, as for any own operator.
module moments_of_elements
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: moments
    real(c_double) :: count
    real(c_double) :: mean
    real(c_double) :: squares  ! of the differences to the mean
  end type

contains

  subroutine merge_moments(left, right, result, context) bind(c)
    type(c_ptr), value :: left, right, result, context
    type(moments), pointer :: a, b, both
    real(c_double) :: apart

    call c_f_pointer(left, a)
    call c_f_pointer(right, b)
    call c_f_pointer(result, both)
    apart = b%mean - a%mean
    both%count = a%count + b%count
    both%mean = a%mean + apart * b%count / both%count
    both%squares = (a%squares + b%squares) + apart * apart * a%count * b%count / both%count
    if (c_associated(context)) error stop 'there is no context'
  end subroutine
end module

program mean_and_variance
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use bracket
  use moments_of_elements
  implicit none

  integer :: rank, ranks, printer
  integer(int64) :: elements, first, last, i
  type(moments), allocatable :: mine(:)
  type(moments) :: whole
  type(bracket_planned) :: planned
  type(bracket_settings) :: settings
  type(bracket_reducer) :: all_moments
  character(4096) :: argument

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  elements = 1000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) elements
  end if

  ! Without a plan file, each rank has a block of the elements.
  first = elements * rank / ranks + 1
  last = elements * (rank + 1) / ranks
  if (command_argument_count() > 1) then
    call get_command_argument(2, argument)
    call planned%read(MPI_COMM_WORLD, trim(argument), elements)
    call planned%held(first, last)
    settings%planned = planned
  end if

  allocate (mine(last - first + 1))
  do i = first, last
    mine(i - first + 1) = moments(1, 1 / real(i, real64), 0)
  end do
  call all_moments%create_own(MPI_COMM_WORLD, mine, merge_moments, settings=settings)
  call all_moments%run(mine, whole)
  ! Rank 0, or the plan's root, prints.
  call MPI_Allreduce(merge(rank, ranks, all_moments%delivers()), printer, 1, MPI_INTEGER, MPI_MIN, &
                     MPI_COMM_WORLD)
  if (rank == printer) then
    print '(a, z16.16)', 'mean ', whole%mean
    print '(a, z16.16)', 'variance ', whole%squares / whole%count
  end if
  call all_moments%free()
  call planned%free()
  call MPI_Finalize()
end program
