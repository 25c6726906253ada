// SPDX-License-Identifier: MIT

#pragma once

#include <map>
#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/operation.hpp"
#include "cost/recorded_run.hpp"

namespace bracket::tools {

/// Schedule that takes the place of recorded reductions of one size, on a machine with the costs of
/// its operation.
struct Replacement {
  Schedule schedule;
  Machine machine;
  /// Usual seconds of the program's own loop on each rank, which the schedule does as well.
  std::vector<double> loop{};
};

/// The library's algorithm for reductions of one size.
struct ByLibrary {
  Replacement replacement;
  std::string file{};  ///< of `--library` that it comes from; empty if from none
};

/// What the program adds by a loop of its own before it reduces single numbers.
struct LocalSums {
  Index elements = 0;                         ///< on all ranks together; 0: one for each rank
  std::vector<Terms> terms{Terms::elements};  ///< by turns of the sums on a communicator
  Baseline loop = Baseline::accumulate;
};

/// Makes the replacements of all reductions.
class Replacements {
 public:
  /// Reads the schedules of the library's algorithms from `files`. Throws `Error`, which names the
  /// file, if one is wrong or not of a library: with one element on each rank.
  Replacements(Machine machine, LocalSums sums, const std::vector<std::string>& files);

  /// Returns the library's algorithm: the schedule of a file for these ranks and items; otherwise
  /// the plan of a file for the same collective; otherwise recursive doubling (halving for long
  /// vectors) for an all-reduce and a binomial tree for a reduce. A plan that follows one
  /// bracketing suits no other size.
  [[nodiscard]] ByLibrary by_library(const ReductionSize& size) const;

  /// Returns the schedules of a plan: one for each kind of terms, whose turns the sums on a
  /// communicator take. Returns none, and sets `reason`, if plan or algorithm do not suit the
  /// reduction. Throws `Error` if the machine has no times for the algorithm.
  [[nodiscard]] std::vector<Replacement> by_plan(const ReductionSize& size, const std::string& plan,
                                                 const std::string& algorithm,
                                                 std::string& reason) const;

  /// Returns a lower bound on the seconds that such a reduction takes by the plan, which needs no
  /// schedule; 0 if plan or algorithm do not suit.
  [[nodiscard]] double least_seconds(const ReductionSize& size, const std::string& plan,
                                     const std::string& algorithm) const;

  /// Whether the program's loops precede these reductions: the sums of single float64, if there are
  /// elements.
  [[nodiscard]] bool sums_locally(const ReductionSize& size) const;

  /// Whether the machine has measured times, but none for this type and operator: then the times
  /// of the sum of float64 for each byte apply.
  [[nodiscard]] bool guesses(const ReductionSize& size) const;

  /// The operation of the machine whose times the program's loop has: that of the loop over these
  /// terms or, if the machine has only measured the loop over elements, the latter.
  [[nodiscard]] Operation loop_over(Terms terms) const;

 private:
  [[nodiscard]] Distribution held_by(const ReductionSize& size) const;
  [[nodiscard]] Machine machine_for(const Operation& operation) const;
  [[nodiscard]] Machine costs_of(const Operation& operation) const;
  [[nodiscard]] std::vector<double> loops(const Distribution& distribution, Terms terms) const;

  Machine machine_;
  Machine library_;  // with the start of the library's all-reduce, and its messages
  LocalSums sums_;
  std::vector<std::pair<std::string, Schedule>> known_;  // by file
};

}  // namespace bracket::tools
