#pragma once

#include <cstdint>
#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

/// Position of a message in `Matching::messages`.
using MessageId = std::uint32_t;
inline constexpr MessageId no_message = static_cast<MessageId>(-1);

/// A message and both of its ends.
struct Message {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t send_step = 0;  ///< position in the part of `from`
  std::uint32_t recv_step = 0;  ///< position in the part of `to`
  Index values = 0;             ///< as the sender counts them

  friend bool operator==(const Message&, const Message&) = default;
};

/// Which receive takes which send: the first from a rank to another takes the first, and so on.
struct Matching {
  std::vector<Message> messages;                ///< by sender, then receiver, then step
  std::vector<std::vector<MessageId>> of_step;  ///< by rank and step; `no_message` for no message
};

/// Matches the schedule's messages. Throws `Error` naming rank and step for a message without
/// partner or without values, to the rank itself or to one that does not exist.
Matching match(const Schedule& schedule);

}  // namespace bracket
