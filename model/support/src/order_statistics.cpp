// SPDX-License-Identifier: MIT

#include "bracket/support/order_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <numeric>

namespace bracket::support {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double quantile(std::vector<double> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double interquartile_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t quarter = values.size() / 4;
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(quarter);
  const auto end = values.end() - static_cast<std::ptrdiff_t>(quarter);
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

std::size_t median_interval_rank(std::size_t n) {
  using namespace boost::math;
  // The smallest number of samples that are below the median with more than 2.5 % probability.
  using Up = policies::policy<policies::discrete_quantile<policies::integer_round_up>>;
  const binomial_distribution<double, Up> below_median(static_cast<double>(n), 0.5);
  return std::max<std::size_t>(1, static_cast<std::size_t>(quantile(below_median, 0.025)));
}

}  // namespace bracket::support
