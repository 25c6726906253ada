// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/range.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// A vector of `Isa::bytes` bytes, in a register and at any address of a number.
template <class Number, class Isa>
struct VectorTypes {
  typedef Number Vector __attribute__((vector_size(Isa::bytes)));
  typedef Number Anywhere
      __attribute__((vector_size(Isa::bytes), aligned(alignof(Number)), may_alias));

  [[gnu::always_inline]] static Vector load(const Number* x) {
    return *reinterpret_cast<const Anywhere*>(x);
  }
};

/// The elements that a fold reads: those at an address.
template <class Number, class Isa>
struct Elements {
  static constexpr int arrays = 1;

  const Number* x;

  [[gnu::always_inline]] Elements operator+(Index distance) const { return {x + distance}; }

  /// The first element, and the first vector of elements.
  [[gnu::always_inline]] Number number() const { return *x; }
  [[gnu::always_inline]] auto vector() const { return VectorTypes<Number, Isa>::load(x); }

  /// Prefetches the cache line that is `bytes` bytes after the first element, in each array.
  [[gnu::always_inline]] void prefetch(Index bytes) const {
    __builtin_prefetch(reinterpret_cast<const char*>(x) + bytes);
  }
};

/// The products of the elements at two addresses.
template <class Number, class Isa>
struct Products {
  static constexpr int arrays = 2;

  const Number* x;
  const Number* y;

  [[gnu::always_inline]] Products operator+(Index distance) const {
    return {x + distance, y + distance};
  }
  [[gnu::always_inline]] Number number() const { return *x * *y; }
  [[gnu::always_inline]] auto vector() const {
    using Types = VectorTypes<Number, Isa>;
    return typename Types::Vector(Types::load(x) * Types::load(y));
  }
  [[gnu::always_inline]] void prefetch(Index bytes) const {
    __builtin_prefetch(reinterpret_cast<const char*>(x) + bytes);
    __builtin_prefetch(reinterpret_cast<const char*>(y) + bytes);
  }
};

}  // namespace bracket::runtime::kernel_folds
