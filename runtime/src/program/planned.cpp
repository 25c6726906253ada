// SPDX-License-Identifier: MIT

#include "bracket/runtime/planned.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

Settings settings_of(const ScheduleHeader& planned) {
  if (planned.delivery.collective == Collective::reduce_scatter) {
    throw Error("fields have no reduce-scatter: make the reducer of a schedule");
  }
  if (planned.items.adjacent() != 1) {
    throw Error(text("fields have no vectors of ", planned.items,
                     " items: make the reducer of a schedule"));
  }
  Settings settings;
  settings.algorithm = planned.order;
  if (planned.delivery.collective == Collective::reduce) settings.root = planned.delivery.root;
  settings.plan = planned.plan;
  settings.held = planned.distribution;
  return settings;
}

}  // namespace bracket
