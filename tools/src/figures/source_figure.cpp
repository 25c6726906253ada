// SPDX-License-Identifier: MIT

#include "figures/source_figure.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

double rounded(double number, int decimals) {
  return std::stod(fmt::format("{:.{}f}", number, decimals));
}

/// Returns a number without a fraction as an integer, so that it is shown as one.
Json shown(double number) {
  constexpr double exact = 1e15;
  if (std::abs(number) < exact && number == std::round(number)) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

}  // namespace

std::vector<Column> SourceFigure::columns() {
  using enum Column::Shown;
  return {{"quantity", "quantity", plain},
          {"printed", "printed", number},
          {"regenerated", "regenerated", number},
          {"difference", "difference", percent},
          {"reason", "reason", plain}};
}

Json& SourceFigure::new_row(const std::string& quantity, double here, const std::string& reason) {
  Json& row = table_.rows.emplace_back(Json{{"quantity", quantity}, {"regenerated", shown(here)}});
  if (!reason.empty()) row["reason"] = reason;
  return row;
}

void SourceFigure::add(const std::string& quantity, Printed printed, double here,
                       const std::string& reason) {
  const double expected = rounded(printed.number, printed.decimals);
  const double found = rounded(here, printed.decimals);
  Json& row = new_row(quantity, found, found == expected ? "" : reason);
  row["printed"] = shown(expected);
  if (expected != 0) row["difference"] = found / expected - 1;
}

void SourceFigure::add(const std::string& quantity, double here, const std::string& reason,
                       int digits) {
  new_row(quantity, std::stod(fmt::format("{:.{}g}", here, digits)), reason);
}

std::string grouped(double number) { return viz::tick_text(viz::PlotUnit::number, number); }

}  // namespace bracket::tools
