// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <vector>

namespace bracket::support {

/// The median of at least one value: the mean of the two in the middle of an even number.
double median(std::vector<double> values);

/// The value, of at least one, that `share` of all values, rounded down to a whole number, precede
/// in sorted order. `share` is at least 0 and below 1.
double quantile(std::vector<double> values, double share);

/// The mean of at least one value, without the quarter of the lowest and the quarter of the
/// highest, both rounded down to a whole number of values.
double interquartile_mean(std::vector<double> values);

/// The largest k for which the k-th smallest and the k-th largest of n samples enclose the median
/// of their distribution with at least 95 % confidence, by the sign test: how many samples are
/// below the median has the binomial distribution of n trials. 1 below six samples, for which there
/// is no such k.
std::size_t median_interval_rank(std::size_t n);

}  // namespace bracket::support
