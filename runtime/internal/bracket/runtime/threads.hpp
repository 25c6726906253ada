// SPDX-License-Identifier: MIT

#pragma once

#include <type_traits>

#include "bracket/model/range.hpp"

namespace bracket::runtime {

/// Largest number of threads of a rank.
inline constexpr int most_threads = 4096;

/// Whether this build has OpenMP, so that a rank can have several threads.
bool have_threads();

/// Throws `Error` unless `threads` is at least 1 and at most `most_threads`, or exactly 1 if the
/// library was built without OpenMP.
void check_threads(int threads);

/// Calls `body(context, part)` for each part from 0 to `parts` − 1, and returns when all are done.
/// Each thread gets contiguous parts. An exception of a part is thrown here.
void for_each_part(int threads, Index parts, void (*body)(void* context, Index part),
                   void* context);

/// Calls any function object in this way, without allocating memory for it.
template <class Body>
void for_each_part(int threads, Index parts, Body&& body) {
  using Object = std::remove_reference_t<Body>;
  for_each_part(
      threads, parts, [](void* context, Index part) { (*static_cast<Object*>(context))(part); },
      &body);
}

}  // namespace bracket::runtime
