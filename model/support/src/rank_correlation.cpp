// SPDX-License-Identifier: MIT

#include "bracket/support/rank_correlation.hpp"

#include <cmath>
#include <cstdint>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::support {

std::optional<double> kendall_tau(std::span<const double> left, std::span<const double> right) {
  if (left.size() != right.size()) {
    throw Error(text("a correlation of ", left.size(), " and ", right.size(),
                     " figures: equal numbers were expected"));
  }
  const auto sign = [](double a, double b) { return (a > b) - (a < b); };
  std::int64_t balance = 0;
  std::int64_t apart_left = 0;
  std::int64_t apart_right = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const int of_left = sign(left[i], left[k]);
      const int of_right = sign(right[i], right[k]);
      balance += of_left * of_right;
      apart_left += of_left * of_left;
      apart_right += of_right * of_right;
    }
  }
  if (apart_left == 0 || apart_right == 0) return std::nullopt;
  return static_cast<double>(balance) /
         std::sqrt(static_cast<double>(apart_left) * static_cast<double>(apart_right));
}

}  // namespace bracket::support
