// SPDX-License-Identifier: MIT

#include <limits>
#include <numeric>

#include "bracket/model/explicit_folds.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "reducer/field_setup.hpp"

namespace bracket::runtime {

namespace {

/// Throws `Error` for settings that a schedule has itself.
void check_settings_of_schedule(const Settings& settings, const Order& order) {
  if (!settings.plan.empty() || settings.root || settings.held) {
    throw Error("a schedule has its own plan, root and distribution: omit these settings");
  }
  if (settings.algorithm.empty()) return;
  const Algorithm algorithm = make_algorithm(settings.algorithm);
  if (algorithm.arithmetic == Arithmetic::plain && algorithm.order != order.spec()) {
    throw Error(text("the schedule has the order ", order.spec(), ": omit the algorithm ",
                     algorithm.order));
  }
}

RankPart given_part(const Schedule& schedule, Rank rank) {
  if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
    throw Error(text("the schedule has ", schedule.parts.size(), " parts for ", schedule.ranks(),
                     " ranks"));
  }
  return schedule.parts[static_cast<std::size_t>(rank)];
}

/// Gives the task its part by the header's plan, or the distribution if the plan has no schedule.
void plan_part(const ScheduleHeader& header, const Order& order, Rank rank, FieldTask& task) {
  const auto plan = make_plan(header.plan);
  const Problem problem{order, header.distribution, header.delivery, header.items};
  check_fit(problem, *plan);
  if (plan->scheduled()) {
    task.part = with_single_folds(order, plan->part(problem, rank));
  } else {
    task.native = header.distribution;
  }
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

FieldTask set_up_schedule(const Communicator& communicator, const ScheduleHeader& header,
                          const Schedule* given, const Settings& settings, const ReducerKind& kind,
                          std::string failure) {
  FieldTask task;
  const auto describe_own = [&] {
    const auto order = make_order(header.order, header.elements());
    check_settings_of_schedule(settings, order);
    check_executable(header, order, communicator, kind.associative, settings.threads);
    const Rank rank = communicator.rank();
    const Range held = header.distribution.range(rank);
    const Items items = header.items;
    check_fields(items, header.delivery);
    const std::size_t fields = items.fields ? static_cast<std::size_t>(items.count) : 1;
    const FieldCells cells{Cells(layout_of(held, items.adjacent()), kind.element_bytes),
                           std::nullopt, held.begin};
    task.cells.assign(fields, cells);
    task.item_cells = task.cells;
    task.elements.assign(fields, header.elements());
    task.held.assign(fields, held);
    task.scheduled.resize(fields);
    std::iota(task.scheduled.begin(), task.scheduled.end(), std::size_t{0});
    task.items.assign(fields, {held, header.elements()});
    task.order = header.order;
    task.chunk = order.chunk_size();
    task.vector_items = items.fields ? 0 : items.count;
    task.delivered = header.delivery.wanted(rank, header.ranks(), items);
    task.delivers = !task.delivered.empty();
    task.everywhere = header.delivery.collective == Collective::all_reduce;
    if (given == nullptr) {
      plan_part(header, order, rank, task);
    } else {
      task.part = with_single_folds(order, given_part(*given, rank));
    }
  };
  if (failure.empty()) failure = words_of(describe_own);
  std::vector<Agreement> agreements{
      {digest_of(kind.type), "the ranks ask for elements of different types"},
      {digest_of(kind.op), "the ranks ask for different operators"},
      {given == nullptr ? digest(header) : digest(*given), "the ranks have different schedules"},
  };
  append_agreements(settings, agreements);
  fail_together(communicator, failure, agreements);
  return task;
}

}  // namespace bracket::runtime
