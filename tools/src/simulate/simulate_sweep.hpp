// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/swept_command.hpp"
#include "simulate/simulate_options.hpp"
#include "simulate/simulate_rows.hpp"

namespace bracket::tools {

/// The simulations of a sweep, split into pieces that are numbered from 0 in their order. A piece
/// is one distribution and one plan at one point.
class SimulateSweep {
 public:
  /// `options` are the options of the whole command.
  SimulateSweep(const SimulateOptions& options, SweptCommand command);
  ~SimulateSweep();

  /// Throws `Error` if the options of any point contradict each other. Call it first.
  void check();

  [[nodiscard]] std::uint64_t pieces() const { return pieces_.size(); }

  /// Throws `Error`, which names the point, if the piece cannot be simulated.
  void simulate(std::uint64_t piece, const SimulateRows::RowUses& uses);

  /// The beginning of that error: the point.
  [[nodiscard]] std::string where(std::uint64_t piece) const;

 private:
  struct Piece {
    std::uint32_t point;
    std::uint32_t distribution;
    std::uint32_t plan;
  };
  struct OpenPoint;
  SimulateRows& open(std::size_t point, std::size_t points, std::vector<std::string> words);

  const SimulateOptions& options_;
  SweptCommand command_;
  std::vector<Piece> pieces_;
  std::unique_ptr<OpenPoint> opened_;  // the last one
};

}  // namespace bracket::tools
