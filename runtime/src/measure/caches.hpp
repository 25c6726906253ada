// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::runtime {

/// Bytes of the last-level cache of this processor; 0 if the system does not say.
Index last_cache_bytes();

/// Bytes of the first data cache of this processor; 32 KiB if the system does not say.
Index first_cache_bytes();

/// Memory of at least twice the last-level cache. Writing to it evicts all other data from the
/// caches.
class CacheFlush {
 public:
  /// Throws `Error` if there is not enough memory.
  CacheFlush();

  void operator()();

 private:
  std::vector<unsigned char> bytes_;
};

}  // namespace bracket::runtime
