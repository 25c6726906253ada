// SPDX-License-Identifier: MIT

#include "bracket/runtime/host_memory.hpp"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace bracket::runtime::device {

namespace {

/// From /proc/self/stat (proc(5)). The second field, a name in brackets, may have spaces in it.
void look_up() {
  constexpr int field_of_stack = 28;
  constexpr int field_of_heap = 47;
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return;
  std::istringstream words(line.substr(name_end + 1));
  std::string word;
  for (int field = 3; field <= field_of_heap && words >> word; ++field) {
    if (field == field_of_stack) host_memory.stack_begin = std::stoull(word);
    if (field == field_of_heap) host_memory.heap_begin = std::stoull(word);
  }
}

}  // namespace

constinit HostMemory host_memory;

void find_host_memory() {
  static const bool found = (look_up(), true);
  static_cast<void>(found);
}

bool is_below_end_of_heap(std::uintptr_t address) {
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  host_memory.heap_end.store(end, std::memory_order_relaxed);
  return address < end;
}

}  // namespace bracket::runtime::device
