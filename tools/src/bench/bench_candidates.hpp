#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/runtime/any_reducer.hpp"

namespace bracket::tools {

/// What the others are measured against.
constexpr std::string_view baseline = "irreproducible";
constexpr std::string_view accumulate = "accumulate";
/// That which a plan file says.
constexpr std::string_view tuned = "tuned";

/// A way of summing that leaves the sum on every rank: a plan for sums in an order, a reducer's
/// algorithm beside those, or neither, with bits that depend on the ranks.
struct Candidate {
  std::string name;  ///< as asked for
  std::unique_ptr<Plan> plan{};
  std::optional<Settings> algorithm{};

  [[nodiscard]] std::string spec() const;
};

/// The baseline and those asked for, all that are known if none is. Throws `Error` for an unknown
/// name and for what is asked for twice.
std::vector<Candidate> make_candidates(const std::vector<std::string>& names);

/// A plan file for single numbers that end on every rank. Throws `Error`, naming the file, for
/// another and as `read_tuning` does.
PlanFile read_plan_file_to_all(const std::string& file);

}  // namespace bracket::tools
