#pragma once

#include <string>
#include <vector>

#include "bracket/model/messages.hpp"

namespace bracket {

/// A distribution that was weighed.
struct Candidate {
  std::string name;  ///< as written on the command line
  Distribution distribution;
  Index messages = 0;
  double score_seconds = 0;
};

/// The named distributions, and Algorithm 3 for sixteen deviations up to `alpha`, by score
/// (equation 3.7), the best first; equal distributions once. Not an optimum over all
/// boundaries. Throws `Error` for N < 1, p < 1 or an `alpha` that is negative or not finite.
std::vector<Candidate> tune_by_score(Index elements, Rank ranks, double alpha,
                                     const ScoreCosts& costs = {});

}  // namespace bracket
