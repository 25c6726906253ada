# SPDX-License-Identifier: MIT

# Any other exported symbol could clash with a symbol of the program's other libraries.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY}
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE symbols)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
list(FILTER lines EXCLUDE REGEX " T bracket_[a-z_]+$")
if(lines OR NOT symbols MATCHES "bracket_reducer_create")
  message(FATAL_ERROR "libbracket shows: ${lines}")
endif()
