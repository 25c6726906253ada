// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "bracket/model/range.hpp"
#include "common/mpi_library.hpp"
#include "common/sum_collective.hpp"

namespace bracket::tools {

/// The algorithm for vectors of float64 from a length on, up to the next rule.
struct AlgorithmRule {
  Index from_items = 0;
  std::string algorithm;  ///< as the library has it, with the size of segments: `chain:32768`
  int number = 0;         ///< in the library
};

/// Rules for one number of ranks. The first one is from 0 items on.
struct RankRules {
  Rank ranks = 2;
  std::vector<AlgorithmRule> rules;
};

/// Content of a file of Open MPI's component `tuned`, with rules for one collective. On other
/// numbers of ranks than those of `ranks`, which ascend, the library chooses by itself. `comments`
/// are lines for people.
std::string open_mpi_rules(SumCollective collective, const std::vector<RankRules>& ranks,
                           const std::vector<std::string>& comments);

/// Content of a file of MPICH's selection of algorithms. MPICH replaces its whole selection, for
/// all collectives, by that of the file: `selection` is its own, and the file differs only for
/// predefined operators of one collective on these numbers of ranks, which ascend. Throws `Error`
/// if the selection has another form than that of MPICH 4.
std::string mpich_rules(const nlohmann::ordered_json& selection, SumCollective collective,
                        const std::vector<RankRules>& ranks);

/// MPICH's own selection, from the content of its library. Throws `Error`, which names `file`, if
/// it has none.
nlohmann::ordered_json selection_in(std::string_view library, const std::string& file);

/// Settings of the environment, as NAME=VALUE, by which the library takes its rules from `file`.
std::vector<std::string> rule_settings(MpiLibrary library, SumCollective collective,
                                       const std::string& file);

}  // namespace bracket::tools
