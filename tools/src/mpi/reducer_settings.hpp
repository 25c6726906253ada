// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "run/run_command.hpp"

namespace bracket::tools {

/// The reducer that the options of `run` ask for.
struct ReducerRequest {
  Type type = Type::float64;
  Op op = Op::sum;
  Settings settings;               ///< without the plan
  std::string algorithm;           ///< with every parameter
  std::vector<std::string> plans;  ///< with every parameter

  [[nodiscard]] bool of_integers() const { return is_integer(type); }
};

/// Throws `Error` for options that only sums of float64 have, other than plans.
void check_reducible(const RunOptions& options);

/// Makes the request for `elements` elements. Without `--algorithm`, `--order` determines the
/// algorithm; if both are given, they must agree. Throws `Error` for unknown names, bad parameters,
/// contradictions, and plans that only sums of float64 have.
ReducerRequest make_request(const RunOptions& options, Index elements);

}  // namespace bracket::tools
