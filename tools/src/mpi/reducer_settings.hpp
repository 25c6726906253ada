#pragma once

#include <string>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "run/run.hpp"

namespace bracket::tools {

/// `--algorithm` as it was written. Throws `Error` for an unknown name and bad parameters.
void read_algorithm(const std::string& written, Settings& settings);

/// The algorithm with its parameter, as `read_algorithm` takes it.
std::string algorithm_of(const Settings& settings);

/// What the options of `run` ask of a reducer.
struct ReducerRequest {
  Type type = Type::float64;
  Op op = Op::sum;
  Settings settings;               ///< without the plan
  std::string algorithm;           ///< with every parameter
  std::vector<std::string> plans;  ///< likewise

  [[nodiscard]] bool of_integers() const { return is_integer(type); }
};

/// The type of the elements. Throws `Error` for an unknown name.
Type asked_type(const ArithmeticOptions& options);

/// Throws `Error` for what only sums of float64 have, plans aside.
void check_reducible(const RunOptions& options);

/// What is asked for of so many elements. `--order` stands for the algorithm where that is not
/// given; where both are they must say the same. Throws `Error` for unknown names, bad parameters,
/// contradictions, and what only sums of float64 have.
ReducerRequest make_request(const RunOptions& options, Index elements);

}  // namespace bracket::tools
