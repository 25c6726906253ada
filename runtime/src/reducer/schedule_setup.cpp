#include <limits>

#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/runtime/executor.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "reducer/field_setup.hpp"

namespace bracket::detail {

namespace {

/// Throws `Error` for settings that a schedule has itself.
void check_settings_of_schedule(const Settings& settings) {
  check_settings(settings);
  if (!settings.plan.empty() || settings.root || settings.held) {
    throw Error("a schedule has its own plan, root and distribution: omit these settings");
  }
  if (settings.algorithm == Algorithm::chunked_tree) {
    throw Error("a schedule has its own order: omit the algorithm chunked-tree");
  }
}

RankPart part_of(const Schedule& schedule, const Order& order, Rank rank) {
  if (!schedule.parts.empty()) {
    if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
      throw Error(text("the schedule has ", schedule.parts.size(), " parts for ", schedule.ranks(),
                       " ranks"));
    }
    return schedule.parts[static_cast<std::size_t>(rank)];
  }
  const auto plan = make_plan(schedule.plan);
  const Problem problem{order, schedule.distribution, schedule.delivery, schedule.items};
  check_fit(problem, *plan);
  return plan->part(problem, rank);
}

/// Layout of a rank's elements. Throws `Error` if an `Index` cannot count their numbers.
Layout layout_of(Range held, Index items) {
  if (items < 1) throw Error(text("elements of ", items, " items: they have at least 1"));
  if (held.size() > std::numeric_limits<Index>::max() / items) {
    throw Error(text(held.size(), " elements of ", items, " items are too many to count"));
  }
  return Layout::contiguous(held.size() * items);
}

}  // namespace

FieldTask set_up_schedule(const Communicator& communicator, const Schedule& schedule,
                          const Settings& settings, const Kind& kind, std::string failure) {
  FieldTask task;
  const auto describe_own = [&] {
    check_settings_of_schedule(settings);
    const auto order = make_order(schedule.order, schedule.elements());
    check_executable(schedule, order, communicator, kind.associative, settings.threads);
    const Rank rank = communicator.rank();
    const Range held = schedule.distribution.range(rank);
    task.cells.push_back(
        {Cells(layout_of(held, schedule.items), kind.element_bytes), std::nullopt, held.begin});
    task.item_cells = task.cells;
    task.elements = {schedule.elements()};
    task.held = {held};
    task.scheduled = {0};
    task.items = {{held, schedule.elements()}};
    task.order = schedule.order;
    task.chunk = order.chunk_size();
    task.vector_items = schedule.items;
    task.delivered = schedule.delivery.wanted(rank, schedule.ranks(), schedule.items);
    task.delivers = !task.delivered.empty();
    task.everywhere = schedule.delivery.collective == Collective::all_reduce;
    task.part = part_of(schedule, order, rank);
  };
  if (failure.empty()) failure = words_of(describe_own);
  const Agreement agreements[] = {
      {digest_of(kind.type), "the ranks ask for elements of different types"},
      {digest_of(kind.op), "the ranks ask for different operators"},
      {digest_of(settings), "the ranks ask for different settings"},
      {digest(schedule), "the ranks have different schedules"},
  };
  fail_together(communicator, failure, agreements);
  return task;
}

}  // namespace bracket::detail
