// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bracket/viz/plot.hpp"

/// Numbers and names of rows that are plotted.
namespace bracket::tools {

using PlottedRows = std::vector<nlohmann::ordered_json>;

/// Returns a row's number; NaN if it has none.
double number_in(const nlohmann::ordered_json& row, const std::string& key);

/// Returns the different numbers of a key, in ascending sequence.
std::vector<double> numbers_in(const PlottedRows& rows, const std::string& key);

/// Returns the unit of a key's numbers.
viz::PlotUnit unit_of(const std::string& key);

/// Whether any row has the number.
bool any_has(const PlottedRows& rows, const std::string& key);

/// Names of rows: the values of the settings in which the rows differ. If they differ in none, the
/// plan, or what else each row is about.
class RowNames {
 public:
  /// Takes the settings of `keys` into account.
  static RowNames by(const PlottedRows& rows, const std::vector<std::string>& keys);
  /// Takes all settings into account, except those of `keys`.
  static RowNames without(const PlottedRows& rows, const std::vector<std::string>& keys);

  [[nodiscard]] std::string of(const nlohmann::ordered_json& row) const;

  /// Whether a row's name has the value of this key.
  [[nodiscard]] bool has(const std::string& key) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace bracket::tools
