// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/machine_fit.hpp"

namespace bracket::model {

/// The figures of a machine that measured rows determine. Maps parameter values to a machine and
/// chooses where their search starts.
class MachineShape {
 public:
  /// A fitted parameter: the logarithm of a figure, or the log-odds of a share.
  struct Parameter {
    double start = 0;
    double usual = 0;      ///< mean of its normal prior
    double deviation = 1;  ///< standard deviation of the prior
  };

  /// Refers to the rows, of which there is at least one.
  explicit MachineShape(std::span<const FitRow> rows);

  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

  /// The figures that the rows do not determine, in sentences.
  [[nodiscard]] std::vector<std::string> assumed() const;

  /// See `MachineFit`. `values` has a value for each parameter.
  [[nodiscard]] double combine_share(std::span<const double> values) const;

  /// The machine of these values, one for each parameter.
  [[nodiscard]] Machine machine(std::span<const double> values) const;

 private:
  [[nodiscard]] std::size_t most_figures() const;
  [[nodiscard]] bool knows_long_messages() const;
  std::size_t add(double start, double deviation);
  void find_beginnings();
  void begin_messages(double each, double loose);

  std::span<const FitRow> rows_;
  Index value_bytes_;
  std::vector<double> bytes_;  // message sizes of the table
  double largest_ = 0;         // bytes in a message
  std::size_t sizes_ = 0;      // of messages, before the table was thinned
  bool merged_ = false;        // whether the table's first size stands for several tiny ones
  std::vector<double> folds_;  // fold sizes of the table, in numbers
  bool alone_ = false;         // whether a row is on one rank
  bool schedules_ = false;     // whether a row's ranks differ in their messages
  bool combines_ = false;      // whether a row has vectors
  std::vector<Parameter> parameters_;
  std::size_t alone_start_ = 0;  // indices of parameters
  std::size_t fold_ = 0;
  std::size_t rates_ = 0;  // number of fitted times per number; neighbouring fold sizes share one
  std::size_t overhead_ = 0;
  std::size_t combine_ = 0;
};

}  // namespace bracket::model
