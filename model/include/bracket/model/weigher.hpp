#pragma once

#include <exception>
#include <optional>
#include <string>

#include "bracket/model/distribution.hpp"

namespace bracket {

/// A plan of an order over a distribution, by the names that `make_plan` and `make_order` take, so
/// that another process can weigh it.
struct Weighable {
  std::string order;
  std::string plan;
  Distribution held;
};

/// What was found out about one.
struct Weighed {
  Index number = 0;
  double seconds = 0;
  std::exception_ptr failure{};  ///< why it has no cost, if it has none
};

/// What finds out what plans over distributions cost, of several of them at the same time.
class Weigher {
 public:
  virtual ~Weigher() = default;

  /// The most that it weighs at the same time, at least 1.
  [[nodiscard]] virtual Index at_once() const = 0;

  /// Begins to weigh one, if there are fewer than that. No other that is being weighed has the
  /// number.
  virtual void begin(Index number, Weighable what) = 0;

  /// Waits until one of those is weighed, for so many seconds at most if it can do anything else.
  virtual std::optional<Weighed> wait(double seconds) = 0;
};

}  // namespace bracket
