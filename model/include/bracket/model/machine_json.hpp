// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bracket/model/loggp.hpp"

namespace bracket {

/// A machine and the source of its figures.
struct NamedMachine {
  std::string name;
  std::string source;
  Machine machine;
};

/// `{"format": "bracket-machine", "version": 2, "name", "source", "latency_seconds",
/// "overhead_seconds", "gap_seconds", "gap_seconds_per_byte", "overhead_seconds_per_byte",
/// "seconds_per_addition", "eager_bytes"}`; "eager_bytes" is null without a limit. Optional
/// members:
///
/// - "messages", "cold_messages" and "library_messages", lists of `{"bytes",
/// "send_overhead_seconds",
///   "receive_overhead_seconds", "round_trip_seconds", "gap_seconds"}`,
/// - "inside_node": the first four of the figures, and these three lists,
/// - "cache_bytes": infinite if it is missing,
/// - "work": `{"start_seconds", "seconds_per_join", "folds": [{"elements", "seconds"}]}`, with the
///   optional members "start_alone_seconds", "start_reduce_seconds", "start_in_program_seconds",
///   "start_library_seconds", "seconds_per_receive", "first_cache":
///   `{"elements", "more_start_seconds"}`, "wakes": `[{"threads", "seconds"}]`,
///   "seconds_per_result", "more_start_seconds", "copies", "joins", "vector_folds", "partial_folds"
///   and "complete_folds": `[{"elements", "seconds"}]`, and "folds_together":
///   `[{"ranks", "folds"}]`, with an optional "vector_folds",
/// - "operations": `[{"operation", ...}]`, with the members of "work" but for "wakes",
///   "first_cache", "seconds_per_receive" and the starts other than "more_start_seconds" and
///   "start_in_program_seconds",
/// - the record of a measurement, which the reader skips: the list "kernels", the objects
///   "residuals", "rounds" and "environment".
///
/// In version 1 "messages" belongs to the record. Reading throws `Error`, which names the place.
nlohmann::ordered_json to_json(const NamedMachine& machine);
NamedMachine machine_from_json(const nlohmann::ordered_json& json);

/// Reads a `bracket-machine` file.
NamedMachine read_machine(const std::filesystem::path& path);

}  // namespace bracket
