// SPDX-License-Identifier: MIT

#include "tune/rule_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bracket::tools {

namespace {

/// Seconds of the fastest algorithm for a vector length, whatever its order.
double fastest_at(const std::vector<MeasuredAlgorithm>& algorithms, std::size_t size) {
  double least = std::numeric_limits<double>::infinity();
  for (const MeasuredAlgorithm& one : algorithms) {
    least = std::min(least, one.sizes[size].seconds);
  }
  return least;
}

/// The choice for one order, or for any fixed orders if `order` is null.
std::optional<AlgorithmChoice> choice_for(const std::vector<MeasuredAlgorithm>& algorithms,
                                          const std::string* order) {
  const std::size_t sizes = algorithms.front().sizes.size();
  const auto does = [&](const MeasuredAlgorithm& one, std::size_t size) {
    const AlgorithmAtSize& at = one.sizes[size];
    return one.candidate && (order == nullptr ? at.fixed : at.order == *order);
  };
  AlgorithmChoice choice;
  if (order != nullptr) choice.order = *order;
  double logarithms = 0;
  for (std::size_t size = 0; size < sizes; ++size) {
    const std::size_t next = std::min(size + 1, sizes - 1);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      if (!does(algorithms[i], size) || !does(algorithms[i], next)) continue;
      if (!best || algorithms[i].sizes[size].seconds < algorithms[*best].sizes[size].seconds) {
        best = i;
      }
    }
    if (!best) return {};
    if (size > 0) {
      const MeasuredAlgorithm& previous = algorithms[choice.chosen.back()];
      const AlgorithmAtSize& now = previous.sizes[size];
      const AlgorithmAtSize& fastest = algorithms[*best].sizes[size];
      const bool close = now.low <= fastest.high && now.seconds < 1.25 * fastest.seconds;
      if (close && does(previous, size) && does(previous, next)) best = choice.chosen.back();
    }
    choice.chosen.push_back(*best);
    logarithms += std::log(algorithms[*best].sizes[size].seconds / fastest_at(algorithms, size));
  }
  choice.slowdown = std::exp(logarithms / static_cast<double>(sizes));
  return choice;
}

}  // namespace

std::optional<AlgorithmChoice> choose_algorithms(const std::vector<MeasuredAlgorithm>& algorithms,
                                                 bool one_order) {
  if (!one_order) return choice_for(algorithms, nullptr);
  std::optional<AlgorithmChoice> best;
  for (const std::string& order : orders_of(algorithms)) {
    auto choice = choice_for(algorithms, &order);
    if (choice && (!best || choice->slowdown < best->slowdown)) best = std::move(choice);
  }
  return best;
}

std::vector<std::string> orders_of(const std::vector<MeasuredAlgorithm>& algorithms) {
  std::vector<std::string> orders;
  for (const MeasuredAlgorithm& one : algorithms) {
    for (const AlgorithmAtSize& at : one.sizes) {
      if (!at.order || std::find(orders.begin(), orders.end(), *at.order) != orders.end()) continue;
      orders.push_back(*at.order);
    }
  }
  return orders;
}

}  // namespace bracket::tools
