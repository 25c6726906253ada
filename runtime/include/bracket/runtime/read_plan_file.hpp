// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include "bracket/support/language.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "bracket/model/plan_file.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/planned.hpp"  // settings_of

/// Plan files for programs. Requires bracket::json beside bracket::runtime.
namespace bracket {

/// Reads a plan file and returns its reduction for so many elements on the ranks of a communicator.
/// Collective. Throws `CollectiveError` if a rank cannot read the file, or if it is for other
/// numbers of elements or ranks or for another version of the order.
///
///     const auto planned = bracket::read_planned_reduction(MPI_COMM_WORLD, "sum.json", elements);
///     std::vector<double> mine = ...;  // the elements planned.distribution.range(rank)
///     bracket::Reducer<double> sum(MPI_COMM_WORLD, bracket::Layout::contiguous(mine.size()),
///                                  bracket::settings_of(planned));
inline ScheduleHeader read_planned_reduction(MPI_Comm communicator,
                                             const std::filesystem::path& path, Index elements) {
  const Communicator ranks(communicator);
  std::optional<ScheduleHeader> planned;
  together(ranks, [&] { planned = read_planned_reduction(path, elements, ranks.size()); });
  return *std::move(planned);
}

}  // namespace bracket
