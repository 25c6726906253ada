#include "common/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace fs = std::filesystem;

const std::vector<Helper>& helpers() {
  static const std::vector<Helper> all{
      {"bracket-mpi", "run", "Reduce a file on the ranks of mpiexec and measure the time",
       "MPI runtime"},
      {"bracket-mpi", "bench",
       "Compare the time of reductions with an irreproducible sum on the ranks of mpiexec",
       "MPI runtime"},
      {"bracket-mpi", "calibrate",
       "Measure this machine on the ranks of mpiexec and write its file for --machine",
       "MPI runtime"},
      {"bracket-simulate", "simulate", "Predict the time of a schedule on a simulated network",
       "simulators"},
      {"bracket-simulate", "tune", "Search for the distribution and the plan with the lowest cost",
       "simulators"},
  };
  return all;
}

const Helper* helper_for(const std::string& subcommand) {
  const auto found = std::find_if(helpers().begin(), helpers().end(), [&](const Helper& helper) {
    return helper.subcommand == subcommand;
  });
  return found == helpers().end() ? nullptr : &*found;
}

fs::path locate(const Helper& helper) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here, here / ".." / "libexec" / "bracket"}) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / helper.program, ignored)) return folder / helper.program;
  }
  throw Error(text("`bracket ", helper.subcommand, "` needs the ", helper.part,
                   ", which this build does not have: ", helper.program, " is not in ",
                   here.string()));
}

std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks) {
  const std::string place = "{ranks}";
  std::vector<std::string> words;
  std::istringstream in(launcher);
  bool has_count = false;
  for (std::string word; in >> word;) {
    if (const auto at = word.find(place); at != std::string::npos) {
      word.replace(at, place.size(), std::to_string(ranks));
      has_count = true;
    }
    words.push_back(word);
  }
  if (words.empty()) throw Error("--launcher is empty");
  if (!has_count) words.insert(words.end(), {"-n", std::to_string(ranks)});
  return words;
}

void hand_over(const Helper& helper, char** argv) {
  const std::string path = locate(helper).string();
  ::execv(path.c_str(), argv);
  throw Error(text(path, ": cannot be started: ", std::strerror(errno)));
}

}  // namespace bracket::tools
