// SPDX-License-Identifier: MIT

#pragma once

#include <array>
#include <cinttypes>
#include <cstdio>
#include <ostream>

#include "bracket/simulator/workload.hpp"

namespace bracket::simulator {

/// Ticks as a decimal number of units. One unit is 10^digits ticks.
class Decimal {
 public:
  Decimal(Ticks ticks, int digits) {
    Ticks unit = 1;
    for (int i = 0; i < digits; ++i) unit *= 10;
    std::snprintf(text_.data(), text_.size(), "%" PRIu64 ".%0*" PRIu64, ticks / unit, digits,
                  ticks % unit);
  }
  friend std::ostream& operator<<(std::ostream& out, const Decimal& number) {
    return out << number.text_.data();
  }

 private:
  std::array<char, 48> text_{};
};

/// Name of the operation in traces.
inline const char* name_of(Workload::Kind kind) {
  switch (kind) {
    case Workload::Kind::compute:
      return "compute";
    case Workload::Kind::send:
      return "send";
    default:
      return "receive";
  }
}

}  // namespace bracket::simulator
