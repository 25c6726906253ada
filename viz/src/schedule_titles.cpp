// SPDX-License-Identifier: MIT

#include "schedule_titles.hpp"

#include "bracket/support/text.hpp"

namespace bracket::viz {

std::string title_of(const Schedule& schedule) {
  std::string what = "order " + schedule.order;
  if (!schedule.plan.empty()) what += ", plan " + schedule.plan;
  what += text(", N = ", schedule.elements(), ", p = ", schedule.ranks());
  if (!schedule.distribution.rank_order().empty()) what += ", ranks out of order";
  if (schedule.items > 1) {
    what +=
        text(", ", schedule.items,
             schedule.items.fields ? " fields (@: the field)" : " items each (@: of some of them)");
  }
  return what;
}

std::string facts_of(const Schedule& schedule) {
  const std::string facts = text("messages: ", schedule.messages(), ", result ");
  switch (schedule.delivery.collective) {
    case Collective::all_reduce:
      return facts + "on all ranks";
    case Collective::reduce_scatter:
      return facts + "scattered";
    default:
      return facts + text("on rank ", schedule.delivery.root);
  }
}

}  // namespace bracket::viz
