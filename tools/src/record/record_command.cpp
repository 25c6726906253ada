// SPDX-License-Identifier: MIT

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/record/trace.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/help.hpp"
#include "common/launch.hpp"
#include "common/options.hpp"

namespace bracket::tools {

namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string folder;
  Index keep = 64;
  std::vector<std::string> program;
};

/// The library that records, beside this program or in the installed libraries.
fs::path recorder() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here, here / ".." / BRACKET_LIBDIR}) {
    std::error_code none;
    const fs::path library = fs::weakly_canonical(folder / "libbracket_recorder.so", none);
    if (fs::is_regular_file(library, none)) return library;
  }
  throw Error(
      text("`bracket record` needs an MPI library for C, which this build does not have: "
           "libbracket_recorder.so is not in ",
           here.string()));
}

/// Throws `Error` if the loader finds no such program. Nothing is written then.
void check_program(const std::string& program) {
  const auto can_start = [](const fs::path& file) {
    std::error_code none;
    return !fs::is_directory(file, none) && ::access(file.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) {
    if (can_start(program)) return;
    throw Error(text(program, ": is no program that can be started: ",
                     fs::is_directory(program) ? "it is a folder"
                     : fs::exists(program)     ? "it is not executable"
                                               : "there is no such file"));
  }
  const char* const path = std::getenv("PATH");
  // With a colon at the end, so that an empty folder there, which is the present one, counts.
  std::istringstream folders(text(path != nullptr ? path : "/bin:/usr/bin", ':'));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (can_start(fs::path(folder.empty() ? "." : folder) / program)) return;
  }
  throw Error(text(program, ": is in no folder of PATH",
                   can_start(program) ? text(": for the file here, write ./", program) : ""));
}

std::string made_folder(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || !fs::is_directory(folder)) {
    throw Error(text("--output ", folder, ": a folder that can be made was expected",
                     failed ? ": " + failed.message() : ""));
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    throw Error(text("--output ", folder, ": cannot be written: ", std::strerror(errno)));
  }
  return fs::absolute(folder).string();
}

/// Removes this rank's file of an earlier run: a program that never starts MPI writes none, and the
/// earlier one must not be taken for its own.
void remove_earlier(const std::string& folder) {
  const auto rank = rank_of_launch();
  std::error_code none;
  if (!rank) return;
  const fs::path earlier = fs::path(folder) / text("rank-", *rank, ".trace");
  if (!record::is_begun_trace(earlier)) {
    throw Error(
        text(earlier.string(), ": is no trace, and a trace would replace it: move it away"));
  }
  fs::remove(earlier, none);
}

[[noreturn]] void record_command(const RecordOptions& options, int argc, char** argv) {
  char** program = argv;
  while (program != argv + argc && *program != std::string_view("--")) ++program;
  if (program == argv + argc || ++program == argv + argc) {
    throw Error("the program must follow --, as in bracket record -o run.trace -- ./app");
  }
  check_program(*program);
  std::string preloaded = recorder().string();
  if (preloaded.find_first_of(" :") != std::string::npos) {
    throw Error(text(preloaded, ": the loader takes no path with a space or a colon"));
  }
  // A library that is preloaded already stays in front, between the program and the recorder.
  if (const char* const others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
    preloaded = text(others, ':', preloaded);
  }
  const std::string folder = made_folder(options.folder);
  remove_earlier(folder);
  ::setenv("BRACKET_RECORD", folder.c_str(), 1);
  ::setenv("BRACKET_RECORD_KEEP", std::to_string(options.keep).c_str(), 1);
  ::setenv("LD_PRELOAD", preloaded.c_str(), 1);
  ::execvp(*program, program);
  throw Error(text(*program, ": cannot be started: ", std::strerror(errno)));
}

void add_record(CLI::App* const command, int argc, char** argv) {
  const auto options = std::make_shared<RecordOptions>();
  const HelpGroup group(*command, "Output");
  command
      ->add_option("-o,--output", options->folder,
                   "write a file for each rank to this folder; replaces an earlier trace in it")
      ->type_name("FOLDER")
      ->required();
  add_whole(*command, "--keep", options->keep,
            "record this number of bytes of each input and output as they are, at most 16777216",
            Index{0})
      ->check([](const std::string& given) {
        if (given.size() > 8 || std::stoll(given) > (16 << 20)) {
          throw Error(text("--keep must be at most 16777216, not ", given));
        }
        return std::string();
      })
      ->capture_default_str();
  command
      ->add_option("program", options->program,
                   "the program and its arguments, after --; any MPI program of the library that "
                   "Bracket was built for")
      ->type_name("-- PROGRAM")
      ->group("Positionals");
  add_footer(*command,
             "On each rank, record starts the program with a library that records every "
             "reduction: what was called where, by which operator, when, and digests of input and "
             "output. Compare two traces with `bracket diff`. If LD_PRELOAD loads "
             "libbracket_recorder.so, the environment variables BRACKET_RECORD (the folder) and "
             "BRACKET_RECORD_KEEP do the same as the options.\n"
             "The exit code is that of the program.");
  command->callback([options, argc, argv] { record_command(*options, argc, argv); });
}

const PlainCommand record_code("record", add_record);

}  // namespace

}  // namespace bracket::tools
