# SPDX-License-Identifier: MIT

# Runs each of PROGRAMS, by PYTHON if it is a script, at each of RANKS with CELLS cells or elements.
# All must print the same lines, which match PATTERN. Of many cells, the first two sums must differ.
# If the program PLANNER, `bracket`, was built, the programs also run at the last of RANKS with plan
# files, which it writes to PLAN.
set(expected)
function(run_program program command ranks)
  execute_process(COMMAND ${LAUNCHER} ${ranks} ${command} ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  if(NOT expected)
    set(expected "${output}" PARENT_SCOPE)
  elseif(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} ${ARGN} on ${ranks} ranks printed\n${output}instead of\n${expected}")
  endif()
endfunction()
foreach(program IN LISTS PROGRAMS)
  set(command ${program})
  if(program MATCHES "[.]py$")
    set(command ${PYTHON} -B ${program})
  endif()
  foreach(count IN LISTS RANKS)
    set(ranks ${count})
    run_program(${program} "${command}" ${ranks} ${CELLS})
  endforeach()
  if(EXISTS "${PLANNER}")
    math(EXPR root "${ranks} - 1")
    foreach(delivery "--all" "--root=${root}")
      execute_process(COMMAND ${PLANNER} tune -N ${CELLS} -p ${ranks} ${delivery} --plan binomial
        --plan-file ${PLAN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
      run_program(${program} "${command}" ${ranks} ${CELLS} ${PLAN})
    endforeach()
  endif()
endforeach()
if(NOT expected MATCHES "${PATTERN}")
  message(FATAL_ERROR "not the lines ${PATTERN}: ${expected}")
endif()
if(CELLS GREATER 100 AND CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_2)
  message(FATAL_ERROR "the tree's sum is the binned one: the values must differ more")
endif()
