// SPDX-License-Identifier: MIT

#include "bracket/runtime/calibrate.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bracket/runtime/mailboxes.hpp"
#include "bracket/runtime/measure.hpp"
#include "support/catch.hpp"

namespace calibrate_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using Catch::Contains;

namespace {

/// Checks that a time is positive, finite and equal on all ranks.
void check_time(double seconds) {
  CHECK(std::isfinite(seconds));
  CHECK(seconds > 0);
  double first = seconds;
  MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  CHECK(seconds == first);
}

double plain_sum(const double* elements, Index count) {
  return std::accumulate(elements, elements + count, 0.0);
}

struct Calibrated {
  std::vector<std::string> parts;  ///< in the order of their announcements
  Calibration found;
};

/// True if half a megabyte took longer than eight bytes, and each byte took some time. False if a
/// rank waited for a core meanwhile.
bool tells_sizes_apart(const Calibration& found) {
  return found.messages.back().round_trip > 2 * found.messages.front().round_trip &&
         found.machine().gap_per_byte > 0;
}

/// True if short messages took longer through MPI, if there is another way. False if a rank waited
/// for a core meanwhile.
bool tells_ways_apart(const Calibration& found) {
  const std::vector<MessageTimes>& library = found.library_messages;
  return library.empty() || library.front().exchange + library.back().exchange >
                                found.messages[0].exchange + found.messages[1].exchange;
}

/// One quick calibration for all tests, since it takes seconds. Repeats it up to twice if other
/// programs take the cores away.
const Calibrated& calibrated() {
  static const Calibrated once = [] {
    const Communicator world(MPI_COMM_WORLD);
    for (int attempt = 1;; ++attempt) {
      std::vector<std::string> parts;
      Calibration found = calibrate(
          world,
          {.quick = true,
           .operations = {make_operation("binned:2"), make_operation("checked/products/int64"),
                          make_operation("accumulate"), make_operation("double-double")},
           .baseline = [](Baseline, const Kernel&) -> ElementSum { return plain_sum; },
           .before = [&](std::string_view part) { parts.emplace_back(part); }});
      if (attempt == 3 || environment(world).oversubscribed(1) ||
          (tells_sizes_apart(found) && tells_ways_apart(found))) {
        return Calibrated{std::move(parts), std::move(found)};
      }
    }
  }();
  return once;
}

}  // namespace

