// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bracket/record/trace.hpp"

namespace bracket::record {

/// Why a call of two runs differs. If several apply, it is the first of `structure`,
/// `ranks_disagree`, `inputs`, `order`.
enum class Cause {
  inputs,          ///< the input of a rank differs: the reason is before this call
  order,           ///< all inputs are equal, and the outputs differ
  ranks_disagree,  ///< one run's all-reduce ended with different bits on different ranks
  structure,       ///< the runs call different reductions
  results,         ///< outputs differ; with different numbers of ranks, only these are compared
};

/// `ranks-disagree`.
std::string name_of(Cause cause);

/// A call that differs. Numbers count from 0, ranks are those in `MPI_COMM_WORLD`.
struct Divergence {
  Cause cause{};
  std::size_t communicator = 0;         ///< index of `Comparison::communicators`
  std::uint64_t call = 0;               ///< its number on the communicator, in A if A has it
  std::optional<int> rank{};            ///< first rank where it differs
  std::optional<std::uint64_t> item{};  ///< first different item, if any of its bytes was kept
  std::optional<std::uint64_t> ulps{};  ///< difference of finite floats
  std::string operation{};              ///< `MPI_Allreduce of 1 MPI_DOUBLE by MPI_SUM`
  std::string site{};
  /// The item in A; of `ranks_disagree`, on the other ranks. Empty unless all its bytes were kept.
  std::string first{};
  std::string second{};                       ///< the item in B; of `ranks_disagree`, on this rank
  std::string what{};                         ///< sentences that explain the cause
  std::uint64_t position = 0;                 ///< number in the sequence of all compared calls
  std::optional<std::uint64_t> input_ulps{};  ///< largest of the kept items of all ranks
  std::optional<std::uint64_t> output_ulps{};
};

/// Result of `compare`.
struct Comparison {
  std::uint64_t calls = 0;                  ///< compared calls
  bool cut = false;                         ///< a file has no end, so calls may be missing
  std::vector<Communicator> communicators;  ///< MPI_COMM_WORLD is the first
  std::vector<Divergence> divergences;      ///< in the sequence of the program
  std::vector<std::string> notes;           ///< sentences about what was not compared
};

/// Aligns the reductions of two runs and finds those that differ.
Comparison compare(const Trace& a, const Trace& b);

}  // namespace bracket::record
