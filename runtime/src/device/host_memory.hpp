// SPDX-License-Identifier: MIT

#pragma once

namespace bracket::runtime::device {

/// Looks up where the heap and the stack of this process lie. Allocates memory.
void find_host_memory();

/// Returns true for an address in the heap and, on the main thread, in the stack of a caller: no
/// driver puts the memory of a device there. Returns false for all other memory, such as large
/// arrays. Takes some nanoseconds after `find_host_memory`.
[[nodiscard]] bool is_in_heap_or_stack(const void* address);

}  // namespace bracket::runtime::device
