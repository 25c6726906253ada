// SPDX-License-Identifier: MIT

#include "bracket/runtime/mailboxes.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <deque>
#include <numeric>

#include "bracket/runtime/program_execution.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/runtime/reductions.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace mailboxes_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::PlannedReduction;
using testing::world;

namespace {

/// Sends the short messages of this node through mailboxes while it exists.
struct ByMailboxes {
  ByMailboxes() { setenv("BRACKET_MESSAGES", "shared", 1); }
  ~ByMailboxes() { unsetenv("BRACKET_MESSAGES"); }
};

using Bytes = std::vector<unsigned char>;

}  // namespace

TEST_CASE("a mailbox keeps a few messages, in the sequence in which they were put") {
  if (world().rank() > 0) return;
  testing::property("mailbox", [] {
    const auto most = *rc::gen::inRange<std::size_t>(1, 600);
    std::vector<std::uint64_t> room(Mailbox::room(most) / 8 + Mailbox::line / 8);
    auto* memory = reinterpret_cast<std::byte*>(room.data());
    memory += Mailbox::line - reinterpret_cast<std::uintptr_t>(memory) % Mailbox::line;
    Mailbox sender(memory, most);
    Mailbox receiver(memory, most);
    std::deque<Bytes> reference;
    std::int64_t sent = 0;
    std::int64_t taken = 0;
    const auto wishes = *rc::gen::container<std::vector<bool>>(60, rc::gen::arbitrary<bool>());
    for (const bool puts : wishes) {
      if (puts) {
        Bytes message(*rc::gen::inRange<std::size_t>(0, most + 1));
        std::iota(message.begin(), message.end(), static_cast<unsigned char>(sent));
        const bool free = reference.size() < Mailbox::slots;
        RC_ASSERT(sender.put(sent + 1, message.data(), message.size()) == free);
        RC_ASSERT(!receiver.goes_elsewhere(sent + 1));
        if (!free) continue;
        ++sent;
        reference.push_back(message);
      } else if (reference.empty()) {
        unsigned char none = 7;
        RC_ASSERT(!receiver.take(taken + 1, &none, 1));
        RC_ASSERT(none == 7);
      } else {
        Bytes message(reference.front().size());
        RC_ASSERT(receiver.take(++taken, message.data(), message.size()));
        RC_ASSERT(message == reference.front());
        reference.pop_front();
      }
    }
  });
}

TEST_CASE("mailboxes of all ranks deliver each message of each run") {
  const int ranks = world().size();
  const int self = world().rank();
  // To each rank, itself too, two messages of other lengths, and one that is too long.
  const std::vector<int> lengths{24, 1, Mailboxes::most_bytes + 1, Mailboxes::most_bytes};
  std::vector<Mailboxes::Message> sends;
  std::vector<Mailboxes::Message> receives;
  for (int peer = 0; peer < ranks; ++peer) {
    for (const int bytes : lengths) {
      sends.push_back({peer, bytes});
      receives.push_back({peer, bytes});
    }
  }
  Mailboxes mailboxes(world(), sends, receives);
  auto out = mailboxes.sends();
  auto in = mailboxes.receives();
  REQUIRE(out.size() == sends.size());
  REQUIRE(in.size() == receives.size());
  const auto content = [&](int from, int to, std::size_t message, std::int64_t run) {
    const auto first = static_cast<unsigned char>(from * 31 + to * 7 + run * 3 +
                                                  static_cast<std::int64_t>(message));
    return Bytes(static_cast<std::size_t>(sends[message].bytes), first);
  };
  bool all = true;
  for (std::int64_t run = 1; run <= 100; ++run) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool is_short = sends[i].bytes <= Mailboxes::most_bytes;
      all &= out[i].there() == is_short && in[i].there() == is_short;
      if (!is_short) continue;
      const Bytes message = content(self, sends[i].peer, i % lengths.size(), run);
      wait_for_mailbox([&] { return out[i].put(run, message.data(), message.size()); }, [] {});
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i].there()) continue;
      Bytes message(static_cast<std::size_t>(receives[i].bytes));
      wait_for_mailbox([&] { return in[i].take(run, message.data(), message.size()); }, [] {});
      all &= message == content(receives[i].peer, self, i % lengths.size(), run);
    }
  }
  CHECK(all);
}

