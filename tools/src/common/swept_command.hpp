#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/sweep.hpp"

namespace bracket::tools {

/// Adds `--sweep`. `sweeps` gets what is written.
void add_sweep(CLI::App& command, std::vector<Sweep>& sweeps);

/// Whether this command line is of the subcommand `name` and has a `--sweep`.
bool asks_for_sweep(std::string_view name, int argc, char** argv);

/// Whether `--sweep` gives the values of this option, by any of its names without dashes.
bool is_swept(const std::vector<Sweep>& sweeps, const std::vector<std::string>& names);

/// The options that they give the values of, with dashes.
std::set<std::string> swept_options(const std::vector<Sweep>& sweeps);

/// A subcommand that runs once for each point of its sweeps.
class SweptCommand {
 public:
  /// Gets the number of the point, from 1, of how many it is, and the command line without
  /// `--sweep` but with the point's options: in reverse, as `CLI::App::parse` takes it.
  using Use =
      std::function<void(std::size_t point, std::size_t points, std::vector<std::string> words)>;

  /// `name` with the whole command line. Options in `of_whole`, without dashes, cannot be swept.
  SweptCommand(std::string name, int argc, char** argv, std::vector<std::string> of_whole,
               std::vector<Sweep> sweeps);

  /// Throws `Error` unless what is swept are options of a point, which `command` has, that are not
  /// given besides. `command` reads the words without the sweeps. To be called before the others.
  void check(CLI::App& command);

  [[nodiscard]] std::size_t points() const { return points_.size(); }

  /// "--sweep latency=1e-06, p=64: ", of the point with this number, from 0.
  [[nodiscard]] std::string where(std::size_t point) const;

  /// An exception that `use` throws is thrown on as an `Error` with the point before it.
  void at_point(std::size_t point, const Use& use) const;
  void for_each_point(const Use& use) const;

 private:
  std::string name_;
  std::vector<std::string> words_;
  std::vector<std::string> of_whole_;
  std::vector<Sweep> sweeps_;
  std::vector<SweepPoint> points_;
};

}  // namespace bracket::tools
