# A weak symbol of ours in a kernel's object file is code for one instruction set that the linker
# may take for everybody.
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "avx")
    continue()
  endif()
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES " [DR] bracket::kernel_folds::")
    message(FATAL_ERROR "${object} defines no kernel:\n${symbols}")
  endif()
  if(symbols MATCHES " [WVu] [^\n]*bracket")
    message(FATAL_ERROR "${object} shares ${CMAKE_MATCH_0}")
  endif()
endforeach()
