// SPDX-License-Identifier: MIT

#include "digits/digits_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bracket/model/algorithm.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "digits/error_bound.hpp"
#include "digits/sampled_sum.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

/// The number, or null if it is not finite.
Json finite_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(); }

}  // namespace

std::string hexadecimal(double number) { return fmt::format("{:a}", number); }

Json digits_row(std::span<const double> elements, const ExactReference& exact,
                const Algorithm& algorithm) {
  const double sum = sum_by(elements, exact.type(), algorithm);
  const SampledSum sampled = sampled_sum(elements, exact.type(), algorithm);
  Json row{{"order", algorithm.order},   {"algorithm", algorithm.spec()},
           {"sum", hexadecimal(sum)},    {"ulps", nullptr},
           {"bound", nullptr},           {"digits", nullptr},
           {"estimated_digits", nullptr}};
  if (sampled.cancellations) row["cancellations"] = *sampled.cancellations;
  if (!exact.finite()) return row;
  if (!std::isfinite(sum)) {
    row["digits"] = 0;
    row["estimated_digits"] = 0;
    return row;
  }
  row["ulps"] = finite_or_null(exact.ulps(sum));
  row["bound"] = finite_or_null(bound_in_ulps(exact, algorithm, sum));
  row["digits"] = exact.digits(sum);
  row["estimated_digits"] = runtime::estimated_digits(sampled.samples, exact.most_digits());
  return row;
}

std::vector<Column> digits_columns() {
  using Shown = Column::Shown;
  return {{"algorithm", "algorithm"},
          {"sum", "sum"},
          {"ulps", "off [ulps]", Shown::rounded, "-"},
          {"bound", "bound [ulps]", Shown::rounded, "-"},
          {"digits", "digits", Shown::tenths, "-"},
          {"estimated_digits", "estimated digits", Shown::tenths, "-"},
          {"cancellations", "cancellations", Shown::plain, "-"}};
}

}  // namespace bracket::tools
