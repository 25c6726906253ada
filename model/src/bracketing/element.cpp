// SPDX-License-Identifier: MIT

#include "bracket/model/element.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr TypeEntry type_table[] = {
    {{"int32", "", "whole numbers, which must fit", "Bracket"}, 4, true},
    {{"int64", "", "whole numbers, which must fit", "Bracket"}, 8, true},
    {{"float32", "", "rounded, if the input is float64", "IEEE 754-2019"}, 4, false},
    {{"float64", "", "as in the input", "IEEE 754-2019"}, 8, false},
    {{"complex64", "", "two numbers per element, each rounded to float32", "Bracket"}, 8, false},
    {{"complex128", "", "two numbers per element", "Bracket"}, 16, false},
    {{"uint32", "", "unsigned whole numbers, which must fit", "Bracket"}, 4, true},
    {{"uint64", "", "unsigned whole numbers, which must fit", "Bracket"}, 8, true},
};

constexpr OpEntry op_table[] = {
    {{"sum", "", "sum of all elements", "Bracket"}},
    {{"product", "", "product of all elements", "Bracket"}},
    {{"minimum", "", "smallest element: a NaN wins, -0 is below +0", "IEEE 754-2019"}},
    {{"maximum", "", "largest element: a NaN wins, -0 is below +0", "IEEE 754-2019"}},
    {{"minimum-location", "", "smallest element and its lowest index", "Bracket"}},
    {{"maximum-location", "", "largest element and its lowest index", "Bracket"}},
    {{"digest", "", "hash of the elements and of their sequence", "Bracket"}},
};

/// The row of `name` in the table of its enumerators. `kind` is for errors.
template <class Row, class Name>
const Row& row_of(std::span<const Row> table, Name name, std::string_view kind) {
  const auto number = static_cast<std::size_t>(name);
  if (number >= table.size()) throw Error(text("there is no ", kind, " of number ", number));
  return table[number];
}

template <class Name, class Row>
Name named(std::span<const Row> table, std::string_view name, std::string_view kind) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].entry.name == name) return static_cast<Name>(i);
  }
  throw Error(unknown_name(kind, name, table));
}

}  // namespace

std::span<const TypeEntry> types() { return type_table; }

std::span<const OpEntry> operators() { return op_table; }

std::string_view name_of(Type type) { return row_of(types(), type, "type").entry.name; }

std::string_view name_of(Op op) { return row_of(operators(), op, "operator").entry.name; }

Type type_named(std::string_view name) { return named<Type>(types(), name, "type"); }

Op op_named(std::string_view name) { return named<Op>(operators(), name, "operator"); }

std::size_t bytes_of(Type type) { return row_of(types(), type, "type").bytes; }

bool is_integer(Type type) { return row_of(types(), type, "type").integer; }

}  // namespace bracket
