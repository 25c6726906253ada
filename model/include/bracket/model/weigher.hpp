// SPDX-License-Identifier: MIT

#pragma once

#include <exception>
#include <optional>
#include <string>

#include "bracket/model/distribution.hpp"

namespace bracket {

/// A candidate: a plan, an order and a distribution. Plan and order are names for `make_plan` and
/// `make_order`, so that another process can evaluate the candidate.
struct Weighable {
  std::string order;
  std::string plan;
  Distribution held;
};

/// The cost of a candidate.
struct Weighed {
  Index number = 0;
  double seconds = 0;
  std::exception_ptr failure{};  ///< the reason, if the candidate has no cost
};

/// Evaluates the costs of candidates, several at the same time.
class Weigher {
 public:
  virtual ~Weigher() = default;

  /// Number of candidates that it evaluates at the same time, at least 1.
  [[nodiscard]] virtual Index at_once() const = 0;

  /// Begins to evaluate a candidate. Fewer than `at_once()` may be under way, none of them with
  /// this number.
  virtual void begin(Index number, Weighable what) = 0;

  /// Waits until a candidate is evaluated, at most for so many seconds, and returns it, if there is
  /// one. A weigher that evaluates in the calling thread may take longer.
  virtual std::optional<Weighed> wait(double seconds) = 0;
};

}  // namespace bracket