TEST_CASE("a calibration finds times, on every rank the same") {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) {
    CHECK_THROWS_WITH(calibrate(world, {.quick = true}), Contains("two ranks: there is one"));
    return;
  }
  const auto& [parts, found] = calibrated();
  const std::string start = "the start of a run";
  std::vector<std::string> expected{"folds",       start, "messages", start,
                                    "folds again", start, "kernels",  "threads"};
  CHECK(found.rounds >= 3);
  CHECK(found.rounds <= 5);
  for (int round = 2; round < found.rounds; ++round) {
    expected.emplace_back("folds again");
    expected.push_back(start);
  }
  expected.emplace_back("other operations");
  CHECK(parts == expected);
  check_time(1 + found.rounds_apart);
  CHECK(found.partner == 1);  // all ranks are on one node

  REQUIRE(found.messages.size() >= 8);
  CHECK(found.messages.front().bytes == 8);
  for (std::size_t i = 0; i < found.messages.size(); ++i) {
    const MessageTimes& times = found.messages[i];
    if (i > 0) CHECK(times.bytes > found.messages[i - 1].bytes);
    check_time(times.send_overhead);
    check_time(times.receive_overhead);
    check_time(times.round_trip);
    check_time(times.gap);
    check_time(times.exchange);
  }
  const bool crowded = environment(world).oversubscribed(1);
  if (!crowded) CHECK(tells_sizes_apart(found));
  if (sharing() == Sharing::never) {
    CHECK(found.library_messages.empty());
  } else {
    REQUIRE(found.library_messages.size() >= 4);
    CHECK(found.library_messages.front().bytes == 8);
    CHECK(found.library_messages.back().bytes <= Mailboxes::most_bytes);
    for (const MessageTimes& times : found.library_messages) check_time(times.round_trip);
    if (!crowded) CHECK(tells_ways_apart(found));
  }

  check_time(1 + found.work.start);
  check_time(found.work.seconds_per_join);
  check_time(found.work.seconds_per_result);
  REQUIRE(found.work.folds.size() >= 20);
  CHECK(found.work.folds.front().elements == 1);
  CHECK(found.work.folds.back().elements >= Index{1} << 23);
  CHECK(found.work.folds.back().seconds > 1000 * found.work.folds.front().seconds);
  for (const auto& fold : found.work.folds) check_time(fold.seconds);
  Index ranks = 1;
  for (const auto& together : found.work.folds_together) {
    CHECK(together.ranks == std::min<Index>(2 * ranks, world.size()));
    ranks = together.ranks;
    CHECK(together.folds.size() == found.work.folds.size());
    for (const auto& fold : together.folds) check_time(fold.seconds);
    CHECK(together.vector_folds.size() == found.work.vector_folds.size());
    for (const auto& fold : together.vector_folds) check_time(fold.seconds);
  }
  CHECK(ranks == world.size());
  REQUIRE(found.work.complete_folds.size() == 18);
  CHECK(found.work.complete_folds.back().elements == 131072);
  REQUIRE(found.work.copies.size() >= 20);
  for (const auto& copy : found.work.copies) check_time(copy.seconds);
  REQUIRE(found.work.joins.size() >= 10);
  CHECK(found.work.joins.front().elements == 2);
  for (const auto& join : found.work.joins) check_time(join.seconds);
  REQUIRE(found.work.vector_folds.size() >= 5);
  CHECK(found.work.vector_folds.front().elements == 64);
  for (const auto& fold : found.work.vector_folds) check_time(fold.seconds);
  Index threads = 1;
  for (const auto& wake : found.work.wakes) {
    CHECK(wake.threads > threads);
    threads = wake.threads;
    check_time(wake.seconds);
  }
  REQUIRE(found.work.start_alone);
  check_time(1 + *found.work.start_alone);
  check_time(found.all_reduce_seconds);
  check_time(1 + found.messages_apart);
  REQUIRE(found.work.start_in_program);
  check_time(1 + *found.work.start_in_program);
  check_time(1 + found.work.start_library);
  check_time(1 + found.work.seconds_per_receive);
  REQUIRE(found.work.start_reduce);
  check_time(1 + *found.work.start_reduce);
  REQUIRE(found.work.first_cache);
  CHECK(found.work.first_cache->elements >= 1024);
  check_time(1 + found.work.first_cache->more_start);
  REQUIRE(found.cold_messages.size() >= 6);
  for (const MessageTimes& times : found.cold_messages) check_time(times.round_trip);

  REQUIRE(found.operations.size() == 4);
  CHECK(found.operations[0].operation == make_operation("binned:2"));
  CHECK(found.operations[1].operation == make_operation("checked/products/int64"));
  CHECK(found.operations[2].operation == make_operation("accumulate"));
  for (const auto& [operation, times] : found.operations) {
    check_time(times.seconds_per_join);
    check_time(times.seconds_per_result);
    REQUIRE(times.folds.size() >= 15);
    for (const auto& fold : times.folds) check_time(fold.seconds);
    CHECK(times.folds_together.size() == found.work.folds_together.size());
    REQUIRE(times.copies.size() >= 10);
    for (const auto& copy : times.copies) check_time(copy.seconds);
    // Vectors are measured for the plain sum alone.
    CHECK(times.joins.empty());
    CHECK(times.vector_folds.empty());
    check_time(1 + times.more_start);
    CHECK(times.start_in_program.has_value() == (operation.baseline == Baseline::none));
    check_time(1 + times.start_in_program.value_or(0));
    REQUIRE(times.complete_folds.size() == 18);
    for (const auto& fold : times.complete_folds) check_time(fold.seconds);
  }
  // Nobody folds binned partials that were sent one by one. Those of the others are like elements.
  for (std::size_t i = 0; i < 3; ++i) CHECK(found.operations[i].times.partial_folds.empty());
  CHECK(found.operations[2].times.more_start == 0);
  const OperationTimes& twofold = found.operations[3].times;
  REQUIRE(twofold.partial_folds.size() >= 10);
  for (const auto& fold : twofold.partial_folds) check_time(fold.seconds);
  CHECK(twofold.partial_folds.back().elements == Index{1} << 18);

  REQUIRE_FALSE(found.kernels.empty());
  CHECK(found.kernels.front().name == "scalar");
  for (const KernelRate& kernel : found.kernels) {
    check_time(kernel.in_cache);
    check_time(kernel.out_of_cache);
    CHECK(kernel.in_cache < 1e-6);
  }

  const Machine machine = found.machine();
  CHECK_NOTHROW(machine.check());
  CHECK(machine.work == found.work);
  CHECK(machine.operations == found.operations);
  CHECK(machine.library_messages == found.library_messages);
  CHECK(machine.eager_bytes == found.eager_bytes);
  CHECK(machine.overhead > 0);
  const auto& fold = found.work.folds_together.back().folds.back();
  CHECK(machine.seconds_per_addition == fold.seconds / static_cast<double>(fold.elements));
}

