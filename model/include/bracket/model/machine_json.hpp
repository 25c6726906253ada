#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bracket/model/loggp.hpp"

namespace bracket {

/// A machine and where its figures come from.
struct NamedMachine {
  std::string name;
  std::string source;
  Machine machine;
};

/// `{"format": "bracket-machine", "version": 1, "name", "source", "latency_seconds",
/// "overhead_seconds", "gap_seconds", "gap_seconds_per_byte", "overhead_seconds_per_byte",
/// "seconds_per_addition", "eager_bytes"}`; "eager_bytes" is null without a limit. It may have
/// "inside_node", with the first four of these, "work", which is
/// `{"start_seconds", "seconds_per_join", "folds": [{"elements", "seconds"}]}`, and the record of a
/// measurement, which is read over: the lists "messages" and "kernels", the objects "residuals",
/// "rounds" and "environment". What is read throws `Error` naming the place.
nlohmann::ordered_json to_json(const NamedMachine& machine);
NamedMachine machine_from_json(const nlohmann::ordered_json& json);

/// A `bracket-machine` file.
NamedMachine read_machine(const std::filesystem::path& path);

}  // namespace bracket
