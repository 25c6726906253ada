// SPDX-License-Identifier: MIT

#include "bracket/runtime/mailboxes.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/fnv1a.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

/// Describes the mailbox of a receive. The part of each rank begins with the entries of its
/// receives, in their sequence.
struct Entry {
  std::int64_t from = 0;    // rank
  std::int64_t offset = 0;  // of the mailbox, in the part
};

/// What the other ranks of the node must know of a rank before they share memory.
struct Announcement {
  std::int64_t failed = 0;   // whether it has
  std::int64_t entries = 0;  // of its part
  std::int64_t bytes = 0;    // of its part
  /// Sum of the fingerprints of its sends, less those of its receives.
  std::uint64_t unmatched = 0;
};

constexpr std::size_t in_lines(std::size_t bytes) {
  return (bytes + Mailbox::line - 1) / Mailbox::line * Mailbox::line;
}

/// Mixing function of splitmix64 (Steele, Lea and Flood 2014). Without it, sums of hashes may be
/// equal for messages that are not.
constexpr std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

/// A rank's messages that may have mailboxes.
class Messages {
 public:
  Messages(const Communicator& communicator, const Node& node,
           std::span<const Mailboxes::Message> messages, bool sent)
      : self_(communicator.rank()), sent_(sent), of_peer_(node.ranks().size()) {
    const std::vector<Rank>& ranks = node.ranks();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& [peer, bytes] = messages[i];
      if (bytes > Mailboxes::most_bytes || !node.shares()) continue;
      const auto found = std::lower_bound(ranks.begin(), ranks.end(), peer);
      if (found == ranks.end() || *found != peer) continue;
      const auto place = static_cast<std::size_t>(found - ranks.begin());
      fingerprints_ += fingerprint(messages[i], of_peer_[place]++);
      all_.push_back({i, place});
    }
  }

  struct Message {
    std::size_t number = 0;  // among all messages
    std::size_t place = 0;   // of the other rank, on the node
  };
  [[nodiscard]] const std::vector<Message>& all() const { return all_; }

  /// The sum over all messages. That of all sends and that of all receives on a node are equal.
  [[nodiscard]] std::uint64_t fingerprints() const { return fingerprints_; }

 private:
  /// Of the message that comes after `before` others between the same ranks.
  [[nodiscard]] std::uint64_t fingerprint(const Mailboxes::Message& message,
                                          std::uint64_t before) const {
    support::Fnv1a hash;
    hash.number(static_cast<std::uint64_t>(sent_ ? self_ : message.peer));
    hash.number(static_cast<std::uint64_t>(sent_ ? message.peer : self_));
    hash.number(before);
    hash.number(static_cast<std::uint64_t>(message.bytes));
    return mixed(hash.value());
  }

  Rank self_;
  bool sent_;
  std::vector<std::uint64_t> of_peer_;  // number of messages
  std::vector<Message> all_;
  std::uint64_t fingerprints_ = 0;
};

}  // namespace

Mailboxes::Mailboxes(Sharing sharing, const Communicator& communicator,
                     std::span<const Message> sends, std::span<const Message> receives,
                     std::string failure)
    : sends_(sends.size()), receives_(receives.size()) {
  if (sharing == Sharing::never || communicator.size() == 1) {
    fail_together(communicator, failure);
    return;
  }
  Node& node = communicator.node();
  const bool must = sharing == Sharing::always;
  if (failure.empty() && must) failure = node.failure();
  const Messages sent(communicator, node, sends, true);
  const Messages received(communicator, node, receives, false);
  std::vector<Entry> entries;
  std::size_t boxes = in_lines(received.all().size() * sizeof(Entry));  // behind the entries
  for (const auto& [number, place] : received.all()) {
    entries.push_back({node.ranks()[place], static_cast<std::int64_t>(boxes)});
    boxes += Mailbox::room(static_cast<std::size_t>(receives[number].bytes));
  }
  std::vector<Announcement> all;
  std::vector<std::size_t> begins;  // of each rank's part
  if (node.shares()) {
    all = node.exchange(Announcement{
        .failed = failure.empty() ? 0 : 1,
        .entries = static_cast<std::int64_t>(entries.size()),
        .bytes = static_cast<std::int64_t>(boxes),
        .unmatched = sent.fingerprints() - received.fingerprints(),
    });
    Announcement sum;
    for (const Announcement& one : all) {
      begins.push_back(static_cast<std::size_t>(sum.bytes));
      sum.failed += one.failed;
      sum.bytes += one.bytes;
      sum.unmatched += one.unmatched;
    }
    if (sum.failed == 0 && sum.unmatched != 0) {
      failure =
          "the messages that ranks of a node send each other are not those that they wait for";
    } else if (sum.failed == 0 && sum.bytes > 0) {
      const std::string why_not =
          words_of([&] { memory_ = node.memory(static_cast<std::size_t>(sum.bytes)); });
      if (must) failure = why_not;
    }
  }
  if (memory_ != nullptr) {
    const auto part_of = [&](std::size_t place) { return memory_.get() + begins[place]; };
    std::byte* const own = part_of(node.place());
    if (!entries.empty()) std::memcpy(own, entries.data(), entries.size() * sizeof(Entry));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t number = received.all()[i].number;
      receives_[number] =
          Mailbox(own + entries[i].offset, static_cast<std::size_t>(receives[number].bytes));
    }
    node.barrier();                              // after it, the entries are there
    std::vector<std::int64_t> next(all.size());  // entry of each rank
    for (const auto& [number, place] : sent.all()) {
      Entry entry{.from = -1};
      while (entry.from != communicator.rank() && next[place] < all[place].entries) {
        const auto at = static_cast<std::size_t>(next[place]++) * sizeof(Entry);
        std::memcpy(&entry, part_of(place) + at, sizeof(Entry));
      }
      sends_[number] =
          Mailbox(part_of(place) + entry.offset, static_cast<std::size_t>(sends[number].bytes));
    }
  }
  fail_together(communicator, failure);
}

Sharing sharing() {
  constexpr const char* variable = "BRACKET_MESSAGES";
  const char* const value = std::getenv(variable);
  const std::string_view name = value == nullptr ? "" : value;
  if (name.empty()) return Sharing::if_possible;
  if (name == "shared") return Sharing::always;
  if (name == "mpi") return Sharing::never;
  throw Error(text(variable, " is ", excerpt(name), "; known: mpi or shared"));
}

Sharing agreed_sharing(const Communicator& communicator) {
  Sharing wanted = Sharing::never;
  const std::string failure = words_of([&] { wanted = sharing(); });
  const Agreement agreement = on_sharing(wanted);
  fail_together(communicator, failure, {&agreement, 1});
  return wanted;
}

Agreement on_sharing(Sharing sharing) {
  return {static_cast<std::uint64_t>(sharing),
          "BRACKET_MESSAGES is not the same on all ranks: set it on every rank"};
}

}  // namespace bracket::runtime
