# SPDX-License-Identifier: MIT

# A weak symbol in a kernel's object file is code for one instruction set, but the linker may use it
# for all of them.
set(seen 0)
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "avx")
    continue()
  endif()
  math(EXPR seen "${seen} + 1")
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES " [DR] bracket::runtime::kernel_folds::")
    message(FATAL_ERROR "${object} defines no kernel:\n${symbols}")
  endif()
  # Not code: a pointer that a library of the compiler keeps.
  string(REGEX REPLACE "[^\n]* V DW\\.ref[^\n]*" "" symbols "${symbols}")
  if(symbols MATCHES " [WVu] [^\n]*")
    message(FATAL_ERROR "${object} shares ${CMAKE_MATCH_0}")
  endif()
endforeach()
if(NOT seen EQUAL EXPECTED)
  message(FATAL_ERROR "${seen} object files of AVX kernels, not ${EXPECTED}: ${OBJECTS}")
endif()
