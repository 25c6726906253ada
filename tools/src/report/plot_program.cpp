// SPDX-License-Identifier: MIT

#include "report/plot_program.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "bracket/support/child.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr const char* how_to_install = "--report needs gnuplot (Debian package gnuplot-nox): ";

std::unique_ptr<PlotProgram>& early_program() {
  static std::unique_ptr<PlotProgram> program;
  return program;
}

}  // namespace

PlotProgram::PlotProgram() : commands_("") {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(text("--report: no socket: ", std::strerror(errno)));
  }
  socket_ = support::Descriptor(ends[0]);
  support::Descriptor other(ends[1]);
  try {
    // Without -d, a user's settings would change the plots.
    process_ =
        start_program({.command = {"gnuplot", "-d", "-"}, .output = other.number(), .prepare = [] {
                         // SIGINT ends a tuning early, and then its report is written.
                         return ::setpgid(0, 0) == 0 && ::dup2(STDOUT_FILENO, STDIN_FILENO) >= 0;
                       }});
  } catch (const Error& failure) {
    throw Error(text(how_to_install, failure.what()));
  }
  other.close();  // so that reading ends when gnuplot does
  say("set print '-'\nprint sprintf('%.1f.%s', GPVAL_VERSION, GPVAL_PATCHLEVEL)\n");
  version_ = first_line();
  if (version_.empty()) throw Error(text(how_to_install, "the program gnuplot does not answer"));
  version_ = "gnuplot " + version_;
}

PlotProgram::~PlotProgram() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  support::wait_for(process_);
}

void PlotProgram::say(const std::string& commands) const {
  // If gnuplot has ended, reading shows it.
  static_cast<void>(::send(socket_.number(), commands.data(), commands.size(), MSG_NOSIGNAL));
}

std::string PlotProgram::first_line() const {
  std::string line;
  for (char c = 0;;) {
    const ssize_t count = ::read(socket_.number(), &c, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return "";
    if (c == '\n') return line;
    line += c;
  }
}

std::vector<std::string> PlotProgram::draw(const std::vector<std::string>& scripts) {
  for (const std::string& script : scripts) commands_.append(script);
  say(text("load '", commands_.path(), "'\nexit\n"));
  const std::string output = support::read_all(socket_.number());
  const support::ProcessEnd end = support::wait_for(std::exchange(process_, -1));
  std::vector<std::string> documents;
  constexpr std::string_view last = "</svg>";
  for (std::size_t from = 0;;) {
    const std::size_t at = output.find(last, from);
    if (at == std::string::npos) break;
    documents.push_back(output.substr(from, at + last.size() - from));
    from = at + last.size();
  }
  if (!end.succeeded() || documents.size() != scripts.size()) {
    throw Error(text("gnuplot drew ", documents.size(), " of ", scripts.size(),
                     " plots of the report and ended with ", end.words()));
  }
  return documents;
}

void PlotProgram::start_early(int argc, char** argv) {
  const bool asked = std::any_of(argv + std::min(argc, 1), argv + argc, [](std::string_view word) {
    return word == "--report" || word.starts_with("--report=");
  });
  if (asked) early_program() = std::make_unique<PlotProgram>();
}

std::unique_ptr<PlotProgram> PlotProgram::take() {
  if (early_program()) return std::move(early_program());
  return std::make_unique<PlotProgram>();
}

}  // namespace bracket::tools
