// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bracket/model/loggp.hpp"

/// The rounds of MPI libraries' all-reduce algorithms, for operators that commute. All ranks do the
/// same at the same time, so one rank stands for all. These algorithms do not keep the order of the
/// elements, as plans do.
namespace bracket {

/// Consecutive rounds that are alike: every rank sends a message, receives one, and combines.
struct Round {
  Index items = 0;     ///< in each message
  Index combined = 0;  ///< items that are combined after the message is received; may be 0
  Index count = 1;     ///< of rounds
};

enum class AllreduceAlgorithm {
  recursive_doubling,  ///< whole vectors in ⌊log2 p⌋ rounds
  rabenseifner,        ///< reduce-scatter by recursive halving, all-gather by recursive doubling
  ring,                ///< reduce-scatter and all-gather from neighbour to neighbour
};

/// `recursive-doubling`, `rabenseifner` or `ring`; no value for another name.
std::optional<AllreduceAlgorithm> allreduce_algorithm(std::string_view name);

/// Rounds of an all-reduce of vectors of so many items (Thakur, Rabenseifner and Gropp 2005,
/// sections 4.2 to 4.4). For recursive doubling and halving, ranks beyond a power of two hand their
/// vector to a neighbour in a first round, and get the result in a last one. If ranks share the
/// items, each round has the largest share. Throws `Error` without ranks or items.
std::vector<Round> allreduce_rounds(AllreduceAlgorithm algorithm, Rank ranks, Index items);

/// Seconds that the rounds take by LogGP, one after the other, on vectors of so many items. Equals
/// the `paper_cost` of a schedule of these rounds if a message's overheads are not longer than its
/// way and its gap.
double seconds_of(const std::vector<Round>& rounds, Index items, Rank ranks,
                  const Machine& machine);

}  // namespace bracket
