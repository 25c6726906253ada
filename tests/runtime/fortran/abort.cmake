# SPDX-License-Identifier: MIT

function(expect words_expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE words)
  if(NOT code EQUAL 2 OR output MATCHES "went on" OR NOT words MATCHES "${words_expected}")
    message(FATAL_ERROR "code ${code}, output ${output}, on stderr ${words}")
  endif()
endfunction()
expect("field 1: elements: neither integer, real nor complex" ${LAUNCHER} ${PROGRAM})
expect("a bracket_reducer is not copied: create another" ${LAUNCHER} ${PROGRAM} copy)
expect("MPI was not initialised" ${PROGRAM} early)
