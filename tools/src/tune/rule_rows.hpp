// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tune/rule_choice.hpp"
#include "tune/rule_file.hpp"

namespace bracket::tools {

/// The algorithms of a library on one number of ranks, as `bracket reveal --algorithms --time`
/// printed them.
struct RevealedAlgorithms {
  std::vector<nlohmann::ordered_json> rows;   ///< for each algorithm, one for each length
  std::vector<Index> lengths;                 ///< ascending
  std::vector<MeasuredAlgorithm> algorithms;  ///< in the sequence of the rows

  [[nodiscard]] const nlohmann::ordered_json& row(std::size_t algorithm, std::size_t length) const {
    return rows[algorithm * lengths.size() + length];
  }
  [[nodiscard]] std::string library() const { return rows.front().at("library"); }
};

/// Whether a row is one of `bracket reveal --json`.
bool is_revealed_row(const nlohmann::ordered_json& row);

/// Whether a row is one of `bracket reveal --algorithms --time --json`.
bool is_algorithm_row(const nlohmann::ordered_json& row);

/// Takes rows of `is_algorithm_row`. Throws `Error` unless each algorithm has one for each length.
RevealedAlgorithms revealed_algorithms(std::vector<nlohmann::ordered_json> rows,
                                       const std::vector<Index>& lengths);

/// The rules of a choice.
RankRules rules_of(const RevealedAlgorithms& found, const AlgorithmChoice& choice, Rank ranks);

/// Whether a row of `bracket reveal` has, for each item, one order in every call and on every rank.
bool has_fixed_orders(const nlohmann::ordered_json& row);

/// The order of all items in a row of `bracket reveal`; empty if they have none or several.
std::string order_of_items(const nlohmann::ordered_json& row);

/// Prints the times of all algorithms, the letters of their orders and what was chosen.
void print_choice(const RevealedAlgorithms& found, const AlgorithmChoice& choice, Rank ranks,
                  bool one_order);

/// Prints these as JSON lines: a row for each algorithm and length, then one with the rules.
void print_choice_as_json(const RevealedAlgorithms& found, const AlgorithmChoice& choice,
                          Rank ranks);

}  // namespace bracket::tools