TEST_CASE("messages that do not match are refused on every rank") {
  const int self = world().rank();
  const std::vector<Mailboxes::Message> eight{{self, 8}};
  const std::vector<Mailboxes::Message> nine{{self, 9}};
  const auto made = [&](const auto& sends, const auto& receives) {
    return words_of([&] { Mailboxes(world(), sends, receives); });
  };
  const bool last = self == world().size() - 1;
  const std::string rank = text("rank ", world().size() - 1);
  CHECK_THAT(made(last ? nine : eight, eight),
             Catch::Contains(text(rank, " does not receive this message of 9 bytes")));
  const std::vector<Mailboxes::Message> none;
  CHECK_THAT(made(eight, last ? none : eight),
             Catch::Contains(text(rank, " does not receive this message of 8 bytes")));
  CHECK_THAT(made(last ? none : eight, eight),
             Catch::Contains(text(rank, " waits for a message of 8 bytes that is not sent")));
}

TEST_CASE("a rank that gets no shared memory ends the set-up on all") {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const std::vector<Mailboxes::Message> message{{world().rank(), 8}};
  Mailboxes(world(), message, message);  // so that MPI needs no files below
  const bool last = world().rank() == world().size() - 1;
  const rlimit none{0, before.rlim_max};
  if (last) setrlimit(RLIMIT_NOFILE, &none);
  const std::string words = words_of([&] { Mailboxes(world(), message, message); });
  if (last) setrlimit(RLIMIT_NOFILE, &before);
  CHECK_THAT(words, Catch::Contains("memory for messages cannot be shared: shm_open: "));
  CHECK_NOTHROW(Mailboxes(world(), message, message));
}

TEST_CASE("reducers have the same bits and messages by mailboxes on every plan") {
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, 1003, 17);
  for (const auto& row : plans()) {
    const auto plan = make_plan(row.entry.name);
    if (!plan->scheduled()) continue;
    CAPTURE(row.entry.name);
    const auto order = make_order("tree", 1003);
    const auto distribution = make_distribution("upper", 1003, world().size());
    const auto own = testing::own_part(elements, distribution);
    const Problem problem{order, distribution, {0, Collective::all_reduce}};
    PlannedReduction<> by_mpi(MPI_COMM_WORLD, problem, *plan);
    std::unique_ptr<PlannedReduction<>> by_mailboxes;
    {
      const ByMailboxes set;
      by_mailboxes = std::make_unique<PlannedReduction<>>(MPI_COMM_WORLD, problem, *plan);
    }
    for (int run = 0; run < 10; ++run) {
      CHECK(bits(*by_mailboxes->run(own)) == bits(*by_mpi.run(own)));
    }
    CHECK(by_mailboxes->messages_sent() == by_mpi.messages_sent());
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
  const ByMailboxes set;
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
    // Of 5 elements, ranks send several messages, which are in mailboxes or not.
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
    execution.share_memory();
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
  const ByMailboxes set;
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
  setenv("BRACKET_MESSAGES", "mpi", 1);
  CHECK_NOTHROW(make());
  if (world().rank() == 0) setenv("BRACKET_MESSAGES", "pigeons", 1);
  CHECK_THROWS_WITH(make(), Catch::Contains("BRACKET_MESSAGES is pigeons; known: mpi or shared"));
  if (world().rank() == 0) setenv("BRACKET_MESSAGES", "shared", 1);
  if (world().size() > 1) {
    CHECK_THROWS_WITH(make(), Catch::Contains("BRACKET_MESSAGES is not the same on all ranks"));
  }
  unsetenv("BRACKET_MESSAGES");
}

}  // namespace mailboxes_mpi_test
