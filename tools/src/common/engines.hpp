#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bracket/model/spec.hpp"

namespace bracket::tools {

/// How `bracket simulate` finds out what a schedule costs.
enum class Engine { loggops, simgrid, smpi };

struct EngineEntry {
  CatalogueEntry entry;
  Engine engine;
  bool available;  ///< in this build
};

/// Every engine by name.
std::span<const EngineEntry> engines();

/// Throws `Error` for an unknown name, or one that this build has not.
Engine engine_of(std::string_view name);

/// The engine that is taken unless another is asked for.
std::string default_engine();

}  // namespace bracket::tools
