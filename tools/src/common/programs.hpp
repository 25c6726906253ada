#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

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

}  // namespace bracket::tools
