// SPDX-License-Identifier: MIT

#include "bracket/runtime/mailboxes.hpp"

#include <sys/resource.h>

#include <deque>
#include <numeric>

#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "runtime/program/mailbox_checks.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/world.hpp"

namespace mailboxes_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::Asked;
using testing::mpi_sends;
using testing::world;

namespace {

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

}  // namespace mailboxes_mpi_test
