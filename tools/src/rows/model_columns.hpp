// SPDX-License-Identifier: MIT

#pragma once

#include "models/cost_models.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// The column of a model's predictions.
inline Column seconds_column(const CostModel& model) {
  return {model.seconds.key, std::string(model.title) + " [us]", Column::Shown::microseconds};
}

/// The column of a model's relative errors.
inline Column error_column(const CostModel& model) {
  return {model.error_key(), std::string(model.title) + " error", Column::Shown::percent};
}

}  // namespace bracket::tools
