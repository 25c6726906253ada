# A shared library that shows anything else could get in the way of another of the program's.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY}
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE symbols)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
list(FILTER lines EXCLUDE REGEX " T bracket_[a-z_]+$")
if(lines OR NOT symbols MATCHES "bracket_reducer_create")
  message(FATAL_ERROR "libbracket shows: ${lines}")
endif()
