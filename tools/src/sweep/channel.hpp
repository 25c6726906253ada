// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::tools {

/// Message between processes that share a sweep. A sweep consists of numbered pieces.
struct SweepMessage {
  enum class Kind : std::uint8_t {
    place,     ///< to a rank: its number, the number of ranks (in `piece`), and its cores
    hello,     ///< from a rank: the number of pieces that it takes at once
    refused,   ///< from a rank: why it takes no pieces
    work,      ///< to a job: the piece
    question,  ///< from a job: is this row known?
    answer,    ///< to a job: "yes" or "no"
    refusal,   ///< to a job, instead of an answer: why such a row is not possible
    say,       ///< from a job: the progress
    row,       ///< from a job: a row
    done,      ///< from a job: the piece is complete
    failed,    ///< from a job: why the piece could not be completed
    lost,      ///< on behalf of a job: how its process ended before the piece was complete
    end,       ///< between ranks: the exit code
  };
  Kind kind = Kind::say;
  Rank rank = 0;            ///< of the launch: destination or source
  std::uint64_t piece = 0;  ///< number of the piece
  std::string content{};
};

/// Converts a message to bytes and back. Both ends must be the same program on the same kind of
/// machine. `from_bytes` throws `Error` if the message is incomplete.
std::string to_bytes(const SweepMessage& message);
SweepMessage from_bytes(const std::string& bytes);

/// One end of a socket between two processes. Messages arrive whole and in order.
class Channel {
 public:
  /// Takes ownership of the socket.
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;
  ~Channel() { close(); }

  /// Makes the two ends of a channel. Programs that are started later inherit neither. Throws
  /// `Error` if the system refuses.
  static std::pair<Channel, Channel> pair();

  /// Sends without waiting: keeps bytes that the socket has no room for until `flush`. A message to
  /// a closed end is lost.
  void send(const SweepMessage& message);
  void flush();

  /// Sends, and waits until all bytes are sent.
  void send_now(const SweepMessage& message);

  /// Returns all messages that have arrived.
  std::vector<SweepMessage> receive();

  /// Waits for the next message. Returns no value once the other end is closed.
  std::optional<SweepMessage> wait();

  /// Whether no more bytes can arrive.
  [[nodiscard]] bool closed() const { return descriptor_ < 0 || ended_; }

  void close();

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// The events that `poll` must wait for.
  [[nodiscard]] short events() const;

 private:
  std::optional<SweepMessage> next();
  void read();

  int descriptor_;
  bool ended_ = false;
  std::string unsent_;
  std::string arrived_;
  std::size_t taken_ = 0;  // bytes of `arrived_`
};

}  // namespace bracket::tools
