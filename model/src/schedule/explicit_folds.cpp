// SPDX-License-Identifier: MIT

#include "bracket/model/explicit_folds.hpp"

namespace bracket {

RankPart with_single_folds(const Order& order, const RankPart& part) {
  const ExplicitTree* const tree = order.explicit_tree();
  if (tree == nullptr) return part;
  RankPart single(part.items());
  for (const Step& step : part.steps()) {
    const auto operands = part.operands(step);
    if (step.kind != StepKind::fold || operands[0].range.size() < 2) {
      single.add(step.kind, step.peer, operands);
      continue;
    }
    const Range items = operands[0].segment;
    for_each_step(
        *tree, operands[0].range,
        [&](Index x) {
          single.fold(Partial(Range{x, x + 1}).over(items));
        },
        [&](Range left, Range right) {
          single.join(Partial(left).over(items), Partial(right).over(items));
        });
  }
  return single;
}

}  // namespace bracket
