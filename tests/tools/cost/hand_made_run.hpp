// SPDX-License-Identifier: MIT

#pragma once

#include "record/trace_bytes.hpp"
#include "tools/cli.hpp"

/// Recorded runs that tests of `cost` write, and what it says of them.
namespace bracket::testing::cost_runs {

inline constexpr std::int64_t ms = 1'000'000;

/// A message takes 1 ms, an addition 0.5 ms.
inline const Words machine{"--latency", "1e-3",           "--overhead", "0",       "--gap",
                           "0",         "--gap-per-byte", "0",          "--t-add", "5e-4"};

class HandMade {
 public:
  explicit HandMade(int ranks = 2) {
    for (int rank = 0; rank < ranks; ++rank) files_.emplace_back(rank, ranks);
  }

  TraceBytes& rank(std::size_t rank) { return files_[rank]; }

  /// Adds an all-reduce with these entries, which ends on all ranks at one time.
  void all_reduce(const std::vector<std::int64_t>& entries, std::int64_t exit, Written like) {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      like.entry = entries[k];
      like.completed = exit;
      files_[k].reduction(like);
    }
  }

  void end(std::int64_t time) {
    for (TraceBytes& file : files_) file.end(time);
  }

  /// Writes the files and returns their folder.
  std::string folder() {
    for (std::size_t k = 0; k < files_.size(); ++k) {
      const Bytes& bytes = files_[k].bytes();
      make_file(scratch_.path() / ("rank-" + std::to_string(k) + ".trace"),
                {bytes.begin(), bytes.end()});
    }
    return scratch_.path().string();
  }

 private:
  Scratch scratch_;
  std::vector<TraceBytes> files_;
};

/// Rank 0 comes at 1 ms and rank 1 at 3 ms; the call ends at 10 ms and the run at 12 ms.
inline std::string one_call() {
  static HandMade run;
  static const std::string folder = [] {
    run.all_reduce({1 * ms, 3 * ms}, 10 * ms, {.input = {1}, .output = {2}});
    run.end(12 * ms);
    return run.folder();
  }();
  return folder;
}

inline std::vector<Json> cost(const std::string& folder, const Words& words) {
  return rows_of(cli(Words{"cost", folder, "--json"} + machine + words));
}

inline double seconds_of(const Json& row, const std::string& plan) {
  for (const Json& one : row.at("plans")) {
    if (one.at("plan") == plan) return one.at("predicted_seconds").get<double>();
  }
  FAIL("no plan " << plan);
  return 0;
}

inline Catch::Matchers::Floating::WithinAbsMatcher is(double value) {
  return Catch::Matchers::WithinAbs(value, 1e-9);
}

}  // namespace bracket::testing::cost_runs
