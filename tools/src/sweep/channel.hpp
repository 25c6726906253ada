#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::tools {

/// What processes that share a sweep tell each other. A sweep is made of numbered pieces.
struct Message {
  enum class Kind : std::uint8_t {
    place,     ///< to a rank: its number, that of all ranks as the piece, and its cores
    hello,     ///< from a rank: how many pieces it takes at once
    refused,   ///< from a rank: why it takes none
    work,      ///< to a job: the piece
    question,  ///< from a job: whether this row is known
    answer,    ///< to a job: "yes" or "no"
    refusal,   ///< to a job, in place of an answer: why there can be no such row
    say,       ///< from a job: the progress
    row,       ///< from a job: a row
    done,      ///< from a job: the piece is complete
    failed,    ///< from a job: why the piece could not be completed
    lost,      ///< in place of a job: how its process ended before the piece was complete
    end,       ///< between ranks: the exit code
  };
  Kind kind = Kind::say;
  Rank rank = 0;            ///< of the launch: to which or from which it goes
  std::uint64_t piece = 0;  ///< its number
  std::string content{};
};

/// The bytes of a message, and the message of such bytes. Both ends are the same program on the
/// same kind of machine.
std::string to_bytes(const Message& message);
Message from_bytes(const std::string& bytes);

/// One end of a socket between two processes, over which messages arrive whole and in order.
class Channel {
 public:
  /// Owns the socket.
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;
  ~Channel() { close(); }

  /// Two ends; programs that are started later inherit neither. Throws `Error` if there can be
  /// none.
  static std::pair<Channel, Channel> pair();

  /// Never waits: what the socket has no room for is kept for `flush`. What is sent to an end that
  /// is closed is lost.
  void send(const Message& message);
  void flush();

  /// Waits until all is sent.
  void send_now(const Message& message);

  /// All that has arrived.
  std::vector<Message> receive();

  /// Waits for the next message; nothing once the other end is closed.
  std::optional<Message> wait();

  /// Whether nothing will arrive any more.
  [[nodiscard]] bool closed() const { return descriptor_ < 0 || ended_; }

  void close();

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// What `poll` is to wait for.
  [[nodiscard]] short events() const;

 private:
  std::optional<Message> next();
  void read();

  int descriptor_;
  bool ended_ = false;
  std::string unsent_;
  std::string arrived_;
  std::size_t taken_ = 0;  // bytes of `arrived_`
};

}  // namespace bracket::tools
