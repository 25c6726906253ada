// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <utility>

#include "bracket/model/weigher.hpp"

namespace bracket::model {

/// Weighs in the calling thread, during `wait`.
class SerialWeigher : public Weigher {
 public:
  explicit SerialWeigher(std::function<double(const Weighable&)> cost) : cost_(std::move(cost)) {}

  [[nodiscard]] Index at_once() const override { return 1; }

  void begin(Index number, Weighable what) override { begun_.emplace(number, std::move(what)); }

  std::optional<Weighed> wait(double) override {
    if (!begun_) return {};
    const auto [number, what] = *std::exchange(begun_, std::nullopt);
    try {
      return Weighed{number, cost_(what)};
    } catch (...) {
      return Weighed{number, 0, std::current_exception()};
    }
  }

 private:
  std::function<double(const Weighable&)> cost_;
  std::optional<std::pair<Index, Weighable>> begun_;
};

}  // namespace bracket::model
