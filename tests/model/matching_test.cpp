#include "bracket/model/matching.hpp"

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace matching_test {

using namespace bracket;
using Catch::Contains;

namespace {

/// A schedule without steps: one element for each rank.
Schedule without_steps(Rank ranks) {
  return {"tree", 1,
          "",     lower_distribution(ranks, ranks),
          {},     std::vector<RankPart>(static_cast<std::size_t>(ranks))};
}

const std::vector<Partial> one{Range{0, 1}};
const std::vector<Partial> two{Range{0, 1}, Range{1, 2}};

}  // namespace

TEST_CASE("the k-th send from a rank to another goes with the k-th receive") {
  auto schedule = without_steps(3);
  schedule.parts[2].send(0, one);
  schedule.parts[2].send(1, one);
  schedule.parts[2].send(0, two);
  schedule.parts[0].recv(2, one);
  schedule.parts[0].fold({0, 1});
  schedule.parts[0].recv(2, two);
  schedule.parts[1].recv(2, one);
  const auto matching = match(schedule);
  CHECK(matching.messages ==
        std::vector<Message>{{2, 0, 0, 0, 1}, {2, 0, 2, 2, 2}, {2, 1, 1, 0, 1}});
  CHECK(matching.of_step ==
        std::vector<std::vector<MessageId>>{{0, no_message, 1}, {2}, {0, 2, 1}});
}

TEST_CASE("every message of a plan has two ends of the same partials") {
  testing::property("matching", [] {
    const auto distribution = *testing::any_distribution(300, 20);
    const auto order = make_order("tree", distribution.elements());
    for (const auto& row : plans()) {
      const auto plan = make_plan(row.entry.name);
      if (!plan->scheduled()) continue;
      const auto schedule = make_schedule(*order, distribution, *plan, Delivery::to_all());
      const auto matching = match(schedule);
      RC_ASSERT(static_cast<Index>(matching.messages.size()) == schedule.messages());
      for (std::size_t id = 0; id < matching.messages.size(); ++id) {
        const Message& message = matching.messages[id];
        const auto from = static_cast<std::size_t>(message.from);
        const auto to = static_cast<std::size_t>(message.to);
        RC_ASSERT(matching.of_step[from].at(message.send_step) == id);
        RC_ASSERT(matching.of_step[to].at(message.recv_step) == id);
        const Step& send = schedule.parts[from].steps()[message.send_step];
        const Step& recv = schedule.parts[to].steps()[message.recv_step];
        RC_ASSERT((send.kind == StepKind::send && send.peer == message.to));
        RC_ASSERT((recv.kind == StepKind::recv && recv.peer == message.from));
        const auto sent = schedule.parts[from].operands(send);
        const auto received = schedule.parts[to].operands(recv);
        RC_ASSERT(std::equal(sent.begin(), sent.end(), received.begin(), received.end()));
        RC_ASSERT(schedule.parts[from].values(send) == message.values);
      }
    }
  });
}

TEST_CASE("a message without partner is an error that names rank and step") {
  auto schedule = without_steps(3);
  schedule.parts[1].fold({1, 2});
  SECTION("not received") {
    schedule.parts[1].send(0, one);
    CHECK_THROWS_WITH(match(schedule),
                      Contains("rank 1, step 1 (send to 0") && Contains("never received"));
  }
  SECTION("not sent") {
    schedule.parts[1].recv(2, one);
    CHECK_THROWS_WITH(match(schedule), Contains("rank 1, step 1 (recv from 2") &&
                                           Contains("rank 2 never sends this message"));
  }
  SECTION("from a rank that does not exist") {
    schedule.parts[1].recv(-1, one);
    CHECK_THROWS_WITH(match(schedule), Contains("rank 1, step 1") && Contains("rank -1 does not"));
  }
  SECTION("to itself") {
    schedule.parts[1].send(1, one);
    CHECK_THROWS_WITH(match(schedule), Contains("rank 1, step 1") && Contains("the rank itself"));
  }
  SECTION("of nothing") {
    schedule.parts[1].send(0, {});
    CHECK_THROWS_WITH(match(schedule), Contains("rank 1, step 1") && Contains("empty message"));
  }
  SECTION("of a rank without part") {
    schedule.parts.resize(2);
    CHECK_THROWS_WITH(match(schedule), Contains("2 parts for 3 ranks"));
  }
}

}  // namespace matching_test
