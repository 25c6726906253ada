// SPDX-License-Identifier: MIT

#include "bracket/model/schedule_graph.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/topological_sort.hpp>
#include <string>
#include <utility>

#include "bracket/model/matching.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

[[noreturn]] void refuse(const Schedule& schedule, ScheduleGraph::Place place, std::string why) {
  throw Error(
      describe(schedule, {place.rank, static_cast<std::ptrdiff_t>(place.step), std::move(why)}));
}

void check_message(const Schedule& schedule, ScheduleGraph::Place place, const Step& step) {
  if (step.peer < 0 || step.peer >= schedule.ranks()) {
    refuse(schedule, place, text("rank ", step.peer, " does not exist"));
  }
  if (step.peer == place.rank) refuse(schedule, place, "a message to the rank itself");
  if (step.count == 0) refuse(schedule, place, "an empty message");
}

}  // namespace

ScheduleGraph::ScheduleGraph(const Schedule& schedule) : schedule_(schedule) {
  if (schedule.parts.size() != static_cast<std::size_t>(schedule.ranks())) {
    throw Error(text("the schedule has ", schedule.parts.size(), " parts for ", schedule.ranks(),
                     " ranks"));
  }
  first_.reserve(schedule.parts.size() + 1);
  first_.push_back(0);
  for (const RankPart& part : schedule.parts) {
    const std::size_t steps = part.steps().size();
    if (steps >= no_step - first_.back()) throw Error("the schedule has 2^32 steps or more");
    first_.push_back(first_.back() + static_cast<StepId>(steps));
  }
  rank_.reserve(size());
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const auto& steps = schedule.parts[static_cast<std::size_t>(rank)].steps();
    rank_.insert(rank_.end(), steps.size(), rank);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].is_message()) check_message(schedule, {rank, i}, steps[i]);
    }
  }
  partner_.assign(size(), no_step);
  match_messages(
      first_,
      [&](StepId id) -> MessageEnd {
        const Step& here = step(id);
        if (!here.is_message()) return {};
        return {here.kind == StepKind::send ? MessageEnd::Kind::send : MessageEnd::Kind::recv,
                static_cast<std::uint32_t>(here.peer)};
      },
      [&](StepId send, StepId recv) {
        partner_[send] = recv;
        partner_[recv] = send;
      },
      [&](StepId send) {
        refuse(schedule_, place(send),
               "the message is never received, the schedule does not verify");
      },
      [&](StepId recv) {
        refuse(schedule_, place(recv),
               text("waits forever, rank ", step(recv).peer,
                    " never sends this message, the schedule does not verify"));
      });
}

ScheduleGraph::Place ScheduleGraph::place(StepId id) const {
  const Rank rank = rank_[id];
  return {rank, id - first_[static_cast<std::size_t>(rank)]};
}

const Step& ScheduleGraph::step(StepId id) const {
  const Place at = place(id);
  return schedule_.parts[static_cast<std::size_t>(at.rank)].steps()[at.step];
}

StepId ScheduleGraph::previous(StepId id) const { return place(id).step == 0 ? no_step : id - 1; }

std::vector<StepId> ScheduleGraph::topological_order() const {
  std::vector<std::pair<StepId, StepId>> edges;
  edges.reserve(2 * static_cast<std::size_t>(size()));
  for (StepId id = 0; id < size(); ++id) {
    if (id + 1 < size() && rank_[id + 1] == rank_[id]) edges.emplace_back(id, id + 1);
    if (step(id).kind == StepKind::send) edges.emplace_back(id, partner_[id]);
  }
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property,
                                                   boost::no_property, boost::no_property, StepId>;
  const Graph graph(boost::edges_are_sorted, edges.begin(), edges.end(), size());
  std::vector<StepId> order;
  order.reserve(size());
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    throw Error("the schedule's ranks wait for each other in a cycle: it does not verify");
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::uint32_t> ScheduleGraph::levels() const {
  std::vector<std::uint32_t> levels(size(), 0);
  for (const StepId id : topological_order()) {
    if (const StepId before = previous(id); before != no_step) levels[id] = levels[before] + 1;
    if (step(id).kind == StepKind::recv) {
      levels[id] = std::max(levels[id], levels[partner_[id]] + 1);
    }
  }
  return levels;
}

}  // namespace bracket
