// SPDX-License-Identifier: MIT

#include "device/host_memory.hpp"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace bracket::runtime::device {

namespace {

/// Addresses that do not change as long as the process lives; 0 if they are not known.
struct Places {
  std::uintptr_t heap_begin = 0;
  std::uintptr_t stack_begin = 0;  ///< the highest address: stacks grow down
};

/// From /proc/self/stat (proc(5)). The second field, a name in brackets, may have spaces in it.
Places look_up() {
  constexpr int field_of_stack = 28;
  constexpr int field_of_heap = 47;
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream words(line.substr(name_end + 1));
  Places places;
  std::string word;
  for (int field = 3; field <= field_of_heap && words >> word; ++field) {
    if (field == field_of_stack) places.stack_begin = std::stoull(word);
    if (field == field_of_heap) places.heap_begin = std::stoull(word);
  }
  return places;
}

const Places& places() {
  static const Places found = look_up();
  return found;
}

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

bool is_in_heap(std::uintptr_t address) {
  const std::uintptr_t begin = places().heap_begin;
  return begin != 0 && address >= begin && address < number_of(sbrk(0));
}

bool is_in_stack(std::uintptr_t address) {
  // Stacks of other threads lie further away.
  constexpr std::uintptr_t most = 1 << 20;
  const std::uintptr_t begin = places().stack_begin;
  const std::uintptr_t here = number_of(__builtin_frame_address(0));
  return here < begin && begin - here < most && address >= here && address < begin;
}

}  // namespace

void find_host_memory() { places(); }

bool is_in_heap_or_stack(const void* address) {
  return is_in_heap(number_of(address)) || is_in_stack(number_of(address));
}

}  // namespace bracket::runtime::device
