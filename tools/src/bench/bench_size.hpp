// SPDX-License-Identifier: MIT

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_candidates.hpp"
#include "bracket/model/distribution.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"

namespace bracket::tools {

/// What `bench` measures for one number of elements.
struct BenchSize {
  /// Order and distribution of the elements.
  struct Sharing {
    Order order;
    Distribution distribution;
    std::string name;  ///< of the distribution

    [[nodiscard]] Problem problem() const { return {order, distribution, Delivery::to_all()}; }
  };

  /// A candidate over one distribution. Refers to the size and to the candidates.
  struct Entrant {
    std::string name;
    const Plan* plan;            ///< may be null
    const Algorithm* algorithm;  ///< may be null
    const Sharing* sharing;
    std::size_t compared_with;  ///< position of the entrant of its ratio
  };

  std::deque<Sharing> sharings{};  ///< a deque: entrants refer to its elements
  std::unique_ptr<Plan> tuned_plan{};
  std::vector<Entrant> entrants{};
  std::vector<std::string> objections{};  ///< why candidates are left out

  [[nodiscard]] Index elements() const { return sharings.front().order.elements(); }

  /// The elements that a rank holds in any of the distributions.
  [[nodiscard]] std::vector<Range> held(Rank rank) const;

  /// Adds all candidates over a distribution. A candidate that does not fit is an error or, if
  /// `all`, an objection. The first candidate is the baseline.
  void add(const std::vector<BenchCandidate>& candidates, Sharing sharing, bool all);

  /// Adds the choice of a plan file, which is called `file`. It is compared with the first
  /// baseline. Throws `Error`, which names the file, if it has no plan for these elements.
  void add_tuned(const PlanFile& plans, const std::string& file, Index elements, Rank ranks);
};

}  // namespace bracket::tools
