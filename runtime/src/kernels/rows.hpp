// SPDX-License-Identifier: MIT

#pragma once

#include <cstring>

#include "bracket/runtime/kernel.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// As `CopyRows` says. The last vector of a row overlaps the one before. Unlike `memcpy`, this
/// begins with the first byte of each row, so that processors fetch the rows of a large array
/// ahead.
template <class Isa>
void copy_rows(const std::byte* from, Index distance, Index rows, Index bytes, std::byte* to) {
  typedef unsigned char Vector __attribute__((vector_size(Isa::bytes)));
  typedef unsigned char Anywhere __attribute__((vector_size(Isa::bytes), aligned(1), may_alias));
  const auto copy = [](const std::byte* source, std::byte* target) __attribute__((always_inline)) {
    Vector vector = *reinterpret_cast<const Anywhere*>(source);
    Isa::keep(vector);  // or the compiler would call memcpy
    *reinterpret_cast<Anywhere*>(target) = vector;
  };
  for (Index row = 0; row < rows; ++row, from += distance, to += bytes) {
    if (bytes < Isa::bytes) {
      if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
      continue;
    }
    const Index last = bytes - Isa::bytes;
    for (Index i = 0; i < last; i += Isa::bytes) {
      copy(from + i, to + i);
    }
    copy(from + last, to + last);
  }
}

}  // namespace bracket::runtime::kernel_folds
