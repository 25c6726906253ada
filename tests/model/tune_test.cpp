#include "bracket/model/tune.hpp"

#include <set>

#include "bracket/model/error.hpp"
#include "bracket/model/spec.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace bracket;

TEST_CASE("tuning finds at least what Algorithm 3 finds for the thesis's example") {
  const auto candidates = tune_by_score(504850, 256, 0.2);
  CHECK(candidates.front().messages <= 557);
  CHECK(candidates.front().score_seconds <= 165.1e-6);
}

TEST_CASE("candidates come by score, each once, each the distribution it is named for") {
  testing::property("tune_by_score", [] {
    const Index elements = *rc::gen::inRange<Index>(1, 20000);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 100);
    const double alpha = *rc::gen::inRange(0, 32) / 32.0;
    const auto candidates = tune_by_score(elements, ranks, alpha);
    const double algorithm3 = score(optimized_distribution(elements, ranks, alpha));
    RC_ASSERT(candidates.front().score_seconds <= algorithm3);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto& [name, distribution, messages, seconds] = candidates[i];
      RC_ASSERT(messages == message_count_by_walk(distribution));
      RC_ASSERT(seconds == score(distribution));
      RC_ASSERT(make_distribution(name, elements, ranks) == distribution);
      if (i > 0) RC_ASSERT(candidates[i - 1].score_seconds <= seconds);
      for (std::size_t j = 0; j < i; ++j) RC_ASSERT(candidates[j].distribution != distribution);
    }
  });
}

TEST_CASE("a candidate's name holds exactly its deviation") {
  testing::property("names of candidates", [] {
    const auto whole = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53);
    const double alpha = static_cast<double>(whole) * 0x1p-53;
    std::set<double> deviations{alpha};
    for (int i = 1; i < 16; ++i) deviations.insert(alpha * i / 16);
    const Index elements = *rc::gen::inRange<Index>(1, Index{1} << 60);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 40);
    for (const auto& candidate : tune_by_score(elements, ranks, alpha)) {
      RC_ASSERT(make_distribution(candidate.name, elements, ranks) == candidate.distribution);
      const Spec spec = Spec::parse(candidate.name);
      if (spec.name == "optimized") RC_ASSERT(deviations.contains(spec.number(0, "alpha", -1)));
    }
  });
}

TEST_CASE("a deviation that cannot be is refused") {
  CHECK_THROWS_WITH(tune_by_score(100, 4, -0.5), Catch::Contains("alpha"));
  CHECK_THROWS_WITH(tune_by_score(0, 4, 0.5), Catch::Contains("N must be"));
}
