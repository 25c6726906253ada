// SPDX-License-Identifier: MIT

// A library with the name of CUDA's driver. It says that every address lies on device 3, and counts
// the questions.

extern "C" {

int bracket_questions = 0;

int cuPointerGetAttribute(unsigned* value, int attribute, const void*) {
  ++bracket_questions;
  constexpr int memory_type = 2;
  constexpr int device_ordinal = 9;
  constexpr unsigned of_device = 2;
  *value = attribute == memory_type ? of_device : attribute == device_ordinal ? 3 : 0;
  return 0;
}
}
