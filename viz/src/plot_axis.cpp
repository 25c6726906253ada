// SPDX-License-Identifier: MIT

#include "plot_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace bracket::viz {

namespace {

constexpr double most_ticks = 8;

std::string general(double number) {
  std::array<char, 32> written{};
  std::snprintf(written.data(), written.size(), "%.4g", number);
  std::string words = written.data();
  // The program may have another locale.
  std::replace(words.begin(), words.end(), ',', '.');
  // 1e+06 and 1e-07 become 1e6 and 1e-7.
  if (const auto e = words.find('e'); e != std::string::npos) {
    std::string digits = words.substr(e + 2);
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    words = words.substr(0, e + 1) + (words[e + 1] == '-' ? "-" : "") + digits;
  }
  return words;
}

std::string with_prefix(double number,
                        std::initializer_list<std::pair<double, const char*>> units) {
  for (const auto& [size, name] : units) {
    // 0.9999999 ms is 1 ms.
    if (std::abs(number) >= size * (1 - 1e-9)) return general(number / size) + ' ' + name;
  }
  const auto& [size, name] = *(units.end() - 1);
  return general(number / size) + ' ' + name;
}

/// Groups the digits of a whole number by threes.
std::string grouped(double number) {
  std::string digits = std::to_string(std::llround(std::abs(number)));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ' ');
  }
  return (number < 0 ? "-" : "") + digits;
}

using Ticks = std::vector<std::pair<double, std::string>>;

Ticks logarithmic_ticks(const PlotAxis& axis, double low, double high) {
  const bool binary = axis.unit == PlotUnit::bytes;
  const double base = binary ? 2 : 10;
  const auto first = static_cast<int>(std::floor(std::log(low) / std::log(base)));
  const auto last = static_cast<int>(std::ceil(std::log(high) / std::log(base)));
  const auto within = [&](double number) {
    return number >= low * (1 - 1e-9) && number <= high * (1 + 1e-9);
  };
  Ticks ticks;
  const auto take = [&](int every, std::initializer_list<double> factors) {
    ticks.clear();
    for (int power = first; power <= last; ++power) {
      if (power % every != 0) continue;
      for (const double factor : factors) {
        const double number = factor * std::pow(base, power);
        if (within(number)) ticks.emplace_back(number, tick_text(axis.unit, number));
      }
    }
  };
  if (!binary) {
    take(1, {1, 2, 5});
    if (static_cast<double>(ticks.size()) < 3) {
      take(1, {1, 1.5, 2, 3, 4, 5, 6, 8});
    }
  }
  for (int every = 1; ticks.empty() || static_cast<double>(ticks.size()) > most_ticks + 2;
       ++every) {
    take(every, {1});
    if (ticks.empty()) break;
  }
  return ticks;
}

double nice_step(double span) {
  const double rough = span / most_ticks * 1.2;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

Ticks linear_ticks(const PlotAxis& axis, double low, double high) {
  const double step = nice_step(high - low);
  Ticks ticks;
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= 2 * most_ticks; ++i) {
    const double number = (first + i) * step + 0.0;  // -0 + 0 is 0
    if (number > high + 1e-9 * step) break;
    ticks.emplace_back(
        number, number == 0 && axis.unit != PlotUnit::share ? "0" : tick_text(axis.unit, number));
  }
  return ticks;
}

/// Replaces the ticks by the numbers themselves if these are few and not too close.
void mark_numbers(const PlotAxis& axis, std::vector<double> numbers, AxisScale& scale) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (static_cast<double>(numbers.size()) > most_ticks) return;
  const auto place = [&](double number) {
    return axis.logarithmic ? std::log(number / scale.low) / std::log(scale.high / scale.low)
                            : (number - scale.low) / (scale.high - scale.low);
  };
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (place(numbers[i]) - place(numbers[i - 1]) < 0.09) return;
  }
  scale.ticks.clear();
  for (const double number : numbers) {
    scale.ticks.emplace_back(number, tick_text(axis.unit, number));
  }
}

}  // namespace

std::string tick_text(PlotUnit unit, double number) {
  switch (unit) {
    case PlotUnit::seconds:
      if (number == 0) return "0 s";
      return with_prefix(number, {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}});
    case PlotUnit::bytes:
      return with_prefix(
          number, {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {1024, "KiB"}, {1, "B"}});
    case PlotUnit::share:
      return general(100 * number) + " %";
    case PlotUnit::number:
      break;
  }
  const double size = std::abs(number);
  const bool whole = std::abs(number - std::round(number)) <= 1e-9 * size;
  return whole && size >= 1e4 && size < 1e9 ? grouped(number) : general(number);
}

bool shows(const PlotAxis& axis, double number) {
  return std::isfinite(number) && (!axis.logarithmic || number > 0);
}

AxisScale scale_of(const PlotAxis& axis, const std::vector<double>& numbers) {
  AxisScale scale;
  if (!axis.names.empty()) {
    scale.low = -0.5;
    scale.high = static_cast<double>(axis.names.size()) - 0.5;
    for (std::size_t i = 0; i < axis.names.size(); ++i) {
      scale.ticks.emplace_back(static_cast<double>(i), axis.names[i]);
    }
    return scale;
  }
  std::vector<double> shown;
  for (const double number : numbers) {
    if (shows(axis, number)) shown.push_back(number);
  }
  if (shown.empty()) shown.push_back(1);
  const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
  scale.low = *least;
  scale.high = *most;
  if (axis.logarithmic) {
    const double margin = std::max(std::pow(scale.high / scale.low, 0.05), 1.15);
    scale.low /= margin;
    scale.high *= margin;
    scale.ticks = logarithmic_ticks(axis, scale.low, scale.high);
  } else {
    if (axis.from_zero) {
      scale.low = std::min(scale.low, 0.0);
      scale.high = std::max(scale.high, 0.0);
    }
    const double span = scale.high - scale.low;
    const double margin =
        span > 0 ? span * 0.05 : std::max(std::abs(scale.high) * 0.1, axis.from_zero ? 1.0 : 1e-9);
    if (scale.low < 0 || !axis.from_zero) scale.low -= margin;
    scale.high += margin;
    scale.ticks = linear_ticks(axis, scale.low, scale.high);
  }
  if (axis.at_points) mark_numbers(axis, shown, scale);
  return scale;
}

}  // namespace bracket::viz
