// SPDX-License-Identifier: MIT

#include "bracket/runtime/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "bracket/runtime/mailboxes.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace measure_mpi_test {

using namespace bracket;
using namespace bracket::runtime;

TEST_CASE("median and interval are order statistics") {
  std::vector<double> samples;
  for (int i = 20; i >= 1; --i) samples.push_back(i);
  // Tables of the sign test: for n = 20, the 6th and the 15th value bound the median at 95 %.
  const auto summary = summarize(samples);
  CHECK(summary.repetitions == 20);
  CHECK(summary.median == 10.5);
  CHECK(summary.low == 6);
  CHECK(summary.high == 15);
  // n = 10: 2nd and 9th; n = 6: 1st and 6th; for smaller n the extremes are used.
  const auto interval = [](int n) {
    std::vector<double> values;
    for (int i = 1; i <= n; ++i) values.push_back(i);
    const auto found = summarize(values);
    return std::pair(found.low, found.high);
  };
  CHECK(interval(10) == std::pair(2.0, 9.0));
  CHECK(interval(6) == std::pair(1.0, 6.0));
  CHECK(interval(3) == std::pair(1.0, 3.0));
  CHECK(interval(1) == std::pair(1.0, 1.0));
  CHECK(interval(100) == std::pair(40.0, 61.0));
  CHECK_THROWS_AS(summarize({}), Error);
}

TEST_CASE("a repetition takes as long as its slowest rank, on every rank alike") {
  const Communicator world(MPI_COMM_WORLD);
  int calls = 0;
  const std::function<void()> action = [&] {
    ++calls;
    if (world.rank() == world.size() - 1) usleep(3000);
  };
  const Method method{
      .warm_up = 2, .repetitions = 3, .least_sample_seconds = 0, .lead_in_seconds = 0};
  const auto seconds = time_side_by_side(world, {&action, 1}, method).at(0).seconds;
  CHECK(calls == 5);
  REQUIRE(seconds.size() == 3);
  for (const double taken : seconds) CHECK(taken >= 0.003);
  auto least = seconds;
  MPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  CHECK(least == seconds);
}

TEST_CASE("calls in a row wait for other ranks only if the action itself does") {
  const Communicator world(MPI_COMM_WORLD);
  int calls = 0;
  // One rank after the other takes its time.
  const std::function<void()> action = [&] {
    if (calls++ % world.size() == world.rank()) usleep(2000);
  };
  const auto fastest = [&](bool in_a_row) {
    const Method method{.repetitions = 5,
                        .least_sample_seconds = 40e-3,
                        .lead_in_seconds = 0,
                        .in_a_row = in_a_row};
    const Samples samples = time_side_by_side(world, {&action, 1}, method).at(0);
    CHECK(samples.calls > world.size());
    CHECK(samples.seconds.size() == 5);
    return *std::min_element(samples.seconds.begin(), samples.seconds.end());
  };
  const double after_barriers = fastest(false);
  const double in_a_row = fastest(true);
  CHECK(after_barriers >= 0.002);
  CHECK(in_a_row >= 0.002 / world.size());
  if (world.size() > 1) CHECK(in_a_row < 0.8 * after_barriers);
}

namespace {

using Action = std::function<void()>;

/// Smallest and largest value among the ranks.
std::pair<double, double> bounds(double mine) {
  double least = mine;
  double largest = mine;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {least, largest};
}

}  // namespace

TEST_CASE("candidates take turns in orders that are shuffled anew and the same on every rank") {
  const Communicator world(MPI_COMM_WORLD);
  const auto turns_of = [&](std::uint64_t seed) {
    std::vector<int> turns;
    std::vector<Action> actions;
    for (int k = 0; k < 5; ++k) actions.emplace_back([&turns, k] { turns.push_back(k); });
    std::vector<int> rounds;
    const auto samples =
        time_side_by_side(world, actions,
                          {.warm_up = 2,
                           .repetitions = 8,
                           .seed = seed,
                           .least_sample_seconds = 0,
                           .lead_in_seconds = 0,
                           .before_round = [&](int round) { rounds.push_back(round); }});
    CHECK(rounds == std::vector{-2, -1, 0, 1, 2, 3, 4, 5, 6, 7});
    REQUIRE(samples.size() == 5);
    for (const auto& candidate : samples) {
      CHECK(candidate.calls == 1);
      CHECK(candidate.seconds.size() == 8);
    }
    return turns;
  };
  const auto turns = turns_of(3);
  REQUIRE(turns.size() == 50);
  std::set<std::vector<int>> orders;
  for (auto round = turns.begin(); round != turns.end(); round += 5) {
    std::vector<int> order(round, round + 5);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector{0, 1, 2, 3, 4});
  }
  CHECK(orders.size() > 5);
  auto first_rank = turns;
  MPI_Bcast(first_rank.data(), 50, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(turns == first_rank);
  CHECK(turns_of(3) == turns);
  CHECK(turns_of(4) != turns);
}

