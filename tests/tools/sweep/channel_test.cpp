// SPDX-License-Identifier: MIT

#include "sweep/channel.hpp"

#include <poll.h>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace channel_test {

using bracket::tools::Channel;
using bracket::tools::SweepMessage;

namespace {

SweepMessage any_message() {
  const auto kind = static_cast<SweepMessage::Kind>(*rc::gen::inRange(0, 13));
  // Most messages are short; some are longer than a socket's buffer.
  const auto size = *rc::gen::weightedElement<std::size_t>(
      {{10, 0}, {10, 1}, {10, 100}, {1, 100'000}, {1, 3'000'000}});
  return {kind, *rc::gen::arbitrary<bracket::Rank>(), *rc::gen::arbitrary<std::uint64_t>(),
          std::string(size, static_cast<char>(*rc::gen::inRange(0, 256)))};
}

bool same(const SweepMessage& one, const SweepMessage& other) {
  return one.kind == other.kind && one.rank == other.rank && one.piece == other.piece &&
         one.content == other.content;
}

}  // namespace

TEST_CASE("messages arrive whole and in order, whenever they are taken") {
  bracket::testing::property("channel", [] {
    auto [here, there] = Channel::pair();
    std::vector<SweepMessage> sent;
    std::vector<SweepMessage> taken;
    const auto take = [&, &to = there] {
      for (SweepMessage& message : to.receive()) taken.push_back(std::move(message));
    };
    const int count = *rc::gen::inRange(0, 40);
    for (int i = 0; i < count; ++i) {
      sent.push_back(any_message());
      here.send(sent.back());  // never waits, even without a reader
      if (*rc::gen::inRange(0, 4) == 0) take();
    }
    while (here.events() != POLLIN) {
      here.flush();
      take();
    }
    RC_ASSERT_FALSE(there.closed());
    here.close();
    while (const auto message = there.wait()) taken.push_back(*message);
    RC_ASSERT(there.closed());
    RC_ASSERT(taken.size() == sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) RC_ASSERT(same(taken[i], sent[i]));
    there.send({});  // without a receiver
  });
}

TEST_CASE("messages are the same after they were bytes, and what is too short is refused") {
  bracket::testing::property("bytes", [] {
    const SweepMessage message = any_message();
    RC_ASSERT(same(bracket::tools::from_bytes(bracket::tools::to_bytes(message)), message));
  });
  CHECK_THROWS_WITH(bracket::tools::from_bytes("1234"), Catch::Contains("incomplete"));
}

}  // namespace channel_test
