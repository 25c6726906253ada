// SPDX-License-Identifier: MIT

#include "bracket/model/loggp_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/order_statistics.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

struct TimedSize {
  double bytes_behind_first = 0;
  double seconds = 0;
};

struct FittedLine {
  double at_first = 0;
  double per_byte = 0;

  [[nodiscard]] double at(double bytes_behind_first) const {
    return at_first + bytes_behind_first * per_byte;
  }
};

/// Weighted median: the value below which half of the weight lies.
double weighted_median(std::vector<std::pair<double, double>> values_and_weights) {
  std::sort(values_and_weights.begin(), values_and_weights.end());
  double rest = 0;
  for (const auto& [_, weight] : values_and_weights) rest += weight / 2;
  for (const auto& [value, weight] : values_and_weights) {
    rest -= weight;
    if (rest <= 0) return value;
  }
  return values_and_weights.back().first;
}

/// Number of small messages, which come first.
std::size_t small_ones(const std::vector<TimedSize>& points) {
  const auto end = std::find_if(points.begin(), points.end(), [](const TimedSize& point) {
    return point.bytes_behind_first >= 64;
  });
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - points.begin()));
}

double at_first(const std::vector<TimedSize>& points, double per_byte) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < small_ones(points); ++i) {
    seconds.push_back(points[i].seconds - per_byte * points[i].bytes_behind_first);
  }
  return std::max(0.0, support::median(seconds));
}

FittedLine fit(const std::vector<TimedSize>& points) {
  const std::size_t small = small_ones(points);
  std::vector<double> bytes;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < small; ++i) {
    bytes.push_back(points[i].bytes_behind_first);
    seconds.push_back(points[i].seconds);
  }
  const TimedSize foot{support::median(bytes), support::median(seconds)};
  std::vector<std::pair<double, double>> slopes;
  for (std::size_t i = small; i < points.size(); ++i) {
    const double away = points[i].bytes_behind_first - foot.bytes_behind_first;
    slopes.emplace_back((points[i].seconds - foot.seconds) / away, away / points[i].seconds);
  }
  const double per_byte = slopes.empty() ? 0 : std::max(0.0, weighted_median(std::move(slopes)));
  return {at_first(points, per_byte), per_byte};
}

double residual(const std::vector<TimedSize>& points, const FittedLine& line) {
  const double squares =
      std::accumulate(points.begin(), points.end(), 0.0, [&](double sum, const TimedSize& point) {
        const double error = line.at(point.bytes_behind_first) / point.seconds - 1;
        return sum + error * error;
      });
  return std::sqrt(squares / static_cast<double>(points.size()));
}

}  // namespace

MessageCosts LogGPFit::costs(std::vector<MessageTimes> measured,
                             std::vector<MessageTimes> cold) const {
  return {latency,        overhead, gap, gap_per_byte, overhead_per_byte, std::move(measured),
          std::move(cold)};
}

LogGPFit fit_loggp(std::span<const MessageTimes> measured, double eager_bytes) {
  if (measured.size() < 2) throw Error("a line needs messages of two sizes");
  std::vector<TimedSize> overheads;
  std::vector<TimedSize> ways;  // one way, from end to end
  std::vector<TimedSize> gaps;
  for (const MessageTimes& times : measured) {
    for (const double seconds :
         {times.send_overhead, times.receive_overhead, times.round_trip, times.gap}) {
      if (!(seconds > 0) || !std::isfinite(seconds)) {
        throw Error(text("messages of ", times.bytes, " bytes: a time of ", seconds, " seconds"));
      }
    }
    const double behind_first = static_cast<double>(times.bytes) - 1;
    if (overheads.empty() || static_cast<double>(times.bytes) <= eager_bytes) {
      overheads.push_back({behind_first, (times.send_overhead + times.receive_overhead) / 2});
    }
    ways.push_back({behind_first, times.round_trip / 2});
    gaps.push_back({behind_first, times.gap});
  }
  const FittedLine overhead = fit(overheads);
  const FittedLine way = fit(ways);
  const FittedLine gap{at_first(gaps, way.per_byte), way.per_byte};
  return {.latency = std::max(0.0, way.at_first - 2 * overhead.at_first),
          .overhead = overhead.at_first,
          .overhead_per_byte = overhead.per_byte,
          .gap = gap.at_first,
          .gap_per_byte = way.per_byte,
          .residuals = {residual(overheads, overhead), residual(ways, way), residual(gaps, gap)}};
}

}  // namespace bracket
