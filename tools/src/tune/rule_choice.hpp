// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::tools {

/// What is known of an algorithm of an MPI library for one vector length.
struct AlgorithmAtSize {
  /// Whether each item has one order, in every call and on every rank.
  bool fixed = false;
  std::optional<std::string> order{};  ///< the order of all items, if they share a fixed one
  double seconds = 0;                  ///< median time of a call
  double low = 0;                      ///< lower end of its interval, in seconds
  double high = 0;                     ///< upper end, in seconds
};

/// An algorithm that was revealed and measured for several vector lengths.
struct MeasuredAlgorithm {
  std::string name;
  int number = 0;                        ///< in the library
  bool candidate = true;                 ///< whether a rule can name it
  std::vector<AlgorithmAtSize> sizes{};  ///< for each vector length, ascending
};

/// The choice of an algorithm for each vector length.
struct AlgorithmChoice {
  std::string order;                  ///< of all sums; empty if it need not be one
  std::vector<std::size_t> chosen{};  ///< positions of the algorithms, by vector length
  double slowdown = 1;  ///< geometric mean of their times over the fastest algorithms'
};

/// Chooses the fastest algorithms with fixed orders. With `one_order`, the order of every item is
/// the same at all lengths; of several such orders, that of the lowest slowdown is chosen. The
/// choice for a length must also do for the next length, since a rule covers the lengths between
/// them. It remains the previous one if the intervals of their times overlap and the previous one
/// is less than a quarter slower. Empty if there is no choice.
std::optional<AlgorithmChoice> choose_algorithms(const std::vector<MeasuredAlgorithm>& algorithms,
                                                 bool one_order);

/// The different orders of all algorithms, in the sequence in which they occur.
std::vector<std::string> orders_of(const std::vector<MeasuredAlgorithm>& algorithms);

}  // namespace bracket::tools
