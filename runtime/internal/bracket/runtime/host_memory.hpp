// SPDX-License-Identifier: MIT

#pragma once

#include <atomic>
#include <cstdint>

namespace bracket::runtime::device {

/// Places that do not change as long as the process lives, but for the end of the heap. 0 if they
/// are not known.
struct HostMemory {
  std::uintptr_t heap_begin = 0;
  std::atomic<std::uintptr_t> heap_end = 0;  ///< when it was looked up last
  std::uintptr_t stack_begin = 0;            ///< the highest address: stacks grow down
};
extern constinit HostMemory host_memory;

/// Looks up where the heap and the stack of this process lie. Allocates memory.
void find_host_memory();

/// Whether an address lies in the heap, if it is above the beginning of the heap. Asks the system
/// for the end of the heap.
[[nodiscard]] bool is_below_end_of_heap(std::uintptr_t address);

/// Returns true for an address in the first 64 GiB of the heap and, on the main thread, in the
/// stack of a caller: no driver puts the memory of a device there. Returns false for all other
/// memory, such as large arrays. Call `find_host_memory` first.
[[nodiscard]] inline bool is_in_heap_or_stack(const void* address) {
  constexpr std::uintptr_t most_of_stack = 1 << 20;  // stacks of other threads lie further away
  // Large arrays mostly lie further away. UCX, where it is loaded, takes as long to say where the
  // heap ends as a short reduction takes.
  constexpr std::uintptr_t most_of_heap = std::uintptr_t{1} << 36;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const HostMemory& known = host_memory;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool on_main_stack = here < known.stack_begin && known.stack_begin - here < most_of_stack;
  if (on_main_stack && number >= here && number < known.stack_begin) return true;
  if (known.heap_begin == 0 || number < known.heap_begin) return false;
  if (number - known.heap_begin >= most_of_heap) return false;
  return number < known.heap_end.load(std::memory_order_relaxed) || is_below_end_of_heap(number);
}

}  // namespace bracket::runtime::device
