#pragma once

namespace bracket::tools {

/// While one exists, a first SIGINT does not end the program, which may finish what it has; another
/// half a second later does. There is at most one at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] static bool came();

  /// Ends the program by the signal that came, so that shells and scripts stop, too. Does nothing
  /// if none did.
  static void obey();
};

}  // namespace bracket::tools
