// SPDX-License-Identifier: MIT

#include "sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "common/value_list.hpp"

namespace bracket::tools {

namespace {

/// Whether the values of this option are whole numbers.
bool takes_whole_numbers(const std::string& option) {
  constexpr std::string_view all[] = {"N",     "elements", "p",     "ranks", "root",
                                      "items", "fields",   "cores", "seed"};
  return std::find(std::begin(all), std::end(all), option) != std::end(all);
}

bool is_number(const std::string& written) {
  try {
    parse_number(written, "");
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// Returns the values of a range. If `whole`, the ends are whole numbers, and values are rounded.
std::vector<std::string> range(const std::vector<std::string>& parts, bool whole,
                               const std::string& where) {
  constexpr Index most = 1'000'000;
  const double from = parse_number(parts[0], where);
  const double to = parse_number(parts[1], where);
  const bool logarithmic = parts[2] == "log";
  const Index count = parse_integer(parts[3], where);
  if (count < 2 || count > most) {
    throw Error(text(where, ": ", count, " steps: from 2 to ", most));
  }
  if (logarithmic && !(from > 0 && to > 0)) {
    throw Error(text(where, ": logarithmic steps need positive ends"));
  }
  std::vector<std::string> values;
  for (Index i = 0; i < count; ++i) {
    const double way = static_cast<double>(i) / static_cast<double>(count - 1);
    double value =
        logarithmic ? std::pow(from, 1 - way) * std::pow(to, way) : from + way * (to - from);
    if (i == 0) value = from;
    if (i == count - 1) value = to;
    // Fifteen digits hide the rounding error of a power: 1e-05, not its neighbor.
    auto written = whole ? fmt::format("{:.0f}", value) : fmt::format("{:.15g}", value);
    // A double may not hold the ends exactly.
    if (whole && i == 0) written = parts[0];
    if (whole && i == count - 1) written = parts[1];
    if (values.empty() || values.back() != written) values.push_back(std::move(written));
  }
  return values;
}

}  // namespace

Sweep Sweep::parse(const std::string& written) {
  const auto equals = written.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == written.size()) {
    throw Error(text("--sweep '", excerpt(written),
                     "': OPTION=VALUE,... or OPTION=FROM:TO:log:COUNT or FROM:TO:lin:COUNT was ",
                     "expected"));
  }
  Sweep sweep{written.substr(0, equals), {}};
  const std::string values = written.substr(equals + 1);
  const std::string where = text("--sweep ", sweep.option);
  auto parts = split(values, ':');
  const bool is_range = parts.size() == 4 && (parts[2] == "log" || parts[2] == "lin");
  if (parts.size() > 2 && !is_range && is_number(parts[0]) && is_number(parts[1])) {
    throw Error(text(where, ": '", excerpt(values),
                     "': steps are written FROM:TO:log:COUNT or FROM:TO:lin:COUNT"));
  }
  if (!is_range) parts = split(values, ',');
  const bool whole = takes_whole_numbers(sweep.option);
  if (whole) {
    // 1000 and 1k become the same value, and 1e3 and 1e6 become whole ends of a range.
    for (std::size_t i = 0; i < (is_range ? 2 : parts.size()); ++i) {
      if (!parts[i].empty()) parts[i] = std::to_string(support::parse_count(parts[i], where));
    }
  }
  sweep.values = is_range ? range(parts, whole, where) : std::move(parts);
  check_values(sweep.values, text("--sweep '", excerpt(written), "'"));
  return sweep;
}

std::vector<SweepPoint> points_of(const std::vector<Sweep>& sweeps) {
  constexpr std::size_t most = 1'000'000;
  std::vector<SweepPoint> points(1);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const Sweep& sweep = sweeps[i];
    for (std::size_t k = 0; k < i; ++k) {
      if (sweeps[k].option == sweep.option) {
        throw Error(text("--sweep ", sweep.option, " is given twice"));
      }
    }
    if (points.size() > most / sweep.values.size()) {
      throw Error(text("--sweep: more than ", most, " points"));
    }
    std::vector<SweepPoint> more;
    more.reserve(points.size() * sweep.values.size());
    for (const SweepPoint& point : points) {
      for (const std::string& value : sweep.values) {
        more.push_back(point);
        more.back().emplace_back(sweep.option, value);
      }
    }
    points = std::move(more);
  }
  return points;
}

std::string describe(const SweepPoint& point) {
  std::string words;
  for (const auto& [option, value] : point) {
    words += (words.empty() ? "" : ", ") + option + "=" + value;
  }
  return words;
}

}  // namespace bracket::tools
