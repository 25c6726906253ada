// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/report.hpp"
#include "reveal/revealed_rows.hpp"

namespace bracket::tools {

/// Returns the table of revealed orders, with a plot of the times if they were measured, and a
/// picture of the additions for each different tree of the first item. `orders` and `rows` belong
/// together.
ReportTable reveal_table(const std::vector<ItemOrders>& orders,
                         std::vector<nlohmann::ordered_json> rows);

}  // namespace bracket::tools
