// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bracket {

/// One end of a message in a sequence of steps or operations.
struct MessageEnd {
  enum class Kind : std::uint8_t { none, send, recv };
  Kind kind = Kind::none;  ///< `none` for a step that is no end of a message
  std::uint32_t peer = 0;  ///< rank at the other end
};

/// Matches sends with receives: the k-th send from one rank to another goes with the k-th receive.
/// The steps of rank r are `first[r]` to `first[r + 1]`, and `end_of(step)` returns a `MessageEnd`,
/// whose peer must be a rank. Calls `paired(send, receive)` for each message, by receiving rank,
/// sending rank and step; `unreceived(send)` or `unsent(receive)`, which must throw, for the first
/// end without a partner. Time and memory are linear in the number of steps.
template <class EndOf, class Paired, class Unreceived, class Unsent>
void match_messages(std::span<const std::uint32_t> first, EndOf&& end_of, Paired&& paired,
                    Unreceived&& unreceived, Unsent&& unsent) {
  using Kind = MessageEnd::Kind;
  struct End {
    std::uint32_t peer;
    std::uint32_t step;
  };
  const std::size_t ranks = first.size() - 1;
  // The sends to each rank, by sender and step.
  std::vector<std::uint32_t> begin(ranks + 2, 0);
  for (std::uint32_t i = 0; i < first.back(); ++i) {
    if (const MessageEnd end = end_of(i); end.kind == Kind::send) ++begin[end.peer + 2];
  }
  for (std::size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<End> sends(begin.back());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t i = first[rank]; i < first[rank + 1]; ++i) {
      const MessageEnd end = end_of(i);
      if (end.kind == Kind::send)
        sends[begin[end.peer + 1]++] = {static_cast<std::uint32_t>(rank), i};
    }
  }
  std::vector<End> receives;
  const auto by_peer = [](const End& left, const End& right) { return left.peer < right.peer; };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    receives.clear();
    for (std::uint32_t i = first[rank]; i < first[rank + 1]; ++i) {
      if (const MessageEnd end = end_of(i); end.kind == Kind::recv) {
        receives.push_back({end.peer, i});
      }
    }
    if (!std::is_sorted(receives.begin(), receives.end(), by_peer)) {
      std::stable_sort(receives.begin(), receives.end(), by_peer);
    }
    const std::span sent(sends.data() + begin[rank], begin[rank + 1] - begin[rank]);
    for (std::size_t k = 0; k < std::max(sent.size(), receives.size()); ++k) {
      if (k >= receives.size() || (k < sent.size() && sent[k].peer < receives[k].peer)) {
        unreceived(sent[k].step);
      } else if (k >= sent.size() || sent[k].peer > receives[k].peer) {
        unsent(receives[k].step);
      } else {
        paired(sent[k].step, receives[k].step);
      }
    }
  }
}

}  // namespace bracket
