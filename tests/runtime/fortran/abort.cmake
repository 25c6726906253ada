execute_process(COMMAND ${LAUNCHER} ${PROGRAM}
  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE words)
if(NOT code EQUAL 2 OR output MATCHES "went on" OR
   NOT words MATCHES "field 1: elements: neither integer, real nor complex")
  message(FATAL_ERROR "code ${code}, output ${output}, on stderr ${words}")
endif()
