// SPDX-License-Identifier: MIT

#include "report/model_tables.hpp"

#include "report/row_plots.hpp"

namespace bracket::tools {

std::optional<ReportTable> scorecard_table(const Scorecards& cards) {
  auto rows = cards.rows(false);
  if (rows.empty()) return {};
  viz::Plot errors = typical_errors(rows);
  return ReportTable{.title = "How far the models are off, and how often they choose right",
                     .columns = Scorecards::columns(),
                     .rows = std::move(rows),
                     .plots = {std::move(errors)}};
}

}  // namespace bracket::tools
