# SPDX-License-Identifier: MIT

# Runs PROGRAM at each of RANKS. It must print the same line, of equal sums or why it is skipped.
set(expected)
foreach(ranks IN LISTS RANKS)
  execute_process(COMMAND ${LAUNCHER} ${ranks} ${PROGRAM}
    COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  if(NOT expected)
    set(expected "${output}")
  elseif(NOT output STREQUAL expected)
    message(FATAL_ERROR "${PROGRAM} on ${ranks} ranks printed\n${output}instead of\n${expected}")
  endif()
endforeach()
if(expected MATCHES "^skipped: ")
  return()
endif()
string(REGEX MATCHALL "[0-9A-F]+" sums "${expected}")
list(LENGTH sums count)
list(REMOVE_DUPLICATES sums)
list(LENGTH sums different)
if(count LESS 2 OR NOT different EQUAL 1)
  message(FATAL_ERROR "not several equal sums: ${expected}")
endif()
