// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "tools/cli.hpp"

namespace bracket::testing {

/// Makes a machine file with whole numbers of seconds: latency 1, 0.5 for each byte. Sums take 2
/// for each element and 10 to combine, binned sums 3 and 100, sums of float32 1 and 10.
inline std::string machine_with_operations(const Scratch& scratch) {
  return make_file(scratch.path() / "m.json",
                   R"({"format": "bracket-machine", "version": 2, "name": "m", "source": "made up",
        "latency_seconds": 1, "overhead_seconds": 0, "gap_seconds": 0,
        "gap_seconds_per_byte": 0.5, "overhead_seconds_per_byte": 0, "seconds_per_addition": 5,
        "eager_bytes": null,
        "work": {"start_seconds": 0, "seconds_per_join": 10,
                 "folds": [{"elements": 1, "seconds": 2}]},
        "operations": [{"operation": "binned:3/sum/float64", "seconds_per_join": 100,
                        "folds": [{"elements": 1, "seconds": 3}]},
                       {"operation": "sum/float32", "seconds_per_join": 10,
                        "folds": [{"elements": 1, "seconds": 1}]}]})");
}

}  // namespace bracket::testing
