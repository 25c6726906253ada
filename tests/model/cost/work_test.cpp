// SPDX-License-Identifier: MIT

#include "bracket/model/work.hpp"

#include <limits>

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "model/cost/example_work.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace work_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;
using testing::example_work;
using testing::machine_of;

namespace {

/// Seconds of a fold of `elements`, by a walk from point to point.
double naive_fold(const std::vector<MeasuredWork::Fold>& folds, double elements) {
  if (elements <= static_cast<double>(folds.front().elements)) return folds.front().seconds;
  for (std::size_t i = 1; i < folds.size(); ++i) {
    const auto from = static_cast<double>(folds[i - 1].elements);
    const auto to = static_cast<double>(folds[i].elements);
    if (elements > to) continue;
    const double share = (elements - from) / (to - from);
    return folds[i - 1].seconds * (1 - share) + folds[i].seconds * share;
  }
  return folds.back().seconds * (elements / static_cast<double>(folds.back().elements));
}

MeasuredWork any_work() {
  MeasuredWork work;
  Index elements = 0;
  double seconds = 0;
  for (int points = *rc::gen::inRange(1, 8); points > 0; --points) {
    elements += *rc::gen::inRange<Index>(1, 1000);
    seconds += *rc::gen::inRange(0, 1000);
    work.folds.push_back({elements, seconds});
  }
  return work;
}

}  // namespace

TEST_CASE("a fold takes what was measured, straight lines between") {
  CHECK(example_work.fold(4) == 10);
  CHECK(example_work.fold(16) == 22);
  CHECK(example_work.fold(64) == 214);
  CHECK(example_work.fold(1) == 10);
  CHECK(example_work.fold(10) == Approx(16));
  CHECK(example_work.fold(40) == Approx(118));
  CHECK(example_work.fold(640) == Approx(2140));
}

TEST_CASE("any measured folds: as by a walk, and more elements never take less") {
  testing::property("folds", [] {
    const MeasuredWork work = any_work();
    work.check();
    double before = 0;
    Index elements = 0;
    for (int k = 0; k < 50; ++k) {
      elements += *rc::gen::inRange<Index>(0, 300);
      const double seconds = work.fold(static_cast<double>(elements));
      RC_ASSERT(seconds >= before);
      RC_ASSERT(seconds == Approx(naive_fold(work.folds, static_cast<double>(elements))));
      before = seconds;
    }
  });
}

TEST_CASE("a rank's folds take at least what all its elements take together") {
  RankPart part;
  part.fold(Range{0, 64});
  part.fold(Range{64, 68});
  part.join(Partial(Range{0, 64}), Partial(Range{64, 68}));
  const Machine machine = machine_of(example_work);
  const RankWork work(machine, part, {0, 1000});
  // In a fold of 68, an element takes 214 / 64 seconds; in a fold of 4, less than 10 / 4.
  CHECK(work(part.steps()[0]) == Approx(214));
  CHECK(work(part.steps()[1]) == Approx(4 * 214.0 / 64));
  CHECK(work(part.steps()[2]) == 3);

  RankPart few;
  few.fold(Range{0, 4});
  few.fold(Range{4, 16});
  const RankWork of_few(machine, few, {0, 1000});
  CHECK(of_few(few.steps()[0]) == 10);
  CHECK(of_few(few.steps()[1]) == Approx(18));

  RankPart vectors(16);
  vectors.fold(Range{0, 4});
  vectors.join(Partial(Range{0, 4}), Partial(Range{4, 8}));
  const RankWork of_vectors(machine, vectors, {0, 1000});
  CHECK(of_vectors(vectors.steps()[0]) == Approx(214));
  CHECK(of_vectors(vectors.steps()[1]) == 16 * 3);
}

