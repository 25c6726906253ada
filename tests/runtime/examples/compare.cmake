# SPDX-License-Identifier: MIT

# Runs each of PROGRAMS, by PYTHON if it is a script, at each of RANKS with CELLS cells or elements.
# All must print the same lines, which match PATTERN. Of many cells, the first two sums must differ.
set(expected)
foreach(program IN LISTS PROGRAMS)
  set(command ${program})
  if(program MATCHES "[.]py$")
    set(command ${PYTHON} -B ${program})
  endif()
  foreach(ranks IN LISTS RANKS)
    execute_process(COMMAND ${LAUNCHER} ${ranks} ${command} ${CELLS}
      COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
    if(NOT expected)
      set(expected "${output}")
    elseif(NOT output STREQUAL expected)
      message(FATAL_ERROR "${program} on ${ranks} ranks printed\n${output}instead of\n${expected}")
    endif()
  endforeach()
endforeach()
if(NOT expected MATCHES "${PATTERN}")
  message(FATAL_ERROR "not the lines ${PATTERN}: ${expected}")
endif()
if(CELLS GREATER 100 AND CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_2)
  message(FATAL_ERROR "the tree's sum is the binned one: the values must differ more")
endif()
