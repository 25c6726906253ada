// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/sweep.hpp"

namespace bracket::tools {

/// Adds `--sweep`, which appends to `sweeps`.
void add_sweep(CLI::App& command, std::vector<Sweep>& sweeps);

/// Returns whether this command line has the subcommand `name` and a `--sweep`.
bool asks_for_sweep(std::string_view name, int argc, char** argv);

/// Returns whether a sweep sets an option. `names` are the option's names without dashes.
bool is_swept(const std::vector<Sweep>& sweeps, const std::vector<std::string>& names);

/// Returns the options that sweeps set, with dashes.
std::set<std::string> swept_options(const std::vector<Sweep>& sweeps);

/// A subcommand that runs once for each point of its sweeps.
class SweptCommand {
 public:
  /// Function that gets the number of the point, from 1, the number of points, and the command line
  /// without `--sweep` but with the point's options. The words are in reverse, as `CLI::App::parse`
  /// takes them.
  using Use =
      std::function<void(std::size_t point, std::size_t points, std::vector<std::string> words)>;

  /// Takes the whole command line of subcommand `name`. Options in `of_whole`, without dashes,
  /// cannot be swept.
  SweptCommand(std::string name, int argc, char** argv, std::vector<std::string> of_whole,
               std::vector<Sweep> sweeps);

  /// Parses the words without the sweeps by `command`. Throws `Error` unless each swept option is
  /// one that `command` has, applies to a point and is not given otherwise. Call it before the
  /// functions below.
  void check(CLI::App& command);

  [[nodiscard]] std::size_t points() const { return points_.size(); }

  /// Describes the point with this number, from 0, as in "--sweep latency=1e-06, p=64: ".
  [[nodiscard]] std::string where(std::size_t point) const;

  /// Calls `use` for a point. Turns its exceptions into `Error` with the point before the message.
  void at_point(std::size_t point, const Use& use) const;
  /// Calls `at_point` for each point.
  void for_each_point(const Use& use) const;

 private:
  std::string name_;
  std::vector<std::string> words_;
  std::vector<std::string> of_whole_;
  std::vector<Sweep> sweeps_;
  std::vector<SweepPoint> points_;
};

}  // namespace bracket::tools