TEST_CASE("messages inside a node are figures of their own where others leave it") {
  Calibration found{.partner = 1,
                    .messages = {{1, 1, 1, 10, 1}, {1001, 1, 1, 2010, 1001}},
                    .inside_node = {},
                    .eager_bytes = 0,
                    .work = {{0, {{1, 1}}}},
                    .kernels = {}};
  CHECK_FALSE(found.machine().inside_node);
  found.inside_node = {{1, 2, 2, 14, 3}, {1001, 2, 2, 4014, 2003}};
  CHECK(found.machine().within_node().library.empty());
  found.library_inside_node = {{1, 2, 2, 14, 3}};
  CHECK(found.machine().within_node().by_library().way(1) == 7);
  CHECK(found.machine().within_node().library == found.library_inside_node);
  found.library_inside_node.clear();
  const MessageCosts inside = found.machine().within_node();
  CHECK(inside == MessageCosts{3, 2, 3, 2, 0, found.inside_node});
  CHECK(found.machine().between_nodes() == MessageCosts{3, 1, 1, 1, 0, found.messages});
}

TEST_CASE("the eager limit is where a send begins to wait for its receive") {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() != 2) return;
  const Calibration& found = calibrated().found;
  const auto completes = [&](Index bytes) {
    std::vector<char> message(static_cast<std::size_t>(bytes));
    MPI_Request request = MPI_REQUEST_NULL;
    bool complete = false;
    if (world.rank() == 0) {
      MPI_Isend(message.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, world.handle(), &request);
      for (const double start = MPI_Wtime(); !complete && MPI_Wtime() - start < 0.05;) {
        complete = test(request);
      }
    }
    barrier(world);
    if (world.rank() == 1) {
      MPI_Irecv(message.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, world.handle(), &request);
    }
    wait(request);
    return complete;
  };
  const bool unlimited = std::isinf(found.eager_bytes);
  const auto limit =
      unlimited ? found.messages.back().bytes : static_cast<Index>(found.eager_bytes);
  if (limit > 0) {
    const bool below = completes(limit);
    if (world.rank() == 0) CHECK(below);
  }
  if (!unlimited) {
    const bool above = completes(limit + 1);
    if (world.rank() == 0) CHECK_FALSE(above);
  }
}

}  // namespace calibrate_mpi_test
