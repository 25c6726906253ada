! SPDX-License-Identifier: MIT

! One program in C, C++, Fortran and Python. It prints the same lines on any number of ranks.
!
! A field of cells x levels, both counted from 0, has the values
!
!   h = (cell / 4 * 48271 + level * 16807 + 11) mod 2147483647
!   cell mod 4 = 0: h * 2^20    1: h / 2^30    2: -h * 2^20    3: -h / 2^40
!
! and the areas (cell + level) mod 5 / 4. Doubles hold all of them exactly. Large values cancel, and
! small values are lost beside them, so that another bracketing gives another sum.
program total
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use bracket
  implicit none

  integer, parameter :: levels = 7, ghosts = 2
  integer :: rank, ranks
  integer(int64) :: cells, first, own, i, level
  real(real64), allocatable :: values(:, :), areas(:, :)
  real(real64) :: sum, binned, double_double, stochastic, dot, minimum
  type(bracket_located_real64) :: maximum
  character(20) :: argument

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  cells = 1000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) cells
  end if
  first = cells * rank / ranks
  own = cells * (rank + 1) / ranks - first

  ! Levels come first here, since the first dimension varies fastest. The ghost cells after a rank's
  ! own cells belong to other ranks. Their values here would change the results.
  allocate (values(levels, own + ghosts), areas(levels, own + ghosts), source=1e300_real64)
  do i = 1, own
    do level = 1, levels
      values(level, i) = value(first + i - 1, level - 1)
      areas(level, i) = area(first + i - 1, level - 1)
    end do
  end do

  ! A section, which is not copied, excludes the ghost cells.
  associate (owned => values(:, 1:own), owned_areas => areas(:, 1:own))
    call bracket_reduce(MPI_COMM_WORLD, owned, sum)
    call bracket_reduce(MPI_COMM_WORLD, owned, binned, settings=bracket_settings('binned'))
    call bracket_reduce(MPI_COMM_WORLD, owned, double_double, &
                        settings=bracket_settings('double-double'))
    call bracket_reduce(MPI_COMM_WORLD, owned, stochastic, settings=bracket_settings('stochastic'))
    call bracket_reduce(MPI_COMM_WORLD, owned, dot, owned_areas)
    call bracket_reduce(MPI_COMM_WORLD, owned, minimum, op=bracket_minimum)
    call bracket_reduce(MPI_COMM_WORLD, owned, maximum, op=bracket_maximum_location)
  end associate
  if (rank == 0) then
    print '(a, z16.16)', 'sum ', sum
    print '(a, z16.16)', 'sum_binned ', binned
    print '(a, z16.16)', 'sum_double_double ', double_double
    print '(a, z16.16)', 'sum_stochastic ', stochastic
    print '(a, z16.16)', 'dot ', dot
    print '(a, z16.16)', 'minimum ', minimum
    ! Positions count from 1 in Fortran, and from 0 in the other languages.
    print '(a, z16.16, 1x, i0)', 'maximum_location ', maximum%value, maximum%index - 1
  end if
  call MPI_Finalize()

contains

  real(real64) function value(cell, level)
    integer(int64), intent(in) :: cell, level
    real(real64) :: h

    h = real(mod(cell / 4 * 48271 + level * 16807 + 11, 2147483647_int64), real64)
    select case (mod(cell, 4_int64))
    case (0)
      value = h * 2.0_real64**20
    case (1)
      value = h / 2.0_real64**30
    case (2)
      value = -h * 2.0_real64**20
    case default
      value = -h / 2.0_real64**40
    end select
  end function

  real(real64) function area(cell, level)
    integer(int64), intent(in) :: cell, level

    area = real(mod(cell + level, 5_int64), real64) / 4
  end function

end program
