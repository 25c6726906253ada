#pragma once

#include <vector>

#include "bracket/model/range.hpp"

namespace bracket {

/// Bytes of the last cache of this processor; 0 if the system does not say.
Index last_cache_bytes();

/// Memory of at least twice the last cache. Writing to it drives everything else out of the caches.
class CacheFlush {
 public:
  /// Throws `Error` if there is no memory.
  CacheFlush();

  void operator()();

 private:
  std::vector<unsigned char> bytes_;
};

}  // namespace bracket
