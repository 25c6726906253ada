#include "bracket/model/matching.hpp"

#include <algorithm>
#include <tuple>

#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"

namespace bracket {

namespace {

/// One end of a message.
struct End {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t step = 0;

  [[nodiscard]] auto channel() const { return std::tie(from, to); }
};

[[noreturn]] void refuse(const Schedule& schedule, Rank rank, std::size_t step, std::string why) {
  throw Error(describe(schedule, {rank, static_cast<std::ptrdiff_t>(step), std::move(why)}));
}

void check_message(const Schedule& schedule, Rank rank, std::size_t index) {
  const Step& step = schedule.parts[static_cast<std::size_t>(rank)].steps()[index];
  if (step.peer < 0 || step.peer >= schedule.ranks()) {
    refuse(schedule, rank, index, text("rank ", step.peer, " does not exist"));
  }
  if (step.peer == rank) refuse(schedule, rank, index, "a message to the rank itself");
  if (step.count == 0) refuse(schedule, rank, index, "an empty message");
}

/// Brings the ends of one pair of ranks together; they stay in the order of their steps.
void sort_by_channel(std::vector<End>& ends) {
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return a.channel() < b.channel(); });
}

}  // namespace

Matching match(const Schedule& schedule) {
  if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
    throw Error(text("the schedule has ", schedule.parts.size(), " parts for ", schedule.ranks(),
                     " ranks"));
  }
  Matching matching;
  matching.of_step.resize(schedule.parts.size());
  std::vector<End> sends, receives;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const auto& steps = schedule.parts[static_cast<std::size_t>(rank)].steps();
    matching.of_step[static_cast<std::size_t>(rank)].assign(steps.size(), no_message);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool is_send = steps[i].kind == StepKind::send;
      if (!is_send && steps[i].kind != StepKind::recv) continue;
      check_message(schedule, rank, i);
      const auto step = static_cast<std::uint32_t>(i);
      if (is_send) {
        sends.push_back({rank, steps[i].peer, step});
      } else {
        receives.push_back({steps[i].peer, rank, step});
      }
    }
  }
  sort_by_channel(sends);
  sort_by_channel(receives);

  matching.messages.reserve(sends.size());
  auto receive = receives.begin();
  for (const End& send : sends) {
    // A receive of an earlier channel that no send has taken never ends.
    if (receive != receives.end() && receive->channel() < send.channel()) break;
    if (receive == receives.end() || receive->channel() != send.channel()) {
      refuse(schedule, send.from, send.step,
             "the message is never received, the schedule does not verify");
    }
    const auto id = static_cast<MessageId>(matching.messages.size());
    const auto& part = schedule.parts[static_cast<std::size_t>(send.from)];
    matching.of_step[static_cast<std::size_t>(send.from)][send.step] = id;
    matching.of_step[static_cast<std::size_t>(send.to)][receive->step] = id;
    matching.messages.push_back(
        {send.from, send.to, send.step, receive->step, part.values(part.steps()[send.step])});
    ++receive;
  }
  if (receive != receives.end()) {
    refuse(schedule, receive->to, receive->step,
           text("waits forever, rank ", receive->from,
                " never sends this message, the schedule does not verify"));
  }
  return matching;
}

}  // namespace bracket
