#include "bracket/runtime/planned.hpp"

#include "bracket/model/order.hpp"
#include "bracket/support/error.hpp"

namespace bracket {

Settings settings_of(const PlannedReduction& planned) {
  if (planned.delivery.collective == Collective::reduce_scatter) {
    throw Error("a reducer has no reduce-scatter: use Executor");
  }
  if (planned.items != 1) {
    throw Error(text("a reducer has no vectors of ", planned.items, " items: use Executor"));
  }
  const auto order = make_order(planned.order, planned.distribution.elements());
  Settings settings;
  if (!order.fixed()) {
    settings.algorithm = Algorithm::integer;
  } else if (order.chunk_size() > 1) {
    settings.algorithm = Algorithm::chunked_tree;
    settings.chunk = order.chunk_size();
  }
  if (planned.delivery.collective == Collective::reduce) settings.root = planned.delivery.root;
  settings.plan = planned.plan;
  settings.held = planned.distribution;
  return settings;
}

}  // namespace bracket
