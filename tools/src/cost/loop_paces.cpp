// SPDX-License-Identifier: MIT

#include "cost/loop_paces.hpp"

#include <map>
#include <utility>
#include <vector>

#include "bracket/support/order_statistics.hpp"

namespace bracket::tools {

namespace {

/// Gaps of one rank before the sums of one loop.
class GapsOfLoop {
 public:
  void add(double gap) { gaps_.push_back(gap); }

  /// After all gaps.
  void finish() { median_ = support::median(std::exchange(gaps_, {})); }

  [[nodiscard]] float pace(double gap) const {
    return gap > 2 * median_ || median_ == 0 ? 1.0F : static_cast<float>(gap / median_);
  }

 private:
  std::vector<double> gaps_;
  double median_ = 0;
};

}  // namespace

void set_paces(RecordedRun& run, std::size_t turns) {
  using Loop = std::pair<std::size_t, std::size_t>;  // index of the size, turn
  std::map<Loop, std::map<Rank, GapsOfLoop>> loops;
  const auto each = [&](const auto& use) {
    for (RecordedCall& call : run.calls) {
      if (run.sizes[call.size].single_sum()) use(call, loops[{call.size, call.number % turns}]);
    }
  };
  each([](const RecordedCall& call, std::map<Rank, GapsOfLoop>& of_rank) {
    for (std::size_t k = 0; k < call.members.size(); ++k) {
      of_rank[call.members[k]].add(call.gaps[k]);
    }
  });
  for (auto& [loop, of_rank] : loops) {
    for (auto& [rank, gaps] : of_rank) gaps.finish();
  }
  each([](RecordedCall& call, std::map<Rank, GapsOfLoop>& of_rank) {
    for (std::size_t k = 0; k < call.members.size(); ++k) {
      call.paces.push_back(of_rank[call.members[k]].pace(call.gaps[k]));
    }
  });
}

}  // namespace bracket::tools
