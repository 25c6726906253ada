! SPDX-License-Identifier: MIT

program test_fortran
  use support
  use arrays_test
  use reducers_test
  use errors_test
  use accumulators_test
  use own_operators_test
  use planned_test
  implicit none

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call test_arrays()
  call test_reducers()
  call test_own_operators()
  call test_errors()
  call test_accumulators()
#ifdef BRACKET_TEST_PLAN_FILES
  call test_planned()
#endif
  if (failures > 0) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Finalize()
end program
