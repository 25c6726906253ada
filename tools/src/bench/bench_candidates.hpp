// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"

namespace bracket::tools {

/// The candidate that all others are compared with.
constexpr std::string_view baseline = "irreproducible";
constexpr std::string_view accumulate = "accumulate";
/// The candidate from a plan file.
constexpr std::string_view tuned = "tuned";

/// A way of summing that leaves the sum on every rank: a plan for sums in an order, another
/// algorithm of a reducer, or, without both, a sum whose bits depend on the ranks.
struct BenchCandidate {
  std::string name;  ///< as written by the user
  std::unique_ptr<Plan> plan{};
  std::optional<Algorithm> algorithm{};

  [[nodiscard]] std::string spec() const;
};

/// Returns the baseline and the candidates with these names, or all known candidates if `names` is
/// empty. Throws `Error` for an unknown name and for a candidate that is named twice.
std::vector<BenchCandidate> make_candidates(const std::vector<std::string>& names);

/// Reads a plan file for sums of single numbers to every rank. Throws `Error`, which names the
/// file, for a plan file of another reduction, and as `read_tuning` does.
PlanFile read_plan_file_to_all(const std::string& file);

}  // namespace bracket::tools
