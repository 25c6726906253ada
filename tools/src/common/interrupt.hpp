// SPDX-License-Identifier: MIT

#pragma once

namespace bracket::tools {

/// Delays SIGINT while an object of this class exists: the first SIGINT does not end the program,
/// which may finish its output. Another one, at least half a second later, ends it. At most one
/// object may exist at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Returns whether a SIGINT came.
  [[nodiscard]] static bool came();

  /// Ends the program by the signal if one came, so that shells and scripts also stop.
  static void obey();
};

}  // namespace bracket::tools
