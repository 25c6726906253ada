// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bracket::support {

/// A file descriptor that its owner closes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  void close();
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// A pipe. Programs that are started later inherit neither end.
struct Pipe {
  /// Throws `Error` if there can be none.
  Pipe();

  Descriptor from;  ///< the end to read from
  Descriptor to;    ///< the end to write to
};

/// All bytes up to the end, or up to where reading fails.
std::string read_all(int from);

/// Writes all bytes. False, with the reason in errno, if that fails.
bool write_all(int to, std::string_view bytes);

}  // namespace bracket::support
