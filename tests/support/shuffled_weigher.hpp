// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "bracket/model/weigher.hpp"

namespace bracket::testing {

/// Weighs several plans at the same time. They complete in any order, perhaps after some calls.
class ShuffledWeigher : public Weigher {
 public:
  ShuffledWeigher(Index at_once, std::uint64_t seed, std::function<double(const Weighable&)> cost)
      : at_once_(at_once), random_(seed), cost_(std::move(cost)) {}

  [[nodiscard]] Index at_once() const override { return at_once_; }

  void begin(Index number, Weighable what) override {
    most_ = std::max(most_, static_cast<Index>(begun_.size()) + 1);
    begun_.emplace_back(number, std::move(what));
  }

  std::optional<Weighed> wait(double) override {
    if (begun_.empty() || random_() % 3 == 0) return {};
    std::swap(begun_[random_() % begun_.size()], begun_.back());
    const auto [number, what] = std::move(begun_.back());
    begun_.pop_back();
    try {
      return Weighed{number, cost_(what)};
    } catch (...) {
      return Weighed{number, 0, std::current_exception()};
    }
  }

  /// Largest number of plans that were weighed at the same time.
  [[nodiscard]] Index most() const { return most_; }

 private:
  Index at_once_;
  Index most_ = 0;
  std::mt19937_64 random_;
  std::function<double(const Weighable&)> cost_;
  std::vector<std::pair<Index, Weighable>> begun_;
};

}  // namespace bracket::testing