TEST_CASE("folds and copies of a rank share the cache") {
  MeasuredWork work = example_work;
  // Each number beyond 8 takes longer.
  work.copies = {{8, 8}, {32, 80}, {64, 240}};
  const Machine machine = machine_of(work);
  const auto run_of = [](Range range) { return Partial::run_of(range); };

  // Own elements [0, 16) and received elements [16, 32) are folded together. The fold touches 16
  // elements where they lie, 16 copies of these and 16 received elements.
  RankPart root;
  root.recv(1, {{run_of({16, 32})}});
  root.fold(Range{0, 32});
  const RankWork of_root(machine, root, {0, 16});
  // In a fold of 48, an element takes (22 + 2 / 3 * 192) / 48 seconds, more than in one of 32.
  const double fold = 32 * 150.0 / 48;
  // A copy of 24 touches 48 and takes 8 + 2 / 3 * 72 seconds. A copy of 16 alone takes 32.
  const double copy = 16 * 56.0 / 24;
  CHECK(of_root(root.steps()[1]) == Approx(fold + copy));

  // The sender touches its elements and their copies.
  RankPart sender;
  sender.send(0, {{run_of({16, 32})}});
  CHECK(RankWork(machine, sender, {16, 32})(sender.steps()[0]) == Approx(8 + 72.0 / 3));
}

TEST_CASE("without a measurement a fold takes an addition less than it has elements") {
  const Machine machine{.seconds_per_addition = 7};
  RankPart part(3);
  part.fold(Range{0, 11});
  part.join(Partial(Range{0, 11}), Partial(Range{11, 12}));
  part.send(1, {{Partial(Range{0, 12})}});
  const RankWork work(machine, part, {0, 1000});
  CHECK(work(part.steps()[0]) == 10 * 3 * 7);
  CHECK(work(part.steps()[1]) == 3 * 7);
  CHECK(work(part.steps()[2]) == 0);
  CHECK(machine.start(2, Collective::all_reduce, 1000) == 0);
}

TEST_CASE("fields are folded one by one, and their results cost a copy") {
  const std::vector<MeasuredWork::Fold> tens{{1, 10}, {1000, 10000}};
  MeasuredWork work{{.seconds_per_join = 7,
                     .folds = {{1, 2}, {1000, 2000}},
                     .copies = tens,
                     .joins = {{1, 100}, {10, 1000}},
                     .vector_folds = {{1, 3000}, {1000, 3001}}},
                    5};
  const Machine machine = machine_of(work);
  const auto distribution = Distribution::from_counts(std::vector<Index>{4, 4});
  const auto order = make_order("tree", 8);
  const auto seconds = [&](Items items) {
    const Problem problem{order, distribution, Delivery::to_all(), items};
    const Schedule schedule = make_schedule(problem, *make_plan("butterfly"));
    return paper_cost(schedule, machine).makespan;
  };
  const double message = 100 + 1000 + 100;
  // Three folds of 4, and three values joined. A run copies its three results.
  CHECK(seconds(Items::of_fields(3)) == Approx(5 + 3 * 10 + 3 * 4 * 2 + message + 3 * 7));
  CHECK(seconds(1) == Approx(5 + 4 * 2 + message + 7));
  CHECK(seconds(3) > 3000);
}

TEST_CASE("LogGP with measured work begins when the run has started") {
  const auto distribution = Distribution::from_counts(std::vector<Index>{4, 4});
  const auto schedule =
      make_schedule(make_order("tree", 8), distribution, *make_plan("direct"), Delivery{});
  const auto cost = paper_cost(schedule, machine_of(example_work));
  CHECK(cost.finish[1] == Approx(5 + 10 + 100));
  CHECK(cost.makespan == Approx(5 + 10 + 100 + 1000 + 100 + 3));
  CHECK(cost.critical_path.front().start == 5);
  CHECK(cost.critical_path.front().rank == 1);

  // A late start only delays the whole run.
  Machine late = machine_of(example_work);
  late.work->start = 5000;
  CHECK(paper_cost(schedule, late).makespan == Approx(cost.makespan + 4995));
  CHECK(paper_cost(schedule, late).critical_path.size() == cost.critical_path.size());
}

