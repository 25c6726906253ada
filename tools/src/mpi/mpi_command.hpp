// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/model/order.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/measure.hpp"
#include "common/commands.hpp"
#include "common/result.hpp"

/// Functions of the subcommands that run on the ranks of mpiexec.
namespace bracket::tools {

/// Code of a subcommand that runs on these ranks.
using MpiCommand = CommandCode<const Communicator&>;

/// Throws a `CollectiveError` on every rank if any rank has a `failure`, with its words, or if the
/// ranks do not all run the same `command` (or none) with the same options: collective work of
/// different commands would not end. Collective.
void start_together(const Communicator& world, const std::string& failure, const CLI::App* command);

/// The same check for a command's name, and for options as their names and words.
void start_together(const Communicator& world, const std::string& failure,
                    const std::string& command,
                    const std::vector<std::pair<std::string, std::vector<std::string>>>& options);

/// Makes `command` call `action` on every rank. If `action` throws anything but a
/// `CollectiveError`, all ranks end with exit code 2.
void on_ranks(CLI::App& command, const Communicator& world, std::function<void()> action);

/// Adds `-p`, which is always refused with a hint at `mpiexec -n`.
void refuse_rank_count(CLI::App& command);

/// Adds `--kernel`.
void add_kernel(CLI::App& command, std::string& kernel);

/// Makes the order `spec` for sums of float64. `said` names its option in errors. Throws `Error` if
/// the order does not fix the bracketing.
Order make_sum_order(const std::string& spec, Index elements, const std::string& said = "--order");

/// Resizes `numbers` to the size of `range`. Throws `Error` if memory does not suffice.
void make_room(std::vector<double>& numbers, Range range);

/// Warns on stderr if ranks with `threads` threads each share cores.
void warn_of_oversubscription(const runtime::Environment& environment, int threads);

/// Adds the environment of the measurement to a row, and whether ranks with `threads`
/// threads each share cores.
void tell_environment(nlohmann::ordered_json& row, const runtime::Environment& environment,
                      int threads);

}  // namespace bracket::tools
