// SPDX-License-Identifier: MIT

#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "bracket/model/range.hpp"

/// How the tests of messages by mailboxes ask for them, and count those through MPI.
namespace bracket::testing {

/// Sets or, with null, unsets BRACKET_MESSAGES while it exists.
class Asked {
 public:
  explicit Asked(const char* value) {
    if (const char* const now = std::getenv(name)) before_ = now;
    set(value);
  }
  ~Asked() { set(before_ ? before_->c_str() : nullptr); }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

 private:
  static constexpr const char* name = "BRACKET_MESSAGES";
  static void set(const char* value) {
    if (value == nullptr) {
      unsetenv(name);
    } else {
      setenv(name, value, 1);
    }
  }
  std::optional<std::string> before_;
};

/// Number of calls of MPI_Isend.
extern Index mpi_sends;

/// While it exists, the ranks of a new communicator are on nodes of two.
struct TwoRanksOnANode {
  TwoRanksOnANode() { asked = true; }
  ~TwoRanksOnANode() { asked = false; }
  static inline bool asked = false;
};

}  // namespace bracket::testing