TEST_CASE(
    "folds of several ranks at once: straight lines between the numbers of ranks, and never "
    "less than alone") {
  MeasuredWork work{{0, {{10, 10}, {20, 30}}}};
  CHECK(work.ranks_of_node() == 1);
  CHECK(work.fold(10, 8) == 10);
  work.folds_together = {{2, {{10, 14}, {20, 20}}}, {6, {{10, 30}, {20, 90}}}};
  CHECK(work.ranks_of_node() == 6);
  CHECK(work.fold(10, 1) == 10);
  CHECK(work.fold(10, 2) == 14);
  CHECK(work.fold(10, 3) == Approx(14 + 16.0 / 4));
  CHECK(work.fold(10, 6) == 30);
  CHECK(work.fold(10, 100) == 30);
  CHECK(work.fold(20, 2) == 30);  // at 20 elements the measured fold alone takes 30
  CHECK(work.fold(40, 6) == Approx(180));
}

TEST_CASE("ranks of a node fold what they hold each as fast as with those that still do") {
  testing::property("ranks of a node fold together", [] {
    MeasuredWork measured = any_work();
    for (auto& fold : measured.folds) fold.seconds += 1;
    double slower = 1;
    for (const Index ranks : {2, 4}) {
      slower += *rc::gen::inRange(0, 20) / 10.0;
      measured.folds_together.push_back({ranks, measured.folds});
      for (auto& fold : measured.folds_together.back().folds) fold.seconds *= slower;
    }
    const Machine machine = machine_of(measured);
    std::vector<Index> counts;
    for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
      counts.push_back(*rc::gen::inRange<Index>(0, 2000));
    }
    counts.push_back(1);
    const auto distribution = Distribution::from_counts(counts);
    std::vector<std::uint32_t> nodes;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      nodes.push_back(*rc::gen::inRange<std::uint32_t>(0, 3));
    }
    const bool placed = *rc::gen::arbitrary<bool>();
    if (!placed) {
      for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<std::uint32_t>(i / 4);
    }
    Work work(machine, distribution, 1, Delivery::to(0),
              placed ? std::span<const std::uint32_t>(nodes) : std::span<const std::uint32_t>());

    // At each moment, every rank that is not done does a share of its fold.
    std::vector<double> done(counts.size());
    std::vector<double> share(counts.size());
    const auto folds = [&](std::size_t i) { return counts[i] > 0 && share[i] < 1; };
    double longest = 0;
    for (const Index count : counts) {
      if (count > 0) longest = std::max(longest, measured.fold(static_cast<double>(count), 4));
    }
    const double moment = longest / 4000;
    for (double now = 0;; now += moment) {
      std::vector<Index> folding(3 + counts.size());
      bool any = false;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (!folds(i)) continue;
        any = true;
        ++folding[nodes[i]];
      }
      if (!any) break;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (!folds(i)) continue;
        share[i] += moment / measured.fold(static_cast<double>(counts[i]), folding[nodes[i]]);
        done[i] = now + moment;
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      RankPart part;
      part.fold(distribution.range(static_cast<Rank>(i)));
      const double seconds = work.of(static_cast<Rank>(i), part)(part.steps()[0]);
      RC_ASSERT(seconds == Approx(done[i]).epsilon(0.03).margin(10 * moment));
    }
  });
}

TEST_CASE(
    "what is folded later, of others' elements, one rank folds for a reduce, and all of a "
    "node otherwise") {
  MeasuredWork measured{{0, {{1, 1}, {100, 100}}}};
  measured.folds_together = {{2, {{1, 3}, {100, 300}}}};
  measured.copies = {{1, 0.5}, {100, 50}};
  const Machine machine = machine_of(measured);
  const auto distribution = Distribution::from_counts(std::vector<Index>{40, 60});
  RankPart root;
  root.fold(Range{0, 100});
  Work reduce(machine, distribution, 1, Delivery::to(0));
  // The rank copies its own elements beside the received ones.
  CHECK(reduce.of(0, root)(root.steps()[0]) == Approx(100 + 20));
  Work all(machine, distribution, 1, Delivery::to_all());
  CHECK(all.of(0, root)(root.steps()[0]) == Approx(300 + 20));

  RankPart other;
  other.send(0, {{Partial::run_of(Range{40, 100})}});
  CHECK(reduce.of(1, other)(other.steps()[0]) == Approx(30));
  RankPart value;
  value.fold(Range{40, 100});
  value.send(0, {{Partial(Range{40, 100})}});
  CHECK(reduce.of(1, value)(value.steps()[1]) == 0);
}

