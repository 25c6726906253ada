// SPDX-License-Identifier: MIT

#include "sweep/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number number_at(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

constexpr std::size_t head = sizeof(SweepMessage::Kind) + sizeof(Rank) + sizeof(std::uint64_t);

}  // namespace

std::string to_bytes(const SweepMessage& message) {
  std::string bytes;
  append(bytes, message.kind);
  append(bytes, message.rank);
  append(bytes, message.piece);
  return bytes + message.content;
}

SweepMessage from_bytes(const std::string& bytes) {
  if (bytes.size() < head) throw Error("a message between processes is incomplete");
  const char* at = bytes.data();
  SweepMessage message;
  message.kind = number_at<SweepMessage::Kind>(at);
  message.rank = number_at<Rank>(at += sizeof message.kind);
  message.piece = number_at<std::uint64_t>(at += sizeof message.rank);
  message.content = bytes.substr(head);
  return message;
}

Channel::Channel(Channel&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      ended_(other.ended_),
      unsent_(std::move(other.unsent_)),
      arrived_(std::move(other.arrived_)),
      taken_(other.taken_) {}

Channel& Channel::operator=(Channel&& other) noexcept {
  close();
  descriptor_ = std::exchange(other.descriptor_, -1);
  ended_ = other.ended_;
  unsent_ = std::move(other.unsent_);
  arrived_ = std::move(other.arrived_);
  taken_ = other.taken_;
  return *this;
}

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(text("cannot make a socket between processes: ", std::strerror(errno)));
  }
  return {Channel(ends[0]), Channel(ends[1])};
}

void Channel::send(const SweepMessage& message) {
  const std::string bytes = to_bytes(message);
  append(unsent_, static_cast<std::uint64_t>(bytes.size()));
  unsent_ += bytes;
  flush();
}

void Channel::flush() {
  std::size_t sent = 0;
  while (descriptor_ >= 0 && sent < unsent_.size()) {
    const ssize_t count = ::send(descriptor_, unsent_.data() + sent, unsent_.size() - sent,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    // The other end is gone. `receive` reads the rest and then finds the channel closed.
    sent = count < 0 ? unsent_.size() : sent + static_cast<std::size_t>(count);
  }
  unsent_.erase(0, sent);
}

void Channel::send_now(const SweepMessage& message) {
  send(message);
  while (!unsent_.empty() && descriptor_ >= 0) {
    pollfd room{descriptor_, POLLOUT, 0};
    ::poll(&room, 1, -1);
    flush();
  }
}

void Channel::read() {
  std::array<char, 65536> buffer;
  while (!closed()) {
    const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) {
      ended_ = true;
      return;
    }
    arrived_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::optional<SweepMessage> Channel::next() {
  constexpr std::size_t prefix = sizeof(std::uint64_t);
  const std::size_t left = arrived_.size() - taken_;
  if (left < prefix) return {};
  const auto size = number_at<std::uint64_t>(arrived_.data() + taken_);
  if (left - prefix < size) return {};
  SweepMessage message = from_bytes(arrived_.substr(taken_ + prefix, size));
  taken_ += prefix + size;
  if (taken_ == arrived_.size()) {
    arrived_.clear();
    taken_ = 0;
  }
  return message;
}

std::vector<SweepMessage> Channel::receive() {
  read();
  std::vector<SweepMessage> messages;
  while (auto message = next()) messages.push_back(std::move(*message));
  return messages;
}

std::optional<SweepMessage> Channel::wait() {
  for (;;) {
    if (auto message = next()) return message;
    if (closed()) return {};
    pollfd more{descriptor_, POLLIN, 0};
    ::poll(&more, 1, -1);
    read();
  }
}

void Channel::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

short Channel::events() const {
  return static_cast<short>(POLLIN | (unsent_.empty() ? 0 : POLLOUT));
}

}  // namespace bracket::tools
