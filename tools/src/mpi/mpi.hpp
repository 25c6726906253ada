#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/model/order.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/measure.hpp"
#include "common/result.hpp"

/// The subcommands that run on the ranks of mpiexec, one for each file, and what they share.
namespace bracket::tools {

void add_run(CLI::App& app, const Communicator& world);
void add_bench(CLI::App& app, const Communicator& world);
void add_calibrate(CLI::App& app, const Communicator& world);

/// Throws a `CollectiveError` on every rank if there is a `failure`, of its words, on any, or
/// unless all are to run the same `command`, or none, with the same options: what they do together
/// would not end. Collective.
void start_together(const Communicator& world, const std::string& failure, const CLI::App* command);

/// The same of a command by its name and of options by their names and words.
void start_together(const Communicator& world, const std::string& failure,
                    const std::string& command,
                    const std::vector<std::pair<std::string, std::vector<std::string>>>& options);

/// `command` calls `action` on every rank. If that throws on some ranks alone, anything but a
/// `CollectiveError`, all are ended, with exit code 2.
void on_ranks(CLI::App& command, const Communicator& world, std::function<void()> action);

/// `-p`, which is refused with the words of what would be right.
void refuse_rank_count(CLI::App& command);

/// `--kernel`.
void add_kernel(CLI::App& command, std::string& kernel);

/// `--threads`.
void add_threads(CLI::App& command, int& threads);

/// " of 2 threads", of ranks; nothing of one.
std::string of_threads(int threads);

/// The order written `spec`, which `said` said, over so many float64. Throws `Error` if it leaves
/// the bracketing open.
std::unique_ptr<Order> make_sum_order(const std::string& spec, Index elements,
                                      const std::string& said = "--order");

/// Makes room in `numbers` for those of `range`. Throws `Error` if there is none.
void make_room(std::vector<double>& numbers, Range range);

/// Says on stderr, if so, that the ranks, of so many threads each, share cores.
void warn_of_oversubscription(const Environment& environment, int threads);

/// Says in a report's row where it was measured, and whether ranks of so many threads share cores.
void tell_environment(nlohmann::ordered_json& row, const Environment& environment, int threads);

}  // namespace bracket::tools
