// SPDX-License-Identifier: MIT

#include "measure/caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

constexpr Index mebibyte = Index{1} << 20;
constexpr std::size_t least_cache_line = 32;  // in bytes

}  // namespace

Index last_cache_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  return std::max<Index>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
#else
  return 0;
#endif
}

Index first_cache_bytes() {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  if (const Index bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0) return bytes;
#endif
  return 32 * 1024;
}

CacheFlush::CacheFlush() {
  const Index bytes = std::clamp(2 * last_cache_bytes(), 64 * mebibyte, 1024 * mebibyte);
  try {
    bytes_.resize(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc&) {
    throw Error(text("no memory for the ", bytes, " bytes that empty the caches"));
  }
}

void CacheFlush::operator()() {
  volatile unsigned char* const bytes = bytes_.data();
  for (std::size_t i = 0; i < bytes_.size(); i += least_cache_line) bytes[i] = bytes[i] + 1;
}

}  // namespace bracket::runtime
