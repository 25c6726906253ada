#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/support/error.hpp"
#include "sweep/channel.hpp"

/// The programs behind the front. SimGrid's library exports MPI's symbols, so that what needs
/// SimGrid and what needs MPI cannot share a process.
namespace bracket::tools {

/// A program that the front hands subcommands to.
struct Helper {
  std::string program;      ///< `bracket-mpi`
  std::string subcommand;   ///< `run`
  std::string description;  ///< one line
  std::string part;         ///< what is missing where it is not built: `MPI runtime`
};

/// `run`, `bench`, `calibrate`, `simulate` and `tune`.
const std::vector<Helper>& helpers();

/// The helper that owns `subcommand`; null if the front does.
const Helper* helper_for(const std::string& subcommand);

/// Where `helper` is: beside this program or in its libexec folder. Throws `Error`, naming the
/// missing part, if it is nowhere.
std::filesystem::path locate(const Helper& helper);

/// Replaces this process by `helper` with the same arguments. Returns only by throwing `Error`.
[[noreturn]] void hand_over(const Helper& helper, char** argv);

/// The words of a launcher that starts `ranks` ranks: `{ranks}` is replaced, or `-n` and their
/// number are added. Throws `Error` if there is no word.
std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks);

/// A program that was started has ended with another exit code than 0.
class ProgramFailed : public Error {
 public:
  ProgramFailed(const std::string& what, int code) : Error(what), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// Runs `command` (found on PATH), waits, and returns what it wrote to stdout; its stderr is this
/// process's. Throws `Error` if it cannot be started, and `ProgramFailed` if it fails.
std::string output_of(const std::vector<std::string>& command);

/// A program that runs beside this one, with its stdout and stderr and a channel to it; it is ended
/// when this process ends.
class ProgramBeside {
 public:
  /// Starts `arguments` (the first found on PATH), which end with a null. The program finds the
  /// number of its end of the channel in the environment's `variable`. Throws `Error` if it cannot
  /// be started.
  ProgramBeside(const std::vector<char*>& arguments, const std::string& variable);
  ~ProgramBeside() { end(); }
  ProgramBeside(const ProgramBeside&) = delete;
  ProgramBeside& operator=(const ProgramBeside&) = delete;

  [[nodiscard]] Channel& channel() { return channel_; }

  /// Closes the channel, waits for the program's end, and returns its exit code, or less than 0,
  /// the negative of the signal that ended it.
  int wait();

 private:
  /// Ends it, if it is still there.
  void end();

  Channel channel_;
  int process_ = -1;
  int code_ = 0;
};

/// A file without a place in the file system, which programs started while it exists can read.
class FileInMemory {
 public:
  /// Throws `Error` if there can be none.
  explicit FileInMemory(std::string_view content);
  ~FileInMemory();
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  /// For this program and for those.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

}  // namespace bracket::tools
