// SPDX-License-Identifier: MIT

#include <numeric>

#include "bracket/runtime/mailboxes.hpp"
#include "bracket/runtime/program_execution.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/runtime/reductions.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "runtime/program/mailbox_checks.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace bracket::testing {

Index mpi_sends = 0;

}  // namespace bracket::testing

// In place of those of the MPI library.

extern "C" int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
  ++bracket::testing::mpi_sends;
  return PMPI_Isend(from, count, type, to, tag, communicator, request);
}

extern "C" int MPI_Comm_split_type(MPI_Comm communicator, int type, int key, MPI_Info info,
                                   MPI_Comm* made) {
  if (!bracket::testing::TwoRanksOnANode::asked)
    return PMPI_Comm_split_type(communicator, type, key, info, made);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return PMPI_Comm_split(communicator, rank / 2, key, made);
}

namespace mailbox_reducers_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::Asked;
using testing::bits;
using testing::mpi_sends;
using testing::PlannedReduction;
using testing::TwoRanksOnANode;
using testing::world;

namespace {

/// Runs each plan, and compares with the same one through MPI. `check_sends` gets the number of
/// messages of this rank and how many of them went through MPI.
template <class Check>
void compare_plans_with_mpi(MPI_Comm ranks, Check check_sends) {
  int size = 0;
  MPI_Comm_size(ranks, &size);
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, 1003, 17);
  for (const auto& row : plans()) {
    const auto plan = make_plan(row.entry.name);
    if (!plan->scheduled()) continue;
    CAPTURE(row.entry.name);
    const auto order = make_order("tree", 1003);
    const auto distribution = make_distribution("upper", 1003, size);
    const auto own = testing::own_part(elements, distribution);
    const Problem problem{order, distribution, {0, Collective::all_reduce}};
    const auto made = [&](const char* asked) {
      const Asked set(asked);
      return std::make_unique<PlannedReduction<>>(ranks, problem, *plan);
    };
    const auto by_mpi = made("mpi");
    const auto by_mailboxes = made("shared");
    constexpr int runs = 20;
    Index through_mpi = 0;
    for (int run = 0; run < runs; ++run) {
      const auto expected = by_mpi->run(own);
      const Index before = mpi_sends;
      CHECK(bits(*by_mailboxes->run(own)) == bits(*expected));
      through_mpi += mpi_sends - before;
      if (run % size == world().rank()) yield_core();  // so that other ranks are ahead
    }
    CHECK(by_mailboxes->messages_sent() == by_mpi->messages_sent());
    check_sends(by_mailboxes->messages_sent(), through_mpi);
  }
}

}  // namespace

TEST_CASE("reducers have the same bits and messages by mailboxes on every plan") {
  compare_plans_with_mpi(MPI_COMM_WORLD, [](Index messages, Index through_mpi) {
    // The mailboxes of a rank that is ahead of its receivers may be full.
    CHECK(through_mpi <= messages);
  });
}

TEST_CASE("messages between nodes and in mailboxes make one reduction") {
  Index all[2] = {0, 0};
  {
    const TwoRanksOnANode nodes;
    MPI_Comm several = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &several);
    compare_plans_with_mpi(several, [&](Index messages, Index through_mpi) {
      all[0] += messages;
      all[1] += through_mpi;
    });
    MPI_Comm_free(&several);
  }
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (world().size() > 2) {
    CHECK(all[1] > 0);
    CHECK(all[1] < all[0]);
  }
}

TEST_CASE("short messages go through mailboxes unless the environment says otherwise") {
  const std::vector<double> own{1, 2, 3};
  for (const char* const asked : {"mpi", "shared", static_cast<const char*>(nullptr)}) {
    const Asked set(asked);
    Reducer<double> reducer(MPI_COMM_WORLD, Layout::contiguous(3), {});
    barrier(world());
    const Index before = mpi_sends;
    CHECK(reducer.run(own) == 6.0 * world().size());
    const bool through_mpi = mpi_sends > before;
    const bool should = asked != nullptr && asked == std::string_view("mpi") && world().size() > 1;
    CHECK(through_mpi == should);
    barrier(world());
  }
}

TEST_CASE("a message that finds no room in its mailbox goes another way") {
  if (world().rank() > 0) return;
  std::vector<std::uint64_t> room(Mailbox::room(8) / 8 + Mailbox::line / 8);
  auto* memory = reinterpret_cast<std::byte*>(room.data());
  memory += Mailbox::line - reinterpret_cast<std::uintptr_t>(memory) % Mailbox::line;
  Mailbox sender(memory, 8);
  Mailbox receiver(memory, 8);
  std::int64_t run = 1;
  for (; run <= Mailbox::slots; ++run) REQUIRE(sender.put(run, &run, 8));
  for (; run <= Mailbox::slots + 3; ++run) {
    REQUIRE(!sender.put(run, &run, 8));
    sender.send_elsewhere(run);
  }
  std::int64_t got = 0;
  for (std::int64_t k = 1; k <= Mailbox::slots; ++k) {
    CHECK(!receiver.goes_elsewhere(k));
    CHECK(receiver.take(k, &got, 8));
    CHECK(got == k);
  }
  CHECK(sender.put(run, &run, 8));
  for (std::int64_t k = Mailbox::slots + 1; k < run; ++k) {
    CHECK(!receiver.take(k, &got, 8));
    CHECK(receiver.goes_elsewhere(k));
    receiver.skip(k);
  }
  CHECK(!receiver.goes_elsewhere(run));
  CHECK(receiver.take(run, &got, 8));
  CHECK(got == run);
}

