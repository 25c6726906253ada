// SPDX-License-Identifier: MIT

#include "rows/row_table.hpp"

#include <unistd.h>

#include <iostream>
#include <sstream>

#include "support/catch.hpp"

namespace report_test {

using bracket::tools::Progress;

namespace {

/// Captures stderr while it exists.
class Captured {
 public:
  Captured() : before_(std::cerr.rdbuf(kept_.rdbuf())) {}
  ~Captured() { std::cerr.rdbuf(before_); }
  [[nodiscard]] std::string content() const { return kept_.str(); }

 private:
  std::ostringstream kept_;
  std::streambuf* before_;
};

}  // namespace

TEST_CASE("off a terminal progress is lines, the first after a while") {
  if (::isatty(STDERR_FILENO) != 0) return;
  const Captured captured;
  Progress quiet;
  quiet.say("one");
  quiet.clear();
  CHECK(captured.content() == "");
  Progress at_once(std::chrono::seconds(0));
  at_once.say("one");
  at_once.say("two");
  at_once.clear();
  CHECK(captured.content() == "bracket: 0 s: one\nbracket: 0 s: two\n");
}

}  // namespace report_test
