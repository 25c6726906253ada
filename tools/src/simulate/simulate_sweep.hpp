#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/swept_command.hpp"
#include "simulate/simulate_options.hpp"
#include "simulate/simulate_rows.hpp"

namespace bracket::tools {

/// The simulations of a sweep in pieces, numbered from 0 in their order: a distribution and a plan
/// of a point each.
class SimulateSweep {
 public:
  /// `options` are those of the whole command.
  SimulateSweep(const SimulateOptions& options, SweptCommand command);
  ~SimulateSweep();

  /// Throws `Error` for options of any point that do not go together. To be called first.
  void check();

  [[nodiscard]] std::uint64_t pieces() const { return pieces_.size(); }

  /// Throws `Error` with the point for what cannot be simulated.
  void simulate(std::uint64_t piece, const SimulateRows::Uses& uses);

  /// What that begins with.
  [[nodiscard]] std::string where(std::uint64_t piece) const;

 private:
  struct Piece {
    std::uint32_t point;
    std::uint32_t distribution;
    std::uint32_t plan;
  };
  struct Point;
  SimulateRows& open(std::size_t point, std::size_t points, std::vector<std::string> words);

  const SimulateOptions& options_;
  SweptCommand command_;
  std::vector<Piece> pieces_;
  std::unique_ptr<Point> opened_;  // the last
};

}  // namespace bracket::tools
