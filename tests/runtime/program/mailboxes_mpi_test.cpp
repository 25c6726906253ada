// SPDX-License-Identifier: MIT

#include "bracket/runtime/mailboxes.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <deque>
#include <numeric>
#include <optional>

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

/// Sets or, with null, unsets BRACKET_MESSAGES while it exists.
class Asked {
 public:
  explicit Asked(const char* value) {
    if (const char* const now = std::getenv(name)) before_ = now;
    set(value);
  }
  ~Asked() { set(before_ ? before_->c_str() : nullptr); }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

 private:
  static constexpr const char* name = "BRACKET_MESSAGES";
  static void set(const char* value) {
    if (value == nullptr) {
      unsetenv(name);
    } else {
      setenv(name, value, 1);
    }
  }
  std::optional<std::string> before_;
};

/// Number of calls of MPI_Isend.
Index mpi_sends = 0;

/// While it exists, the ranks of a new communicator are on nodes of two.
bool two_on_a_node = false;
struct TwoRanksOnANode {
  TwoRanksOnANode() { two_on_a_node = true; }
  ~TwoRanksOnANode() { two_on_a_node = false; }
};

using Bytes = std::vector<unsigned char>;

}  // namespace

// In place of those of the MPI library.

extern "C" int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
  ++mpi_sends;
  return PMPI_Isend(from, count, type, to, tag, communicator, request);
}

extern "C" int MPI_Comm_split_type(MPI_Comm communicator, int type, int key, MPI_Info info,
                                   MPI_Comm* made) {
  if (!two_on_a_node) return PMPI_Comm_split_type(communicator, type, key, info, made);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return PMPI_Comm_split(communicator, rank / 2, key, made);
}

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
  if (ranks == 1) return;
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
  const Mailboxes mailboxes(Sharing::always, world(), sends, receives);
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
      wait_until([&] { return out[i].put(run, message.data(), message.size()); }, [] {});
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i].there()) continue;
      Bytes message(static_cast<std::size_t>(receives[i].bytes));
      wait_until([&] { return in[i].take(run, message.data(), message.size()); }, [] {});
      all &= message == content(receives[i].peer, self, i % lengths.size(), run);
    }
  }
  CHECK(all);
}

TEST_CASE("messages that do not match are refused on every rank") {
  if (world().size() == 1) return;
  using Messages = std::vector<Mailboxes::Message>;
  const int self = world().rank();
  const bool last = self == world().size() - 1;
  const auto refused = [&](const Messages& sends, const Messages& receives) {
    for (const Sharing sharing : {Sharing::if_possible, Sharing::always}) {
      CHECK_THAT(words_of([&] { Mailboxes(sharing, world(), sends, receives); }),
                 Catch::Contains("the messages that ranks of a node send each other"));
    }
  };
  for (const int other : {9, 16, 24, 512}) {
    const Messages eight{{self, 8}};
    const Messages longer{{self, other}};
    const Messages both{{self, 8}, {self, other}};
    const Messages other_sequence{{self, other}, {self, 8}};
    refused(last ? longer : eight, eight);
    refused(eight, last ? Messages{} : eight);
    refused(last ? Messages{} : eight, eight);
    refused(both, last ? other_sequence : both);
    CHECK_NOTHROW(Mailboxes(Sharing::always, world(), both, both));
  }
  // To the next rank but from the next one too, not from the one before.
  if (world().size() < 3) return;
  const int next = (self + 1) % world().size();
  refused({{next, 8}}, {{next, 8}});
}

TEST_CASE("a process shares no more memory than there is room for") {
  if (world().size() == 1) return;
  // 2.2 MB of each rank.
  const std::vector<Mailboxes::Message> many(1000, {world().rank(), Mailboxes::most_bytes});
  const auto made = [&](Sharing sharing) { return Mailboxes(sharing, world(), many, many); };
  const auto has_any = [](const Mailboxes& mailboxes) { return mailboxes.sends().front().there(); };
  std::vector<Mailboxes> kept;
  do {
    kept.push_back(made(Sharing::if_possible));
  } while (has_any(kept.back()) && kept.size() < 20);
  CHECK(kept.size() > 1);
  CHECK(kept.size() < 20);
  CHECK_THAT(words_of([&] { made(Sharing::always); }),
             Catch::Contains("over the limit of 33554432"));
  kept.clear();
  CHECK(has_any(made(Sharing::if_possible)));
}