TEST_CASE("a rank may complete many runs before the next rank begins the first") {
  const Asked set("shared");
  // Pairs of ranks, because on more ranks only some never wait for a message.
  const int self = world().rank() % 2;
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world().rank() / 2, 0, &pair);
  int ranks = 0;
  MPI_Comm_size(pair, &ranks);
  for (const char* const plan : {"binomial", "direct", "aggregated"}) {
    Settings settings;
    settings.root = 0;
    settings.plan = plan;
    // To reduce 5 elements, ranks send several messages, some of them by mailboxes.
    Reducer<double> reducer(pair, Layout::contiguous(5), settings);
    constexpr int runs = 50;
    std::vector<double> own(5);
    double sum = 0;
    bool right = true;
    const auto run_all = [&](bool in_pieces) {
      for (int run = 0; run < runs; ++run) {
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = run * 8 + static_cast<double>(i);
        reducer.start({{own}}, {&sum, 1});
        while (in_pieces && !reducer.test()) yield_core();
        if (!in_pieces) reducer.wait();
        right &= self > 0 || sum == ranks * (40.0 * run + 10);
      }
    };
    const bool sends = self == 1;
    if (sends) run_all(false);
    barrier(world());
    if (!sends) run_all(world().rank() % 4 == 0);
    barrier(world());
    run_all(sends);
    CHECK(right);
  }
  MPI_Comm_free(&pair);
}

TEST_CASE("messages of a rank that is ahead do not overtake its long ones") {
  const int self = world().rank();
  if (world().size() < 2) return;
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, self < 2 ? 0 : 1, self, &pair);
  if (self < 2) {
    // Rank 1 has all elements, and sends the first alone and then the others in a long message.
    constexpr Index count = 2 + Mailboxes::most_bytes / static_cast<Index>(sizeof(double));
    std::vector<Partial> one;
    std::vector<Partial> others;
    for (Index i = 0; i < count; ++i) (i == 0 ? one : others).emplace_back(Range{i, i + 1});
    RankPart part;
    if (self == 1) {
      for (Index i = 0; i < count; ++i) part.fold({i, i + 1});
      part.send(0, one);
      part.send(0, others);
    } else {
      part.recv(1, one);
      part.recv(1, others);
      for (Index i = 1; i < count; ++i) part.join(Range{0, i}, Range{i, i + 1});
    }
    DoubleSum sum;
    sum.prepare();
    std::vector<double> elements(count);
    ComputationOf<DoubleSum, Vectors<DoubleSum>> computation(sum, 1, 1, 1);
    computation.set_source({elements.data(), 1});
    ProgramExecution execution{Communicator(pair)};
    const Program::Item field{self == 1 ? Range{0, count} : Range{0, 0}, count};
    execution.set_up(computation, part, {&field, 1}, self == 1 ? Range{0, 0} : Range{0, 1});
    execution.share_memory(Sharing::always);
    if (self == 0) MPI_Barrier(pair);
    for (int run = 0; run < 50; ++run) {
      std::iota(elements.begin(), elements.end(), run);
      execution.run();
      if (self == 1) continue;
      if (run == 0) CHECK(execution.messages_sent() == 0);
      const double expected = static_cast<double>(count) * (run + (count - 1) / 2.0);
      if (*static_cast<const double*>(execution.result()) != expected) FAIL_CHECK(run);
    }
    if (self == 1) {
      CHECK(execution.messages_sent() == 100);
      MPI_Barrier(pair);
    }
  }
  barrier(world());
  MPI_Comm_free(&pair);
}

TEST_CASE("a failure reaches ranks that wait at a mailbox") {
  const Asked set("shared");
  Reducer<double> reducer(MPI_COMM_WORLD, Layout::contiguous(3), {});
  const std::vector<double> own{1, 2, 3};
  CHECK(reducer.run(own) == 6.0 * world().size());
  const auto fails = [](Index) -> double { throw Error("no elements"); };
  const std::string words = words_of([&] {
    if (world().rank() == world().size() - 1) {
      reducer.run(fails);
    } else {
      for (int run = 0; run < 100'000; ++run) reducer.run(own);
    }
  });
  CHECK_THAT(words, Catch::Contains("no elements"));
}

TEST_CASE("BRACKET_MESSAGES must be known, and the same on all ranks") {
  const auto make = [] { Reducer<double>(MPI_COMM_WORLD, Layout::contiguous(3), {}); };
  const bool first = world().rank() == 0;
  {
    const Asked set(first ? "pigeons" : "mpi");
    CHECK_THROWS_WITH(make(), Catch::Contains("BRACKET_MESSAGES is pigeons; known: mpi or shared"));
  }
  if (world().size() == 1) return;
  for (const char* const other : {"mpi", static_cast<const char*>(nullptr)}) {
    const Asked set(first ? "shared" : other);
    CHECK_THROWS_WITH(make(), Catch::Contains("BRACKET_MESSAGES is not the same on all ranks"));
  }
}

}  // namespace mailbox_reducers_mpi_test
