// SPDX-License-Identifier: MIT

#include "simulate/simulate_sweep.hpp"

#include <fmt/format.h>

#include "bracket/support/error.hpp"
#include "common/exclusions.hpp"

namespace bracket::tools {

/// The options at a point of the sweep. The members refer to each other.
struct SimulateSweep::OpenPoint {
  std::size_t number = 0;
  SimulateOptions options;
  CLI::App app;
  std::optional<SimulateRows> rows;
};

SimulateSweep::SimulateSweep(const SimulateOptions& options, SweptCommand command)
    : options_(options), command_(std::move(command)) {}

SimulateSweep::~SimulateSweep() = default;

void SimulateSweep::check() {
  if (options_.finish) throw Error("--finish requires a single simulation, not a sweep");
  SimulateOptions options;
  options.of_sweep = true;
  CLI::App app;
  options.add_to(app);
  command_.check(app);
  command_.for_each_point(
      [this](std::size_t point, std::size_t points, std::vector<std::string> words) {
        const SimulateRows& rows = open(point, points, std::move(words));
        for (std::uint32_t distribution = 0; distribution < rows.distributions(); ++distribution) {
          for (std::uint32_t plan = 0; plan < rows.plans(); ++plan) {
            pieces_.push_back({static_cast<std::uint32_t>(point - 1), distribution, plan});
          }
        }
      });
  opened_.reset();
}

SimulateRows& SimulateSweep::open(std::size_t point, std::size_t points,
                                  std::vector<std::string> words) {
  if (opened_ && opened_->number == point) return *opened_->rows;
  opened_ = std::make_unique<OpenPoint>();
  SimulateOptions& options = opened_->options;
  options.of_sweep = true;
  options.add_to(opened_->app);
  parse_words(opened_->app, std::move(words));
  options.sweeps = options_.sweeps;
  options.check(opened_->app);
  options.settle();
  opened_->rows.emplace(options, fmt::format("point {} of {}, ", point, points));
  opened_->number = point;
  return *opened_->rows;
}

void SimulateSweep::simulate(std::uint64_t piece, const SimulateRows::RowUses& uses) {
  const Piece& one = pieces_[piece];
  const auto use = [&](std::size_t number, std::size_t points, std::vector<std::string> words) {
    open(number, points, std::move(words)).run(one.distribution, one.plan, uses);
  };
  command_.at_point(one.point, use);
}

std::string SimulateSweep::where(std::uint64_t piece) const {
  return command_.where(pieces_[piece].point);
}

}  // namespace bracket::tools
