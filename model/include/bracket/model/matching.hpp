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

/// Assignment of receives to sends: between two ranks, the first receive takes the first send, and
/// so on.
struct Matching {
  std::vector<Message> messages;                ///< by sender, then receiver, then step
  std::vector<std::vector<MessageId>> of_step;  ///< by rank and step; `no_message` for no message
};

/// Matches the schedule's messages. Throws `Error`, which names rank and step, for a message
/// without a partner or values, and for a message to the rank itself or to a rank that does not
/// exist.
Matching match(const Schedule& schedule);

}  // namespace bracket
