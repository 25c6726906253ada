#include "common/engines.hpp"

#include "bracket/support/error.hpp"

namespace bracket::tools {

namespace {

#ifdef BRACKET_HAS_SIMGRID
constexpr bool has_simgrid = true;
#else
constexpr bool has_simgrid = false;
#endif
#ifdef BRACKET_HAS_SMPI
constexpr bool has_smpi = true;
#else
constexpr bool has_smpi = false;
#endif

constexpr EngineEntry table[] = {
    {{"simgrid", "", "messages share a network's links: the built-in cluster, or a platform's",
      "SimGrid's CM02; Casanova and Marchal 2002"},
     Engine::simgrid,
     has_simgrid},
    {{"loggops", "", "processors and ports alone: for very many ranks",
      "Hoefler, Schneider and Lumsdaine 2010"},
     Engine::loggops,
     true},
    {{"smpi", "",
      "the runtime itself, with simulated MPI on such a network: to some thousand ranks",
      "SimGrid's SMPI; Degomme et al. 2017"},
     Engine::smpi,
     has_smpi},
};

}  // namespace

std::span<const EngineEntry> engines() { return table; }

Engine engine_of(std::string_view name) {
  for (const EngineEntry& row : table) {
    if (row.entry.name != name) continue;
    if (row.available) return row.engine;
    throw Error(text("the engine ", name, " is not in this build: SimGrid was not found"));
  }
  throw Error(unknown_name("engine", name, engines()));
}

std::string default_engine() { return has_simgrid ? "simgrid" : "loggops"; }

}  // namespace bracket::tools
