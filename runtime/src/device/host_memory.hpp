// SPDX-License-Identifier: MIT

#pragma once

namespace bracket::runtime::device {

/// Looks up where the heap and the stack of this process lie. Allocates memory.
void find_host_memory();

/// Whether an address lies in the heap or, seen from the main thread, in the stack of a function
/// that has called this one: no driver puts the memory of a device there. False for all other
/// memory, such as large arrays. Takes some nanoseconds, but the first call of the two is slow.
[[nodiscard]] bool is_in_heap_or_stack(const void* address);

}  // namespace bracket::runtime::device
