#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

/// The programs behind the front. SimGrid's library exports MPI's symbols, so code that needs
/// SimGrid and code that needs MPI cannot share a process.
namespace bracket::tools {

/// A program that the front hands subcommands to.
struct Helper {
  std::string program;      ///< `bracket-mpi`
  std::string subcommand;   ///< `run`
  std::string description;  ///< one line
  std::string part;         ///< component that it belongs to, for messages: `MPI runtime`
};

/// `run`, `bench`, `calibrate`, `simulate` and `tune`.
const std::vector<Helper>& helpers();

/// Returns the helper that has `subcommand`, or null if the front has it.
const Helper* helper_for(const std::string& subcommand);

/// Returns the path of `helper`, which is beside this program or in its libexec folder. Throws
/// `Error`, which names the missing part, if it is in neither.
std::filesystem::path locate(const Helper& helper);

/// Replaces this process by `helper` with the same arguments. Returns only by throwing `Error`.
[[noreturn]] void hand_over(const Helper& helper, char** argv);

/// Returns the words of a launcher that starts `ranks` ranks: replaces `{ranks}`, or else adds `-n`
/// and their number. Throws `Error` if `launcher` has no word.
std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks);

}  // namespace bracket::tools
