// SPDX-License-Identifier: MIT

#pragma once

#include <span>

#include "bracket/model/message_costs.hpp"

namespace bracket {

/// Figures of LogGP and LogGOPS for measured messages.
struct LogGPFit {
  double latency = 0;            ///< L
  double overhead = 0;           ///< o, the mean of both ends
  double overhead_per_byte = 0;  ///< O
  double gap = 0;                ///< g
  double gap_per_byte = 0;       ///< G

  /// Distance of the lines from the measured times: root of the mean square of the relative errors.
  struct Residuals {
    double overhead = 0;
    double round_trip = 0;
    double gap = 0;
  };
  Residuals residuals;

  /// The fitted figures with the tables of measured times, warm and cold.
  [[nodiscard]] MessageCosts costs(std::vector<MessageTimes> measured,
                                   std::vector<MessageTimes> cold = {}) const;
};

/// Fits o + (k − 1)·O to the overheads of messages of up to `eager_bytes`, 2·(o + L + (k − 1)·G +
/// o) to the round trips and g + (k − 1)·G to the gaps (as Hoefler, Lichei and Rehm 2007 take
/// LogGP's figures from round trips). Messages of up to 64 bytes determine o, L and g, since most
/// messages of a reduction are small. The slopes minimise the sum of the relative errors' absolute
/// values. A negative figure is replaced by 0. `measured` is in ascending order of bytes. Throws
/// `Error` for fewer than two sizes and if a time is not positive.
LogGPFit fit_loggp(std::span<const MessageTimes> measured, double eager_bytes);

}  // namespace bracket