TEST_CASE("without shared memory, messages go through MPI, or it is an error on every rank") {
  if (world().size() == 1) return;
  const std::vector<double> own{1, 2, 3};
  const double sum = 6.0 * world().size();
  const std::vector<Mailboxes::Message> message{{world().rank(), 8}};
  const std::vector<Mailboxes::Message> many(500, {world().rank(), 8});
  const bool last = world().rank() == world().size() - 1;
  const auto without_files = [&](const auto& action) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlimit none{0, limit.rlim_max};
    if (last) setrlimit(RLIMIT_NOFILE, &none);
    const std::string words = words_of(action);
    if (last) setrlimit(RLIMIT_NOFILE, &limit);
    return words;
  };
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &handle);
  {
    const Communicator ranks(handle);
    const auto made = [&](Sharing sharing) {
      return Mailboxes(sharing, ranks, message, message).sends().front().there();
    };
    const auto not_shared = Catch::Contains("memory for messages cannot be shared: shm_open: ");
    CHECK_THAT(without_files([&] { made(Sharing::always); }), not_shared);
    // The first attempt decides.
    CHECK_THAT(words_of([&] { made(Sharing::always); }), not_shared);
    CHECK(!made(Sharing::if_possible));
    CHECK(!made(Sharing::never));
    const Asked nothing(nullptr);
    Reducer<double> reducer(handle, Layout::contiguous(3), {});
    const Index sent = mpi_sends;
    CHECK(reducer.run(own) == sum);
    CHECK(mpi_sends > sent);
    const Asked shared("shared");
    CHECK_THAT(words_of([&] { Reducer<double>(handle, Layout::contiguous(3), {}); }), not_shared);
  }
  MPI_Comm_free(&handle);
  MPI_Comm_dup(MPI_COMM_WORLD, &handle);
  {
    const Communicator ranks(handle);
    const auto made = [&](Sharing sharing, const auto& messages) {
      return Mailboxes(sharing, ranks, messages, messages).sends().front().there();
    };
    CHECK(made(Sharing::if_possible, message));
    // These need more memory, and so a file.
    CHECK_THAT(without_files([&] { made(Sharing::always, many); }),
               Catch::Contains("memory for messages cannot be shared: shm_open: "));
    CHECK(without_files([&] {
            CHECK(!made(Sharing::if_possible, many));
            CHECK(made(Sharing::if_possible, message));
          }).empty());
    CHECK(made(Sharing::if_possible, many));
    // An earlier failure comes first.
    for (const Sharing sharing : {Sharing::never, Sharing::if_possible, Sharing::always}) {
      const std::string failure = last ? "no program" : "";
      CHECK_THAT(words_of([&] { Mailboxes(sharing, ranks, message, message, failure); }),
                 Catch::Contains("no program"));
    }
  }
  MPI_Comm_free(&handle);
}

TEST_CASE("parts of a node's memory belong to one object each") {
  if (world().size() == 1) return;
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &handle);
  {
    const Communicator ranks(handle);
    Node& node = ranks.node();
    REQUIRE(node.shares());
    const auto self = static_cast<std::size_t>(ranks.rank());
    const auto members = static_cast<std::size_t>(ranks.size());
    std::vector<std::shared_ptr<std::byte>> parts;
    bool right = true;
    for (std::size_t k = 0; k < 300; ++k) {
      const auto all = node.exchange(self * 1000 + k);
      for (std::size_t i = 0; i < members; ++i) right &= all[i] == i * 1000 + k;
      // Most fit beside others, some are longer than a whole segment.
      const std::size_t lines = k % 100 == 99 ? 3000 : 1 + k % 7;
      const std::size_t words = lines * Node::line / 8;
      const auto part = node.memory(lines * Node::line);
      auto* const numbers = reinterpret_cast<std::uint64_t*>(part.get());
      right &= reinterpret_cast<std::uintptr_t>(numbers) % Node::line == 0;
      barrier(ranks);
      for (std::size_t i = self; i < words; i += members) right &= numbers[i] == 0;
      barrier(ranks);
      for (std::size_t i = self; i < words; i += members) numbers[i] = k + 1;
      barrier(ranks);
      for (std::size_t i = 0; i < words; ++i) right &= numbers[i] == k + 1;
      parts.push_back(part);
      if (k % 3 == 0) parts.erase(parts.begin());
      for (const auto& other : parts) {
        const auto first = *reinterpret_cast<std::uint64_t*>(other.get());
        right &= (other == part) == (first == k + 1);
      }
    }
    CHECK(right);
  }
  MPI_Comm_free(&handle);
}

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
    // Those of a rank that is ahead may find no room.
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

}  // namespace mailboxes_mpi_test
