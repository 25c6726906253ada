#include "bracket/model/tune.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "bracket/model/error.hpp"

namespace bracket {

namespace {

/// The shortest text that reads back as exactly `value`.
std::string shortest(double value) {
  std::array<char, 32> written;
  const auto result = std::to_chars(written.data(), written.data() + written.size(), value);
  return {written.data(), result.ptr};
}

}  // namespace

std::vector<Candidate> tune_by_score(Index elements, Rank ranks, double alpha,
                                     const ScoreCosts& costs) {
  constexpr int deviations = 16;
  std::vector<Candidate> candidates;
  const auto weigh = [&](std::string name, Distribution distribution) {
    const bool known = std::any_of(
        candidates.begin(), candidates.end(),
        [&](const Candidate& candidate) { return candidate.distribution == distribution; });
    if (known) return;
    const Index messages = message_count(distribution);
    const double seconds = score(distribution, costs);
    candidates.push_back({std::move(name), std::move(distribution), messages, seconds});
  };
  weigh("upper", upper_distribution(elements, ranks));
  weigh("lower", lower_distribution(elements, ranks));
  weigh("power2", power2_distribution(elements, ranks));
  for (int i = deviations; i >= 1; --i) {
    const double deviation = i == deviations ? alpha : alpha * i / deviations;
    weigh("optimized:" + shortest(deviation), optimized_distribution(elements, ranks, deviation));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.score_seconds < b.score_seconds; });
  return candidates;
}

}  // namespace bracket
