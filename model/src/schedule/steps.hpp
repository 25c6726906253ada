#pragma once

#include "bracket/model/schedule.hpp"

namespace bracket {

/// Whether a step is one end of a message.
inline bool is_message(const Step& step) {
  return step.kind == StepKind::send || step.kind == StepKind::recv;
}

}  // namespace bracket
