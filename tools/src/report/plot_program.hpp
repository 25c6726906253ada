// SPDX-License-Identifier: MIT

#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "bracket/support/descriptor.hpp"
#include "common/spawn.hpp"

namespace bracket::tools {

/// gnuplot, which draws the plots of a report. It is a program, not a library. It starts before the
/// work of a command and waits: so a missing gnuplot is an error before that work, and a process
/// that uses MPI, which cannot always start others, starts none.
class PlotProgram {
 public:
  /// Starts gnuplot. Throws `Error`, which names its package, if it does not answer.
  PlotProgram();
  ~PlotProgram();
  PlotProgram(const PlotProgram&) = delete;
  PlotProgram& operator=(const PlotProgram&) = delete;

  /// As in "gnuplot 5.4.4".
  [[nodiscard]] const std::string& version() const { return version_; }

  /// Returns the SVG document of each script, and ends gnuplot. Throws `Error` if gnuplot fails.
  std::vector<std::string> draw(const std::vector<std::string>& scripts);

  /// Starts gnuplot for the report of this process, before MPI starts, if the command line has
  /// `--report`. Throws in the cases of the constructor.
  static void start_early(int argc, char** argv);

  /// Returns the gnuplot of `start_early`, or else a new one.
  static std::unique_ptr<PlotProgram> take();

 private:
  void say(const std::string& commands) const;
  [[nodiscard]] std::string first_line() const;

  FileInMemory commands_;
  support::Descriptor socket_;  // its stdin and stdout
  pid_t process_ = -1;
  std::string version_;
};

}  // namespace bracket::tools
