// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bracket/model/spec.hpp"

namespace bracket {

/// Types of elements, in the sequence of their table.
enum class Type : std::uint8_t {
  int32,
  int64,
  float32,
  float64,
  complex64,  ///< two float32
  complex128,
  uint32,
  uint64
};

/// Operators that combine elements, in the sequence of their table.
enum class Op : std::uint8_t {
  sum,
  product,
  minimum,
  maximum,
  minimum_location,
  maximum_location,
  digest  ///< identifies the elements and their sequence
};

struct TypeEntry {
  CatalogueEntry entry;
  std::size_t bytes;
  bool integer;
};

struct OpEntry {
  CatalogueEntry entry;
};

/// Every type and operator by name.
std::span<const TypeEntry> types();
std::span<const OpEntry> operators();

/// "int32", …, "uint64"; "sum", …, "minimum-location", …, "digest". Throws `Error` for a number
/// that is no enumerator.
std::string_view name_of(Type type);
std::string_view name_of(Op op);

/// The type or operator of this name. Throws `Error` for an unknown name.
Type type_named(std::string_view name);
Op op_named(std::string_view name);

/// Size of an element. Throws `Error` as `name_of` does.
std::size_t bytes_of(Type type);
bool is_integer(Type type);

}  // namespace bracket
