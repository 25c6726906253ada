// SPDX-License-Identifier: MIT

#include "bracket/model/machine_fit.hpp"

#include <algorithm>
#include <cmath>

#include "bracket/model/allreduce_rounds.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace machine_fit_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

constexpr Index int32_bytes = 4;

FitRow allreduce(AllreduceAlgorithm algorithm, Rank ranks, Index items, const Machine& truth) {
  const auto rounds = allreduce_rounds(algorithm, ranks, items);
  FitRow row;
  row.predict = [=](const Machine& machine) { return seconds_of(rounds, items, ranks, machine); };
  row.measured = row.predict(truth);
  row.ranks = ranks;
  row.message_bytes = static_cast<double>(rounds.front().items * int32_bytes);
  row.items = items;
  row.value_bytes = int32_bytes;
  row.schedule = false;
  return row;
}

FitRow sum(const char* plan, Rank ranks, Index elements, const Machine& truth) {
  const auto order = make_order("tree", elements);
  const auto held = upper_distribution(elements, ranks);
  const auto schedule = make_schedule(order, held, *make_plan(plan), Delivery::to(0));
  FitRow row;
  row.predict = [=](const Machine& machine) { return paper_cost(schedule, machine).makespan; };
  row.measured = row.predict(truth);
  row.ranks = ranks;
  for (const RankPart& part : schedule.parts) {
    for (const Step& step : part.steps()) {
      if (step.kind != StepKind::send) continue;
      row.message_bytes = std::max(row.message_bytes, 8 * static_cast<double>(part.values(step)));
    }
  }
  row.folded = static_cast<double>((elements + ranks - 1) / ranks);
  return row;
}

double off(const FitRow& row, const Machine& machine) {
  return std::abs(row.predict(machine) / row.measured - 1);
}

/// A network whose messages take a + b·bytes; combining takes a fixed time per item.
Machine any_network() {
  const auto between = [](int from, int to) {
    return static_cast<double>(*rc::gen::inRange(from, to));
  };
  Machine truth{.latency = between(500, 5000) * 1e-9,
                .overhead = between(100, 1000) * 1e-9,
                .gap = 0,
                .gap_per_byte = between(5, 500) * 1e-12};
  truth.value_bytes = int32_bytes;
  MeasuredWork& work = truth.work.emplace();
  work.start = between(1000, 5000) * 1e-9;
  work.folds = {{1, 0}};
  work.seconds_per_join = truth.gap_per_byte * int32_bytes * between(10, 60) / 100;
  return truth;
}

/// Messages take 4 us and 0.1 ns per byte; combining takes no time.
const Machine lines{.latency = 2e-6,
                    .overhead = 1e-6,
                    .gap = 0,
                    .gap_per_byte = 1e-10,
                    .seconds_per_addition = 0,
                    .value_bytes = int32_bytes};

constexpr Index sizes[] = {8, 64, 512, 4096, 32768, 262144, 2097152};

}  // namespace

TEST_CASE("a machine is found from recursive doubling and from others, and predicts rows between") {
  testing::property("a network is fitted", [] {
    const Machine truth = any_network();
    const Rank ranks = Rank{1} << *rc::gen::inRange(2, 10);
    std::vector<FitRow> rows;
    for (const Index items : sizes) {
      rows.push_back(allreduce(AllreduceAlgorithm::recursive_doubling, ranks, items, truth));
      if (items >= ranks) {
        rows.push_back(allreduce(AllreduceAlgorithm::rabenseifner, ranks, items, truth));
      }
    }
    const MachineFit fit = fit_machine(rows);
    for (const FitRow& row : rows) RC_ASSERT(off(row, fit.machine) < 0.05);
    for (const Index items : {1000, 10000, 1000000}) {
      const auto between = allreduce(AllreduceAlgorithm::recursive_doubling, ranks, items, truth);
      RC_ASSERT(off(between, fit.machine) < 0.05);
    }
    RC_ASSERT(fit_machine(rows).machine.messages == fit.machine.messages);
  });
}

TEST_CASE("recursive doubling alone leaves the share of combining where it usually is") {
  std::vector<FitRow> rows;
  for (const Index items : sizes) {
    rows.push_back(allreduce(AllreduceAlgorithm::recursive_doubling, 16, items, lines));
    rows.back().jitter = 5e-7;
  }
  const MachineFit fit = fit_machine(rows);
  CHECK(fit.combine_share == Approx(usual_combine_share).margin(0.01));
  CHECK(fit.machine.work->start == Approx(5e-7).epsilon(0.1));
  for (const FitRow& row : rows) CHECK(off(row, fit.machine) < 0.01);
}

TEST_CASE("a row that is far off does not decide") {
  std::vector<FitRow> rows;
  for (const Index items : sizes) {
    for (int start = 0; start < 3; ++start) {
      rows.push_back(allreduce(AllreduceAlgorithm::recursive_doubling, 16, items, lines));
    }
  }
  rows[9].measured *= 10;
  const MachineFit fit = fit_machine(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != 9) CHECK(off(rows[i], fit.machine) < 0.03);
  }
}

