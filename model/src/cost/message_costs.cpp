// SPDX-License-Identifier: MIT

#include "bracket/model/message_costs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

/// Measured time for a message of `bytes`, a member of `MessageTimes`, interpolated from the table.
template <class Time>
double measured_time(const std::vector<MessageTimes>& table, Time time, double bytes) {
  const auto above = std::lower_bound(table.begin(), table.end(), bytes,
                                      [](const MessageTimes& times, double wanted) {
                                        return static_cast<double>(times.bytes) < wanted;
                                      });
  if (above == table.begin()) return std::invoke(time, *above);
  const MessageTimes& below = *(above - 1);
  const auto from = static_cast<double>(below.bytes);
  const double least = std::invoke(time, below);
  if (above == table.end()) return least / from * bytes;
  const auto to = static_cast<double>(above->bytes);
  return least + (std::invoke(time, *above) - least) * (bytes - from) / (to - from);
}

void check_table(const std::vector<MessageTimes>& table, const std::string& where) {
  Index before = 0;
  for (const MessageTimes& times : table) {
    if (times.bytes <= before) {
      throw Error(text(where, "messages of ", times.bytes, " bytes: at least 1, and more than the ",
                       before, " of those before"));
    }
    for (const double seconds :
         {times.send_overhead, times.receive_overhead, times.round_trip, times.gap}) {
      if (!(seconds > 0) || !std::isfinite(seconds)) {
        throw Error(text(where, "messages of ", times.bytes, " bytes: a time of ", seconds,
                         " seconds; it must be finite and more than 0"));
      }
    }
    if (!(times.exchange >= 0) || !std::isfinite(times.exchange)) {
      throw Error(text(where, "messages of ", times.bytes, " bytes: an exchange of ",
                       times.exchange, " seconds; it must be finite and at least 0"));
    }
    before = times.bytes;
  }
}

}  // namespace

double MessageCosts::sending(double bytes) const {
  if (measured.empty()) return overhead + (bytes - 1) * overhead_per_byte;
  return std::min(measured_time(measured, &MessageTimes::send_overhead, bytes), way(bytes));
}

double MessageCosts::receiving(double bytes) const {
  if (measured.empty()) return overhead + (bytes - 1) * overhead_per_byte + handling;
  const Passage parts = passage(bytes);
  return std::min(measured_time(measured, &MessageTimes::receive_overhead, bytes) + handling,
                  parts.on_links + parts.after);
}

double MessageCosts::way(double bytes) const {
  if (measured.empty()) {
    return overhead + latency + (bytes - 1) * std::max(overhead_per_byte, gap_per_byte) + overhead +
           handling;
  }
  return measured_time(measured, &MessageTimes::round_trip, bytes) / 2 + handling;
}

double MessageCosts::exchange_delay(double bytes) const {
  if (measured.empty()) return 0;
  return measured_time(
      measured, [](const MessageTimes& times) { return times.exchange_delay(); }, bytes);
}

double MessageCosts::spacing(double bytes) const {
  if (measured.empty()) return gap + (bytes - 1) * gap_per_byte;
  return measured_time(measured, &MessageTimes::gap, bytes);
}

Passage MessageCosts::passage(double bytes) const {
  if (measured.empty()) {
    return {overhead, latency, (bytes - 1) * gap_per_byte, overhead + handling};
  }
  const double all = way(bytes) - handling;
  const double fixed = 2 * overhead + latency;
  const double share = fixed > all ? all / fixed : 1;
  const double rest = std::max(0.0, all - fixed);
  // Links without G take no time.
  const bool links = gap_per_byte > 0;
  // `overhead` is the mean over both ends.
  const MessageTimes& first = measured.front();
  const double before =
      2 * overhead * first.send_overhead / (first.send_overhead + first.receive_overhead);
  return {share * before, share * latency + (links ? 0 : rest), links ? rest : 0,
          share * (2 * overhead - before) + handling};
}

MessageCosts MessageCosts::out_of_cache() const {
  MessageCosts costs = *this;
  if (!cold.empty()) costs.measured = cold;
  return costs;
}

MessageCosts MessageCosts::by_library() const {
  MessageCosts costs = *this;
  if (library.empty()) return costs;
  costs.library.clear();
  const auto replace = [&](std::vector<MessageTimes>& table) {
    std::vector<MessageTimes> replaced = library;
    std::copy_if(table.begin(), table.end(), std::back_inserter(replaced),
                 [&](const MessageTimes& times) { return times.bytes > library.back().bytes; });
    table = std::move(replaced);
  };
  replace(costs.measured);
  if (!cold.empty()) replace(costs.cold);
  return costs;
}

MessageCosts::Least MessageCosts::least(double bytes) const {
  const auto of_size = [&](double size) -> Least {
    return {way(size), spacing(size), std::min(sending(size), receiving(size))};
  };
  Least least = of_size(bytes);
  const auto take = [&least](const Least& other) {
    least = {std::min(least.way, other.way), std::min(least.spacing, other.spacing),
             std::min(least.overhead, other.overhead)};
  };
  for (const MessageTimes& times : measured) {
    if (static_cast<double>(times.bytes) > bytes) take(of_size(static_cast<double>(times.bytes)));
  }
  if (!cold.empty()) {
    MessageCosts left = out_of_cache();
    left.cold.clear();
    take(left.least(bytes));
  }
  return least;
}

void MessageCosts::check(const std::string& where) const {
  const auto refuse_unless_cost = [&](double value, const char* what) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw Error(text(where, what, " must be a finite number of at least 0, not ", value));
    }
  };
  refuse_unless_cost(latency, "latency in seconds");
  refuse_unless_cost(overhead, "overhead in seconds");
  refuse_unless_cost(gap, "gap in seconds");
  refuse_unless_cost(gap_per_byte, "gap per byte in seconds");
  refuse_unless_cost(overhead_per_byte, "overhead per byte in seconds");
  check_table(measured, where);
  check_table(cold, where + "of data that have left the caches, ");
  check_table(library, where + "of the MPI library, ");
  if (!library.empty() && measured.empty()) {
    throw Error(where + "measured messages of the MPI library, but no others");
  }
}

}  // namespace bracket
