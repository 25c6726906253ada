// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/support/error.hpp"

namespace bracket {

/// Written form of an order, plan or distribution: a name and its parameters, separated by colons
/// (`tree`, `optimized:0.2`, `buffered:4:64`).
struct Spec {
  std::string name;
  std::vector<std::string> parameters;

  /// Splits at the colons. Throws `Error` for an empty name.
  static Spec parse(std::string_view written);

  /// Throws `Error` if more than `limit` parameters were written.
  void expect_at_most(std::size_t limit) const;

  /// Parameter `position` as an integer of at least `least`, or `fallback` if it was not written.
  /// Throws `Error`, which names the parameter.
  [[nodiscard]] Index integer(std::size_t position, std::string_view what, Index fallback,
                              Index least) const;

  /// Parameter `position` as a finite number of at least zero, or `fallback` if it was not written.
  /// Throws `Error`, which names the parameter.
  [[nodiscard]] double number(std::size_t position, std::string_view what, double fallback) const;

  /// The written form.
  [[nodiscard]] std::string str() const;
};

/// Parses the whole of `written` as a decimal integer. Throws `Error`, in which `what` names the
/// thing.
Index parse_integer(std::string_view written, std::string_view what);

/// Parses the whole of `written` as a finite decimal number. Throws `Error`, in which `what` names
/// the thing.
double parse_number(std::string_view written, std::string_view what);

/// One row of a table of things with names.
struct CatalogueEntry {
  std::string_view name;
  std::string_view parameters;  ///< as written after the name, `[:alpha]`; empty if none
  std::string_view summary;     ///< one line
  std::string_view source;      ///< where it comes from
};

/// Names the rows with their parameters, for errors and help: "tree, chunked-tree:K or sequential".
std::string alternatives(std::span<const CatalogueEntry> rows);

/// "unknown plan 'x'; known: direct, buffered[:capacity[:flush]], …".
template <class Table>
std::string unknown_name(std::string_view kind, std::string_view name, const Table& table) {
  std::string message = "unknown ";
  message.append(kind).append(" '").append(excerpt(name)).append("'; known: ");
  bool first = true;
  for (const auto& row : table) {
    if (!first) message += ", ";
    first = false;
    message.append(row.entry.name).append(row.entry.parameters);
  }
  return message;
}

}  // namespace bracket
