# SPDX-License-Identifier: MIT

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
# An installed tree can be moved: everything below uses it in another place.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/installed)
file(RENAME ${SCRATCH}/installed ${SCRATCH}/prefix)
# Neither programs nor files for CMake and pkg-config name a folder of the build or of the installation.
foreach(folder ${BUILD} ${SCRATCH}/installed)
  execute_process(COMMAND grep -rlF --binary-files=text ${folder} ${SCRATCH}/prefix
    OUTPUT_VARIABLE files)
  if(files)
    message(FATAL_ERROR "these installed files name ${folder}:\n${files}")
  endif()
endforeach()
# The names of a shared library: with its version, with the version of its interface, and none.
string(REGEX MATCH "^[0-9]+[.][0-9]+" interface ${VERSION})
file(GLOB shared ${SCRATCH}/prefix/${LIBRARIES}/lib*.so.${VERSION})
foreach(library IN LISTS shared)
  string(REGEX REPLACE "[.]so[.].*" ".so" name ${library})
  file(REAL_PATH ${name} file)
  if(NOT file STREQUAL library OR NOT EXISTS ${name}.${interface})
    message(FATAL_ERROR "${name} is not a link to ${library}, or ${name}.${interface} is missing")
  endif()
endforeach()
# The README's custom operator, whose result does not depend on the number of ranks.
file(READ ${README} readme)
string(REGEX MATCH "\n(// moments.cpp.*)```" program "${readme}")
string(REGEX REPLACE "```.*" "" program "${CMAKE_MATCH_1}")
file(WRITE ${SCRATCH}/moments.cpp "${program}")
set(moments "1000 elements, mean 0.0074854708605503447, variance 0.0015879022926774111\n")
set(mpi -DOWN_OPERATOR=${SCRATCH}/moments.cpp)
if(MPI_COMPILER)
  list(APPEND mpi -DMPI_CXX_COMPILER=${MPI_COMPILER})
endif()
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_FLAGS=${FLAGS} ${mpi})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)
expect("1401 messages, verified\n")
if(EXISTS ${SCRATCH}/build/uses_plan_file)
  run(${LAUNCHER} ${SCRATCH}/build/uses_plan_file ${SCRATCH}/plan.json)
  expect("10.5\n")
endif()
if(EXISTS ${SCRATCH}/build/own_operator)
  run(${LAUNCHER} ${SCRATCH}/build/own_operator)
  expect("${moments}")
endif()
# The installed command finds the programs that it starts.
if(EXISTS ${SCRATCH}/prefix/libexec/bracket/bracket-simulate)
  run(${SCRATCH}/prefix/bin/bracket simulate -N 100 -p 4 --json)
  if(NOT output MATCHES "\"simulated_seconds\"")
    message(FATAL_ERROR "the installed command printed: ${output}")
  endif()
endif()

# A project without SimGrid and nlohmann_json does not need them: finding(LANGUAGES COMPONENTS
# WORDS). If WORDS are given, the search must fail with them.
function(finding languages components words)
  file(REMOVE_RECURSE ${SCRATCH}/finding)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CONSUMER}/../finding -B ${SCRATCH}/finding
      -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_CXX_FLAGS=${FLAGS} ${mpi} "-DLANGUAGES=${languages}" "-DCOMPONENTS=${components}"
      -DCMAKE_DISABLE_FIND_PACKAGE_SimGrid=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
    RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${words}" place)
  if(words STREQUAL "" AND NOT code EQUAL 0 OR
     NOT words STREQUAL "" AND (code EQUAL 0 OR place LESS 0))
    message(FATAL_ERROR "find_package(bracket COMPONENTS ${components}) in ${languages}: ${output}")
  endif()
endfunction()
finding(CXX "" "")
finding(CXX "model;kernels" "")
finding(CXX "model;kernel" "bracket has no kernel: model;kernels;")
if(EXISTS ${SCRATCH}/prefix/${LIBRARIES}/cmake/bracket/bracketJsonTargets.cmake)
  finding(CXX json "bracket::json needs nlohmann_json, which was not found.")
endif()
if(MPI_COMPILER)
  finding(CXX runtime "")
endif()
if(MPI_C_COMPILER)
  finding(CXX c "bracket::c needs project(... LANGUAGES C).")
endif()
if(MPI_Fortran_COMPILER)
  finding(Fortran "" "Reason given by package: bracket::fortran needs project(... LANGUAGES C Fortran).")
  finding(Fortran fortran "bracket::fortran needs project(... LANGUAGES C Fortran).")
endif()

# Builds with pkg-config alone: in_language(LANGUAGE PACKAGE SOURCE PRINTED [ARGUMENT...]).
find_program(PKG_CONFIG pkg-config)
set(ENV{PKG_CONFIG_PATH} ${SCRATCH}/prefix/${LIBRARIES}/pkgconfig)
function(in_language language package source printed)
  if(MPI_${language}_COMPILER AND PKG_CONFIG)
    run(${PKG_CONFIG} --cflags --libs ${package})
    separate_arguments(flags UNIX_COMMAND "${${language}_FLAGS} ${output}")
    run(${MPI_${language}_COMPILER} ${source} ${flags} -o ${SCRATCH}/sum)
    run(${LAUNCHER} ${SCRATCH}/sum ${ARGN})
    expect("${printed}")
  endif()
endfunction()
in_language(C bracket ${CONSUMER}_c/sum.c "3\n")
in_language(Fortran bracket-fortran ${CONSUMER}_fortran/sum.f90 "3\n")
set(MPI_CXX_COMPILER ${MPI_COMPILER})
set(CXX_FLAGS ${FLAGS})
if(EXISTS ${SCRATCH}/build/uses_plan_file)
  in_language(CXX bracket-cpp ${CONSUMER}/plan_file.cpp "10.5\n" ${SCRATCH}/plan.json)
endif()
string(APPEND CXX_FLAGS " -std=c++20 -ffp-contract=off")
in_language(CXX bracket-cpp ${SCRATCH}/moments.cpp "${moments}")
if(MPI_CXX_COMPILER AND PKG_CONFIG)
  set(launch ${LAUNCHER})
  list(POP_BACK launch)
  foreach(ranks 1 3)
    run(${launch} ${ranks} ${SCRATCH}/sum)
    expect("${moments}")
  endforeach()
endif()
foreach(document LICENSE examples/total.cpp)
  if(NOT EXISTS ${SCRATCH}/prefix/share/doc/bracket/${document})
    message(FATAL_ERROR "share/doc/bracket/${document} is not installed")
  endif()
endforeach()

# Build with CMake, too.
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

# The installed Python package needs no other part.
if(PYTHON)
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${SCRATCH}/prefix/${PYTHON_PACKAGES} ${PYTHON} -c
    "import bracket\nprint(bracket.__file__, bracket.dot(1.5, 2.0))")
  if(NOT output STREQUAL
     "${SCRATCH}/prefix/${PYTHON_PACKAGES}/bracket/__init__.py 3.0\n")
    message(FATAL_ERROR "the installed Python package printed: ${output}")
  endif()
endif()
file(REMOVE_RECURSE ${SCRATCH})
