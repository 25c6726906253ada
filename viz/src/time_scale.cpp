// SPDX-License-Identifier: MIT

#include "time_scale.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>
#include <utility>

namespace bracket::viz {

namespace {

constexpr std::pair<const char*, double> units[] = {
    {"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}};

std::string fixed(double number, int decimals) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << std::fixed << std::setprecision(decimals) << number;
  return out.str();
}

}  // namespace

TimeScale::TimeScale(double makespan) {
  for (const auto& [name, seconds] : units) {
    unit_ = name;
    seconds_ = seconds;
    if (makespan >= seconds) break;
  }
  for (double rest = makespan / seconds_; rest < 1000 && decimals_ < 3; rest *= 10) ++decimals_;
}

std::string TimeScale::number(double seconds) const { return fixed(seconds / seconds_, decimals_); }

std::string TimeScale::with_unit(double seconds) const { return number(seconds) + ' ' + unit_; }

std::vector<TimeScale::Tick> TimeScale::ticks(double begin, double end, int most) const {
  const double first = begin / seconds_;
  const double last = end / seconds_;
  if (!(last > first)) return {{0, "0"}};
  const double step = round_step((last - first) / most);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> all;
  const double near = std::min(1e-9 * last, 0.01 * step);  // of rounding
  const double from = std::ceil((first - near) / step);
  for (int number = 0; number <= most; ++number) {
    const double place = (from + number) * step;
    if (place > last + near) break;
    const Tick tick{place * seconds_, place == 0 ? "0" : fixed(place, decimals)};
    // Numbers of this size may be further apart than a step.
    if (!all.empty() && tick.seconds <= all.back().seconds) continue;
    all.push_back(tick);
  }
  return all;
}

double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace bracket::viz