TEST_CASE("folds and messages of sums are told apart") {
  Machine truth{.latency = 1e-6, .overhead = 3e-7, .gap = 3e-7, .gap_per_byte = 0};
  MeasuredWork& work = truth.work.emplace();
  work.start = 1e-6;
  work.folds = {{1, 1e-9}, {100000, 1e-4}};
  work.seconds_per_join = 1e-9;
  std::vector<FitRow> rows;
  for (const Rank ranks : {4, 16}) {
    for (const Index elements : {1000, 10000, 100000, 1000000}) {
      for (const char* plan : {"direct", "aggregated"}) {
        rows.push_back(sum(plan, ranks, elements, truth));
      }
    }
  }
  const MachineFit fit = fit_machine(rows);
  for (const FitRow& row : rows) CHECK(off(row, fit.machine) < 0.1);
  CHECK(off(sum("binomial", 8, 300000, truth), fit.machine) < 0.1);
  CHECK(fit.machine.seconds_per_addition == Approx(1e-9).epsilon(0.1));

  // A run on one rank sends no messages and has a start of its own.
  const std::vector<FitRow> alone{sum("direct", 1, 1000, truth), sum("direct", 1, 100000, truth),
                                  sum("direct", 1, 10000, truth)};
  const MachineFit of_one = fit_machine(alone);
  CHECK(of_one.machine.messages.empty());
  for (const FitRow& row : alone) CHECK(off(row, of_one.machine) < 0.05);
}

TEST_CASE("noise between tiny messages gives no slope, and long messages cost the usual") {
  const Machine truth{.latency = 1e-6, .overhead = 5e-7, .gap = 5e-7, .gap_per_byte = 0};
  std::vector<FitRow> rows;
  for (const Index elements : {1000, 10000, 100000}) {
    for (const char* plan : {"direct", "buffered", "aggregated"}) {
      rows.push_back(sum(plan, 16, elements, truth));
      // The row with the longest messages is slow.
      if (rows.back().message_bytes > 8) rows.back().measured *= 1.5;
    }
  }
  const MachineFit fit = fit_machine(rows);
  CHECK(fit.machine.between_nodes().way(8 << 20) < 2e-3);
  REQUIRE(fit.assumed.size() == 2);
  CHECK_THAT(fit.assumed[0], Catch::StartsWith("messages of up to ") &&
                                 Contains("bytes are taken to cost the same"));
  CHECK_THAT(fit.assumed[1], Catch::StartsWith("the largest message of the rows has ") &&
                                 Contains("each further byte is taken to cost 0.1 ns"));
}

TEST_CASE("few rows keep small and large messages apart") {
  const Machine truth{.latency = 2e-7,
                      .overhead = 1e-7,
                      .gap = 1e-7,
                      .gap_per_byte = 1e-9,
                      .seconds_per_addition = 1e-10};
  std::vector<FitRow> one_size;
  for (const char* plan : {"direct", "buffered", "aggregated", "binomial", "gather"}) {
    one_size.push_back(sum(plan, 2, 504850, truth));
  }
  const MachineFit of_one = fit_machine(one_size);
  REQUIRE(of_one.machine.messages.size() == 2);
  CHECK(of_one.machine.messages[0].round_trip < of_one.machine.messages[1].round_trip / 100);
  for (const FitRow& row : one_size) CHECK(off(row, of_one.machine) < 0.05);

  std::vector<FitRow> gathers;
  for (const Index elements : {1000, 10000, 504850}) {
    gathers.push_back(sum("gather", 2, elements, truth));
  }
  const MachineFit of_gathers = fit_machine(gathers);
  for (const FitRow& row : gathers) CHECK(off(row, of_gathers.machine) < 0.1);

  gathers.push_back(sum("gather", 2, 100000, truth));
  CHECK(fit_machine(gathers).assumed ==
        std::vector<std::string>{"the rows have messages of 4 sizes, too many for so few rows: the "
                                 "table has those of 4000, 40000, 2019400 bytes"});
}

TEST_CASE("rows that cannot be fitted are refused") {
  const Machine truth;
  FitRow row = sum("direct", 2, 100, truth);
  CHECK_THROWS_WITH(fit_machine({}), Contains("there are none"));
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    row.measured = bad;
    CHECK_THROWS_WITH(fit_machine({&row, 1}), Contains("must be finite and above 0"));
  }
  const FitRow other = allreduce(AllreduceAlgorithm::ring, 2, 4, truth);
  const std::vector<FitRow> mixed{sum("direct", 2, 100, truth), other};
  CHECK_THROWS_WITH(fit_machine(mixed), Contains("values of 8 and of 4 bytes"));
}

}  // namespace machine_fit_test
