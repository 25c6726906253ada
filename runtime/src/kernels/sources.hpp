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

  /// The first numbers, fewer than lanes, with zeros behind them.
  [[gnu::always_inline]] static Vector load(const Number* x, Index count) {
    return Isa::load_some(x, count);
  }
};

/// The elements that a fold reads: those at an address.
template <class Number, class Isa>
struct Elements {
  static constexpr int arrays = 1;
  static constexpr int parts = 1;  // numbers that a binned sum adds for an element

  const Number* x;

  [[gnu::always_inline]] Elements operator+(Index distance) const { return {x + distance}; }

  /// The same elements, in the vectors of another type.
  template <class Other>
  [[gnu::always_inline]] auto by() const {
    return Elements<Number, Other>{x};
  }

  /// The first element, and the first vector of elements.
  [[gnu::always_inline]] Number number() const { return *x; }
  [[gnu::always_inline]] auto vector() const { return VectorTypes<Number, Isa>::load(x); }

  /// The first elements, fewer than lanes, with zeros behind them. Reads no others.
  [[gnu::always_inline]] auto vector(Index count) const {
    return VectorTypes<Number, Isa>::load(x, count);
  }

  /// Prefetches the cache line that is `bytes` bytes after the first element, in each array.
  [[gnu::always_inline]] void prefetch(Index bytes) const {
    __builtin_prefetch(reinterpret_cast<const char*>(x) + bytes);
  }
};

/// The float32 elements at an address, as float64.
template <class Isa>
struct Widened {
  static constexpr int arrays = 1;

  const float* x;

  [[gnu::always_inline]] Widened operator+(Index distance) const { return {x + distance}; }
  [[gnu::always_inline]] double number() const { return *x; }
  [[gnu::always_inline]] auto vector() const {
    typedef float Half
        __attribute__((vector_size(Isa::bytes / 2), aligned(alignof(float)), may_alias));
    using Vector = typename VectorTypes<double, Isa>::Vector;
    return __builtin_convertvector(*reinterpret_cast<const Half*>(x), Vector);
  }
};

/// The products of the float32 elements at two addresses, as float64.
template <class Isa>
struct WidenedProducts {
  static constexpr int arrays = 2;

  Widened<Isa> x;
  Widened<Isa> y;

  [[gnu::always_inline]] WidenedProducts operator+(Index distance) const {
    return {x + distance, y + distance};
  }
  [[gnu::always_inline]] double number() const { return x.number() * y.number(); }
  [[gnu::always_inline]] auto vector() const { return x.vector() * y.vector(); }
};

/// The products of the elements at two addresses.
template <class Number, class Isa>
struct Products {
  static constexpr int arrays = 2;
  static constexpr int parts = 1;

  const Number* x;
  const Number* y;

  [[gnu::always_inline]] Products operator+(Index distance) const {
    return {x + distance, y + distance};
  }
  template <class Other>
  [[gnu::always_inline]] auto by() const {
    return Products<Number, Other>{x, y};
  }
  [[gnu::always_inline]] Number number() const { return *x * *y; }
  [[gnu::always_inline]] auto vector() const {
    using Types = VectorTypes<Number, Isa>;
    return typename Types::Vector(Types::load(x) * Types::load(y));
  }
  [[gnu::always_inline]] auto vector(Index count) const {
    using Types = VectorTypes<Number, Isa>;
    return typename Types::Vector(Types::load(x, count) * Types::load(y, count));
  }
  [[gnu::always_inline]] void prefetch(Index bytes) const {
    __builtin_prefetch(reinterpret_cast<const char*>(x) + bytes);
    __builtin_prefetch(reinterpret_cast<const char*>(y) + bytes);
  }
};

/// The products of the elements at two addresses, without rounding: each is a rounded product and
/// its error.
template <class Isa>
struct ExactProducts {
  static constexpr int arrays = 2;
  static constexpr int parts = 2;

  const double* x;
  const double* y;

  [[gnu::always_inline]] ExactProducts operator+(Index distance) const {
    return {x + distance, y + distance};
  }
  template <class Other>
  [[gnu::always_inline]] auto by() const {
    return ExactProducts<Other>{x, y};
  }
  [[gnu::always_inline]] auto vector() const { return Products<double, Isa>{x, y}.vector(); }
  [[gnu::always_inline]] auto vector(Index count) const {
    return Products<double, Isa>{x, y}.vector(count);
  }
  [[gnu::always_inline]] void prefetch(Index bytes) const {
    Products<double, Isa>{x, y}.prefetch(bytes);
  }

  /// The errors of the rounded products, which must be finite. They are exact unless they are below
  /// the least subnormal.
  [[gnu::always_inline]] auto error(typename VectorTypes<double, Isa>::Vector products) const {
    using Types = VectorTypes<double, Isa>;
    return typename Types::Vector(Isa::error(Types::load(x), Types::load(y), products));
  }
  [[gnu::always_inline]] auto error(typename VectorTypes<double, Isa>::Vector products,
                                    Index count) const {
    using Types = VectorTypes<double, Isa>;
    return
        typename Types::Vector(Isa::error(Types::load(x, count), Types::load(y, count), products));
  }
};

/// The first elements of a source, fewer than lanes, with zeros behind them.
template <class Source>
struct Beginning : Source {
  Index count;

  [[gnu::always_inline]] Beginning operator+(Index distance) const {
    return {Source::operator+(distance), count - distance};
  }
  [[gnu::always_inline]] auto vector() const { return Source::vector(count); }
  template <class Vector>
  [[gnu::always_inline]] auto error(Vector products) const {
    return Source::error(products, count);
  }
};

}  // namespace bracket::runtime::kernel_folds
