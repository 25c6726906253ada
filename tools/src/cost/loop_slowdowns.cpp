// SPDX-License-Identifier: MIT

#include "cost/loop_slowdowns.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace bracket::tools {

namespace {

/// Gaps of one rank before the sums of one loop.
class GapsOfLoop {
 public:
  void add(double gap) { gaps_.push_back(gap); }

  /// After all gaps, of which there may be none.
  void finish() {
    if (gaps_.empty()) return;
    // The lower one of two in the middle: of two gaps, the first is often longer.
    const auto middle = gaps_.begin() + static_cast<std::ptrdiff_t>((gaps_.size() - 1) / 2);
    std::nth_element(gaps_.begin(), middle, gaps_.end());
    median_ = *middle;
    gaps_ = {};
  }

  [[nodiscard]] float slowdown(double gap) const {
    const bool usual = median_ > 0 && 2 * gap >= median_ && gap <= 2 * median_;
    return usual ? static_cast<float>(gap / median_) : 1.0F;
  }

 private:
  std::vector<double> gaps_;
  double median_ = 0;
};

}  // namespace

void set_slowdowns(RecordedRun& run, std::size_t turns) {
  using Loop = std::tuple<std::size_t, std::size_t, std::size_t>;  // site, size, turn
  std::map<Loop, std::vector<GapsOfLoop>> loops;                   // by rank
  const auto each = [&](const auto& use) {
    for (RecordedCall& call : run.calls) {
      if (!run.sizes[call.size].single_sum()) continue;
      std::vector<GapsOfLoop>& of_rank = loops[{call.site, call.size, call.number % turns}];
      of_rank.resize(run.starts.size());
      for (std::size_t k = 0; k < call.members.size(); ++k) {
        use(call, of_rank[static_cast<std::size_t>(call.members[k])], call.gaps[k]);
      }
    }
  };
  each([](RecordedCall&, GapsOfLoop& gaps, double gap) { gaps.add(gap); });
  for (auto& [loop, of_rank] : loops) {
    for (GapsOfLoop& gaps : of_rank) gaps.finish();
  }
  each([](RecordedCall& call, GapsOfLoop& gaps, double gap) {
    call.slowdowns.push_back(gaps.slowdown(gap));
  });
}

}  // namespace bracket::tools