TEST_CASE("ranks leave the caches of a node by what they hold, receive and copy together") {
  Machine machine = machine_of({{0, {{1, 1}}}});
  machine.work->folds_together = {{2, {{1, 1}}}};
  machine.work->copies = {{1, 1}};
  const auto distribution = Distribution::from_counts(std::vector<Index>{40, 60});
  const auto schedule =
      make_schedule(make_order("tree", 100), distribution, *make_plan("gather"), Delivery{});
  const auto leaves = [&](double bytes, std::span<const std::uint32_t> nodes = {}) {
    machine.cache_bytes = bytes;
    Work work(machine, distribution, 1, Delivery{}, nodes);
    for (Rank rank = 0; rank < 2; ++rank) {
      work.of(rank, schedule.parts[static_cast<std::size_t>(rank)]);
    }
    return work.leaves_caches();
  };
  // 40 + 60 held, 60 received, 60 copied by the sender and 40 by the root.
  CHECK(leaves(8 * 260 - 1));
  CHECK_FALSE(leaves(8 * 260));
  const std::vector<std::uint32_t> apart{0, 1};
  CHECK(leaves(8 * 140 - 1, apart));
  CHECK_FALSE(leaves(8 * 140, apart));
  CHECK_THROWS_WITH(leaves(1, std::span(apart).first(1)), Contains("nodes for 1 ranks"));

  machine.messages = {{1, 1, 1, 4000, 1}};
  machine.cold_messages = {{1, 1, 1, 8000, 1}};
  machine.cache_bytes = 8 * 260;
  const double warm = paper_cost(schedule, machine).makespan;
  machine.cache_bytes = 8 * 260 - 1;
  CHECK(paper_cost(schedule, machine).makespan == Approx(warm + 480 * (8000 - 4000) / 2.0));
}

TEST_CASE("a measurement that cannot be is refused") {
  const auto refusal = [](const MeasuredWork& work) -> std::string {
    try {
      machine_of(work).check();
    } catch (const Error& failure) {
      return failure.what();
    }
    return "accepted";
  };
  CHECK(refusal(example_work) == "accepted");
  CHECK(refusal({{0, {{1, 0}, {2, 0}}}}) == "accepted");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THAT(refusal({{0, {{1, 1}}}, -1}), Contains("start in seconds"));
  CHECK_THAT(refusal({{nan, {{1, 1}}}, 0}), Contains("seconds per join"));
  CHECK_THAT(refusal({{0, {}}, 0}), Contains("without a measured fold"));
  CHECK_THAT(refusal({{0, {{1, infinity}}}, 0}), Contains("seconds of a fold"));
  CHECK_THAT(refusal({{0, {{0, 1}}}, 0}), Contains("a fold of 0 elements"));
  CHECK_THAT(refusal({{0, {{2, 1}, {2, 2}}}, 0}), Contains("more than the 2"));
  CHECK_THAT(refusal({{0, {{1, 2}, {2, 1}}}, 0}), Contains("less than one of 1"));
  CHECK_THAT(refusal({{0, {{1, 1}}, {{1, {{1, 1}}}}}, 0}), Contains("folds of 1 ranks at once"));
  CHECK_THAT(refusal({{0, {{1, 1}}, {{3, {{1, 1}}}, {3, {{1, 1}}}}}, 0}),
             Contains("more than the 3"));
  CHECK_THAT(refusal({{0, {{1, 1}}, {{2, {}}}}, 0}), Contains("no measured fold of 2 ranks"));
  CHECK_THAT(refusal({{0, {{1, 1}}, {}, {{2, 2}, {1, 3}}}, 0}), Contains("a copy of 1 elements"));
  CHECK_THAT(refusal({{0, {{1, 1}}}, 0, -1.0}), Contains("on one rank"));
}

}  // namespace work_test
