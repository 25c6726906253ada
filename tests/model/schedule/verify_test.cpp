// SPDX-License-Identifier: MIT

#include "bracket/model/verify.hpp"

#include "bracket/model/plan.hpp"
#include "support/catch.hpp"

namespace verify_test {

using namespace bracket;
using Catch::Contains;

namespace {

/// Two ranks, N = 6: rank 0 holds [0,4), rank 1 [4,6).
///
///        [0,6)
///       /     \.
///    [0,4)   [4,6)
Schedule two_ranks() {
  Schedule schedule{{"tree", 1, "by hand", Distribution::from_boundaries({0, 4, 6}), {}},
                    std::vector<RankPart>(2)};
  schedule.parts[0].fold({0, 4});
  schedule.parts[0].recv(1, {{Partial(Range{4, 6})}});
  schedule.parts[0].join(Range{0, 4}, Range{4, 6});
  schedule.parts[1].fold({4, 6});
  schedule.parts[1].send(0, {{Partial(Range{4, 6})}});
  return schedule;
}

/// `part` with step `position` removed or replaced.
template <class Replace>
RankPart rebuilt(const RankPart& part, std::size_t position, Replace replace) {
  RankPart result;
  for (std::size_t i = 0; i < part.steps().size(); ++i) {
    const Step& step = part.steps()[i];
    if (i == position) {
      replace(result);
    } else {
      result.add(step.kind, step.peer, part.operands(step));
    }
  }
  return result;
}

const auto nothing = [](RankPart&) {};

std::string first_violation(const Schedule& schedule) {
  const auto verdict = verify(schedule);
  REQUIRE_FALSE(verdict.ok());
  return describe(schedule, verdict.violations.front());
}

}  // namespace

TEST_CASE("a right schedule verifies") {
  const auto verdict = verify(two_ranks());
  CHECK(verdict.ok());
  CHECK(verdict.ends_with_blocking_sends);
}

TEST_CASE("a lost message is refused, naming the receive that waits") {
  auto schedule = two_ranks();
  schedule.parts[1] = rebuilt(schedule.parts[1], 1, nothing);
  CHECK_THAT(first_violation(schedule),
             Contains("rank 0, step 1 (recv from 1: [4,6))") && Contains("sends no such message"));
}

TEST_CASE("a message nobody receives is refused, naming its send") {
  auto schedule = two_ranks();
  schedule.parts[1].send(0, {{Partial(Range{4, 6})}});
  CHECK_THAT(first_violation(schedule), Contains("rank 1, step 2") && Contains("never received"));
}

TEST_CASE("swapped operands are refused") {
  auto schedule = two_ranks();
  schedule.parts[0] = rebuilt(schedule.parts[0], 2, [](RankPart& part) {
    part.join(Range{4, 6}, Range{0, 4});
  });
  CHECK_THAT(first_violation(schedule),
             Contains("rank 0, step 2") && Contains("operands are swapped"));
}

TEST_CASE("a fold of a foreign element is refused") {
  auto schedule = two_ranks();
  schedule.parts[1] = rebuilt(schedule.parts[1], 0, [](RankPart& part) { part.fold({3, 6}); });
  CHECK_THAT(first_violation(schedule),
             Contains("rank 1, step 0 (fold [3,6))") && Contains("holds the elements [4,6)"));
}

TEST_CASE("a fold of what is no bracket is refused") {
  auto schedule = two_ranks();
  schedule.parts[0] = rebuilt(schedule.parts[0], 0, [](RankPart& part) { part.fold({1, 4}); });
  CHECK_THAT(first_violation(schedule), Contains("rank 0, step 0") && Contains("no bracket"));
}

TEST_CASE("a cycle is refused, naming who waits for whom") {
  auto schedule = two_ranks();
  schedule.parts[1] = {};
  schedule.parts[1].recv(0, {{Partial(Range{0, 4})}});
  schedule.parts[1].fold({4, 6});
  schedule.parts[1].send(0, {{Partial(Range{4, 6})}});
  schedule.parts[0].send(1, {{Partial(Range{0, 4})}});
  CHECK_THAT(first_violation(schedule), Contains("rank 0, step 1") &&
                                            Contains("waits forever for rank 1") &&
                                            Contains("waits for rank 0 in its step 0"));
}

TEST_CASE("a join of what the rank does not hold is refused") {
  auto schedule = two_ranks();
  schedule.parts[0] = rebuilt(schedule.parts[0], 0, nothing);
  CHECK_THAT(first_violation(schedule),
             Contains("rank 0, step 1 (join [0,4) [4,6))") && Contains("does not hold [0,4)"));
}

TEST_CASE("a message of what the rank does not hold yet is refused") {
  auto schedule = two_ranks();
  RankPart part;
  part.send(0, {{Partial(Range{4, 6})}});
  part.fold({4, 6});
  schedule.parts[1] = part;
  CHECK_THAT(first_violation(schedule), Contains("rank 1, step 0") && Contains("does not hold"));
}

TEST_CASE("a message that carries something else than its receiver expects is refused") {
  auto schedule = two_ranks();
  schedule.parts[1] = {};
  schedule.parts[1].fold({4, 5});
  schedule.parts[1].send(0, {{Partial(Range{4, 5})}});
  CHECK_THAT(first_violation(schedule),
             Contains("rank 0, step 1") && Contains("expects other partials"));
}

TEST_CASE("a missing result is refused") {
  auto schedule = two_ranks();
  schedule.delivery = Delivery::to(1);
  CHECK_THAT(first_violation(schedule), Contains("rank 1") && Contains("without the result [0,6)"));
  schedule.delivery = Delivery::to_all();
  CHECK_THAT(first_violation(schedule), Contains("rank 1"));
}

TEST_CASE("peers that do not exist are refused") {
  auto schedule = two_ranks();
  schedule.parts[1] = rebuilt(schedule.parts[1], 1, [](RankPart& part) {
    part.send(7, {{Partial(Range{4, 6})}});
  });
  CHECK_THAT(first_violation(schedule),
             Contains("rank 1, step 1") && Contains("rank 7 does not exist"));
  schedule = two_ranks();
  schedule.parts[1].send(1, {{Partial(Range{4, 6})}});
  CHECK_THAT(first_violation(schedule), Contains("to the rank itself"));
}

TEST_CASE("work done twice and empty messages are refused") {
  auto schedule = two_ranks();
  schedule.parts[0].fold({0, 4});
  CHECK_THAT(first_violation(schedule), Contains("rank 0, step 3") && Contains("a second time"));
  schedule = two_ranks();
  schedule.parts[1].send(0, {});
  CHECK_THAT(first_violation(schedule), Contains("an empty message"));
}

TEST_CASE("parts, root and order version must fit") {
  auto schedule = two_ranks();
  schedule.parts.pop_back();
  CHECK_THAT(first_violation(schedule), Contains("1 parts for 2 ranks"));
  schedule = two_ranks();
  schedule.delivery.root = 2;
  CHECK_THAT(first_violation(schedule), Contains("root"));
  schedule = two_ranks();
  schedule.order_version = 99;
  CHECK_THAT(first_violation(schedule), Contains("version 99"));
}

TEST_CASE("whether blocking sends would do is reported") {
  // Each rank sends before it receives: this works with buffered sends and deadlocks with blocking
  // ones.
  Schedule schedule{
      {"tree", 1, "exchange", Distribution::from_boundaries({0, 1, 2}), Delivery::to_all()},
      std::vector<RankPart>(2)};
  for (const Rank rank : {0, 1}) {
    auto& part = schedule.parts[static_cast<std::size_t>(rank)];
    const Range own{rank, rank + 1};
    const Range other{1 - rank, 2 - rank};
    part.fold(own);
    part.send(1 - rank, {{Partial(own)}});
    part.recv(1 - rank, {{Partial(other)}});
    part.join(Range{0, 1}, Range{1, 2});
  }
  auto verdict = verify(schedule);
  CHECK(verdict.ok());
  CHECK_FALSE(verdict.ends_with_blocking_sends);
  RankPart receives_first;
  receives_first.fold({1, 2});
  receives_first.recv(0, {{Partial(Range{0, 1})}});
  receives_first.send(0, {{Partial(Range{1, 2})}});
  receives_first.join(Range{0, 1}, Range{1, 2});
  schedule.parts[1] = receives_first;
  verdict = verify(schedule);
  CHECK(verdict.ok());
  CHECK(verdict.ends_with_blocking_sends);
}

}  // namespace verify_test
