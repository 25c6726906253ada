# SPDX-License-Identifier: MIT

# Compiles refused_types.cpp, and reducer.hpp in an older C++, and searches the errors for the
# expected words.
list(TRANSFORM INCLUDES PREPEND -I)
execute_process(COMMAND ${COMPILER} -std=c++20 ${INCLUDES} -fsyntax-only ${SOURCE}
  RESULT_VARIABLE code ERROR_VARIABLE words)
foreach(expected
    "must be trivially copyable"
    "the library's operators take integers of 32 and 64 bits"
    "complex numbers have no minimum"
    "must be callable where it is const.*must be callable where it is const")
  if(code EQUAL 0 OR NOT words MATCHES "${expected}")
    message(FATAL_ERROR "not said: ${expected}\n${words}")
  endif()
endforeach()
foreach(header reducer any_reducer)
  execute_process(COMMAND ${COMPILER} -std=c++17 ${INCLUDES} -fsyntax-only -x c++
      -include bracket/runtime/${header}.hpp /dev/null
    RESULT_VARIABLE code ERROR_VARIABLE words)
  string(REGEX MATCH "error:[^\n]*" first "${words}")
  if(code EQUAL 0 OR NOT first MATCHES "Bracket needs C\\+\\+20: -std=c\\+\\+20")
    message(FATAL_ERROR "in C++17 the first error was ${first}")
  endif()
endforeach()
