// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bracket/model/schedule.hpp"
#include "mpi/measurement.hpp"
#include "reveal/item_orders.hpp"

namespace bracket::tools {

/// The sum whose orders were revealed.
struct RevealedSum {
  Rank ranks = 1;
  SumCollective collective = SumCollective::all_reduce;
  Rank root = 0;
  std::string library;
  std::string preloaded{};  ///< `preloaded_library()`
  std::string algorithm{};  ///< that the library was told to use; empty if it was told nothing
  int number = 0;           ///< of the algorithm
};

/// Times of the sum for each vector length, and how they were measured; or no times.
struct RevealedTimes {
  std::vector<runtime::Samples> samples;
  MeasurementOptions measurement;
};

/// Returns a row for each vector length.
std::vector<nlohmann::ordered_json> rows_of(const RevealedSum& sum,
                                            const std::vector<ItemOrders>& sizes,
                                            const RevealedTimes& times);

/// Prints the rows in words, or as JSON lines.
void print_rows(const RevealedSum& sum, const std::vector<ItemOrders>& sizes,
                const std::vector<nlohmann::ordered_json>& rows, bool json);

/// Returns the schedule of the algorithm that has these orders, with an element on each rank. If
/// items have several orders, each item is a sum of its own, so that the schedule is for a sum with
/// any order; its messages are those of the algorithm. Throws `Error` if the algorithm is not
/// known.
Schedule schedule_of(const RevealedSum& sum, const ItemOrders& found);

}  // namespace bracket::tools