TEST_CASE("a candidate's sample is its slowest rank's") {
  const Communicator world(MPI_COMM_WORLD);
  const bool last = world.rank() == world.size() - 1;
  const std::vector<Action> actions{[] {},
                                    [&] {
                                      if (last) usleep(3000);
                                    }};
  const auto samples = time_side_by_side(world, actions, {.warm_up = 1, .repetitions = 7});
  for (const double seconds : samples[1].seconds) {
    CHECK(seconds >= 0.003);
    CHECK(bounds(seconds) == std::pair(seconds, seconds));
  }
  CHECK(samples[1].calls == 1);
  // With more ranks than cores, a sample of an empty action may wait for another rank's action.
  CHECK(summarize(samples[0].seconds).low < 0.003);
}

TEST_CASE("a sample of what is short is of several calls, as many on every rank") {
  const Communicator world(MPI_COMM_WORLD);
  int calls = 0;
  double start = 0;
  const auto time = [&](const Action& work, int warm_up, double least, double lead_in = 0) {
    const std::vector<Action> actions{[&] {
      ++calls;
      work();
    }};
    const auto restart = [&](int round) {
      if (round > 0) return;
      calls = 0;
      start = MPI_Wtime();
    };
    auto samples = time_side_by_side(world, actions,
                                     {.warm_up = warm_up,
                                      .repetitions = 5,
                                      .least_sample_seconds = least,
                                      .lead_in_seconds = lead_in,
                                      .before_round = restart});
    const double elapsed = MPI_Wtime() - start;
    REQUIRE(samples.size() == 1);
    if (lead_in == 0) CHECK(calls == 5 * samples[0].calls);
    if (lead_in > 0) CHECK(calls >= 5 * (samples[0].calls + 1));
    CHECK(bounds(samples[0].calls) ==
          std::pair<double, double>(samples[0].calls, samples[0].calls));
    // Seconds are per call: all calls together fit into the elapsed time.
    const double all = std::accumulate(samples[0].seconds.begin(), samples[0].seconds.end(), 0.0);
    CHECK(all * samples[0].calls <= elapsed);
    return samples[0];
  };
  const auto nothing = time([] {}, 3, 1);
  CHECK(nothing.calls > 1);
  CHECK(nothing.calls <= 1000);
  const auto two_milliseconds = time([] { usleep(2000); }, 2, 5e-3);
  CHECK(two_milliseconds.calls <= 3);
  for (const double seconds : two_milliseconds.seconds) CHECK(seconds >= 2e-3);
  CHECK(time([] {}, 0, 1).calls == 1);
  CHECK(time([] {}, 3, 0, 1e-3).calls == 1);
}

TEST_CASE("no rank begins a call before all have ended the one before") {
  const Communicator world(MPI_COMM_WORLD);
  using Clock = std::chrono::steady_clock;  // common to all ranks of a host
  const auto now = [] {
    return static_cast<std::int64_t>(Clock::now().time_since_epoch().count());
  };
  std::vector<std::int64_t> first_begin;
  std::vector<std::int64_t> last_end;
  const std::function<void()> action = [&] {
    first_begin.push_back(now());
    // One rank is late, but the others do not wait for it.
    if (world.rank() == static_cast<Rank>(last_end.size()) % world.size()) usleep(100);
    last_end.push_back(now());
  };
  time_side_by_side(world, {&action, 1}, {.warm_up = 2, .repetitions = 5, .lead_in_seconds = 1e-3});
  const auto calls = static_cast<int>(first_begin.size());
  MPI_Allreduce(MPI_IN_PLACE, first_begin.data(), calls, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, last_end.data(), calls, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  REQUIRE(calls > 10);
  for (std::size_t call = 1; call < first_begin.size(); ++call) {
    CHECK(first_begin[call] >= last_end[call - 1]);
  }
}

TEST_CASE("cold calls are alone in their samples, without calls before them") {
  const Communicator world(MPI_COMM_WORLD);
  int calls = 0;
  const std::function<void()> action = [&] { ++calls; };
  const auto samples =
      time_side_by_side(world, {&action, 1}, {.warm_up = 1, .repetitions = 2, .cold = true});
  CHECK(calls == 3);
  CHECK(samples[0].calls == 1);
  CHECK(samples[0].seconds.size() == 2);
}

TEST_CASE("the environment names processor, library and cores") {
  const Communicator world(MPI_COMM_WORLD);
  const auto found = environment(world);
  CHECK(found.ranks == world.size());
  CHECK(found.ranks_on_host == world.size());
  CHECK(found.cores_available >= 1);
  CHECK(found.shares_memory == (world.size() > 1 && sharing() != Sharing::never));
  CHECK(found.oversubscribed(1) == (world.size() > found.cores_available));
  CHECK(found.oversubscribed(found.cores_available + 1));
  CHECK_FALSE(found.mpi_library.empty());
  CHECK_FALSE(found.compiler.empty());
}

}  // namespace measure_mpi_test
