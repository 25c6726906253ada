// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace bracket::runtime {

/// Memory of zeros with this alignment. Throws `std::bad_alloc`.
inline std::shared_ptr<void> make_zeroed(std::size_t bytes, std::size_t alignment) {
  const auto aligned = static_cast<std::align_val_t>(alignment);
  std::shared_ptr<void> memory(::operator new(bytes, aligned),
                               [aligned](void* place) { ::operator delete(place, aligned); });
  std::memset(memory.get(), 0, bytes);
  return memory;
}

}  // namespace bracket::runtime
