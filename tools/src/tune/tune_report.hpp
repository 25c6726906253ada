#pragma once

#include <string>

#include "bracket/model/tune.hpp"
#include "tune/tune_options.hpp"

namespace bracket::tools {

/// The title of scores: of a plan's own messages, while `count` and `compare` have the score of a
/// distribution.
inline constexpr const char* score_title = "plan's score [us]";

/// Says what a tuning found: the candidates and, for people who asked for it, what bounds them.
void print_tuning(const TuneOptions& options, const TuneTask& task, const TuneResult& result);

}  // namespace bracket::tools
