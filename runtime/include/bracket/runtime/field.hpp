// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <optional>

#include "bracket/model/distribution.hpp"
#include "bracket/runtime/layout.hpp"
#include "bracket/runtime/settings.hpp"

namespace bracket {

/// One rank's description of a field.
struct Field {
  Layout elements;
  std::optional<Layout> factors;             ///< for products, the layout of the second array, with
                                             ///< as many elements in each dimension
  std::optional<Distribution> distribution;  ///< over all ranks; without a value, each rank's
                                             ///< elements follow those of the rank below
  std::optional<Op> op;                      ///< without a value, the reducer's operator

  Field(Layout layout);  // NOLINT: a layout names a field
  Field(Layout layout, Distribution held);

  // Compiled once, not in every program.
  ~Field();
  Field(const Field& other);
  Field(Field&& other) noexcept;
  Field& operator=(const Field& other);
  Field& operator=(Field&& other) noexcept;

  /// The products of two arrays, element by element.
  static Field products(Layout elements, Layout factors);

  /// This field with another operator than its reducer has. The results of both must have the same
  /// type: numbers or locations.
  [[nodiscard]] Field by(Op other) const;
};

/// Size of an array if the caller does not know it.
inline constexpr std::size_t unknown_size = static_cast<std::size_t>(-1);

/// Writes `count` elements of a field, from this rank's `first`-th on, to `into`.
using MakeElements = void(const void* function, Index first, Index count, void* into);

/// Addresses of the arrays of a field, from which their layouts count, and their sizes in bytes.
struct FieldArrays {
  const void* elements = nullptr;
  const void* factors = nullptr;  ///< null without products
  std::size_t element_bytes = unknown_size;
  std::size_t factor_bytes = unknown_size;
  MakeElements* make = nullptr;  ///< if not null, makes the elements by the function `elements`
};

}  // namespace bracket
