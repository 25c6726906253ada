function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect wanted)
  if(NOT output STREQUAL wanted)
    message(FATAL_ERROR "the program printed: ${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
set(mpi)
if(MPI_COMPILER)
  set(mpi -DMPI_CXX_COMPILER=${MPI_COMPILER})
endif()
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_FLAGS=${FLAGS} ${mpi})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)
expect("1401 messages, verified\n")
# The installed command finds the programs it hands over to.
if(EXISTS ${SCRATCH}/prefix/libexec/bracket/bracket-simulate)
  run(${SCRATCH}/prefix/bin/bracket simulate -N 100 -p 4 --json)
  if(NOT output MATCHES "\"simulated_seconds\"")
    message(FATAL_ERROR "the installed command printed: ${output}")
  endif()
endif()

# From C and Fortran, by pkg-config alone: in_language(LANGUAGE PACKAGE SOURCE).
find_program(PKG_CONFIG pkg-config)
set(ENV{PKG_CONFIG_PATH} ${SCRATCH}/prefix/${LIBRARIES}/pkgconfig)
function(in_language language package source)
  if(MPI_${language}_COMPILER AND PKG_CONFIG)
    run(${PKG_CONFIG} --cflags --libs ${package})
    separate_arguments(flags UNIX_COMMAND "${${language}_FLAGS} ${output}")
    run(${MPI_${language}_COMPILER} ${CONSUMER}_${source} ${flags} -o ${SCRATCH}/sum)
    run(${LAUNCHER} ${SCRATCH}/sum)
    expect("3\n")
  endif()
endfunction()
in_language(C bracket c/sum.c)
in_language(Fortran bracket-fortran fortran/sum.f90)

# And by CMake.
if(MPI_Fortran_COMPILER)
  run(${CMAKE_COMMAND} -S ${CONSUMER}_fortran -B ${SCRATCH}/fortran -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_C_FLAGS=${C_FLAGS}
    -DCMAKE_Fortran_FLAGS=${Fortran_FLAGS} -DMPI_C_COMPILER=${MPI_C_COMPILER}
    -DMPI_Fortran_COMPILER=${MPI_Fortran_COMPILER})
  run(${CMAKE_COMMAND} --build ${SCRATCH}/fortran)
  foreach(language c fortran)
    run(${LAUNCHER} ${SCRATCH}/fortran/sum_${language})
    expect("3\n")
  endforeach()
endif()

# The installed Python package stands alone.
if(PYTHON)
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${SCRATCH}/prefix/${PYTHON_PACKAGES} ${PYTHON} -c
    "import bracket\nprint(bracket.__file__, bracket.dot(1.5, 2.0))")
  if(NOT output STREQUAL
     "${SCRATCH}/prefix/${PYTHON_PACKAGES}/bracket/__init__.py 3.0\n")
    message(FATAL_ERROR "the installed Python package printed: ${output}")
  endif()
endif()
file(REMOVE_RECURSE ${SCRATCH})
