#include "bracket/model/loggp.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "bracket/model/schedule_graph.hpp"
#include "bracket/model/work.hpp"
#include "schedule/steps.hpp"

namespace bracket {

namespace {

/// Longest paths through a schedule's dependency graph, with the machine's times.
class LongestPaths {
 public:
  LongestPaths(const ScheduleGraph& graph, const Machine& machine,
               std::span<const std::uint32_t> nodes)
      : graph_(graph),
        machine_(machine),
        costs_(machine.between_nodes()),
        busy_(graph.size()),
        before_(graph.size()),
        on_port_(graph.size(), no_step),
        order_(graph.topological_order()) {
    const Schedule& schedule = graph.schedule();
    Work work(machine, schedule.distribution, schedule.items, schedule.delivery, nodes);
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) compute(rank, work);
    if (work.leaves_caches()) costs_ = costs_.out_of_cache();
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) communicate(rank);
    find_starts();
  }

  [[nodiscard]] PaperCost cost() const {
    PaperCost cost;
    const Schedule& schedule = graph_.schedule();
    cost.finish.resize(schedule.parts.size(), 0);
    StepId last = no_step;
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      const std::size_t steps = schedule.parts[i].steps().size();
      if (steps == 0) continue;
      const StepId id = graph_.id(rank, steps - 1);
      cost.finish[i] = start_[id] + busy_[id];
      if (last == no_step || cost.finish[i] > cost.makespan) last = id;
      cost.makespan = std::max(cost.makespan, cost.finish[i]);
    }
    cost.slack = slack(cost.makespan);
    for (StepId id = last; id != no_step; id = cause_[id]) {
      const auto [rank, step] = graph_.place(id);
      cost.critical_path.push_back({rank, step, start_[id], start_[id] + busy_[id]});
    }
    std::reverse(cost.critical_path.begin(), cost.critical_path.end());
    return cost;
  }

 private:
  void compute(Rank rank, Work& work) {
    const RankPart& part = graph_.schedule().parts[static_cast<std::size_t>(rank)];
    const RankWork seconds = work.of(rank, part);
    for (std::size_t i = 0; i < part.steps().size(); ++i) {
      const Step& step = part.steps()[i];
      (is_message(step) ? before_ : busy_)[graph_.id(rank, i)] = seconds(step);
    }
  }

  void communicate(Rank rank) {
    const auto& steps = graph_.schedule().parts[static_cast<std::size_t>(rank)].steps();
    StepId last_send = no_step;
    StepId last_receive = no_step;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!is_message(steps[i])) continue;
      const StepId id = graph_.id(rank, i);
      const bool sends = steps[i].kind == StepKind::send;
      busy_[id] = sends ? costs_.sending(bytes(id)) : costs_.receiving(bytes(id));
      StepId& last = sends ? last_send : last_receive;
      on_port_[id] = last;
      last = id;
    }
  }

  [[nodiscard]] double bytes(StepId id) const {
    const auto [rank, step] = graph_.place(id);
    const RankPart& part = graph_.schedule().parts[static_cast<std::size_t>(rank)];
    return machine_.message_bytes(part.values(part.steps()[step]));
  }

  /// Calls `use(earlier, seconds)` for each step that must start at least `seconds` before step
  /// `id`.
  template <class Use>
  void for_each_earlier(StepId id, const Use& use) const {
    if (const StepId previous = graph_.previous(id); previous != no_step) {
      use(previous, busy_[previous] + before_[id]);
    }
    const bool receives = graph_.step(id).kind == StepKind::recv;
    if (const StepId earlier = on_port_[id]; earlier != no_step) {
      // A send starts when the port takes its first byte, a receive when the port has taken its
      // last.
      use(earlier, costs_.spacing(bytes(receives ? id : earlier)));
    }
    if (receives) {
      const StepId send = graph_.partner(id);
      const double size = bytes(send);
      use(send, costs_.way(size) - costs_.receiving(size));
    }
  }

  void find_starts() {
    start_.assign(graph_.size(), 0);
    cause_.assign(graph_.size(), no_step);
    const Schedule& schedule = graph_.schedule();
    const double first = machine_.start(schedule.ranks(), schedule.delivery.collective);
    for (const StepId id : order_) {
      if (graph_.previous(id) == no_step) start_[id] = first + before_[id];
      for_each_earlier(id, [&](StepId earlier, double seconds) {
        const double at_least = start_[earlier] + seconds;
        if (at_least < start_[id] || (at_least == start_[id] && cause_[id] != no_step)) return;
        start_[id] = at_least;
        cause_[id] = earlier;
      });
    }
  }

  /// Slack of each rank's folds, in seconds.
  [[nodiscard]] std::vector<double> slack(double makespan) const {
    std::vector<double> rest = busy_;  // seconds from a step's start to the end of all after it
    for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
      for_each_earlier(*id, [&, later = *id](StepId earlier, double seconds) {
        rest[earlier] = std::max(rest[earlier], seconds + rest[later]);
      });
    }
    const Schedule& schedule = graph_.schedule();
    std::vector<double> slack(schedule.parts.size(), std::numeric_limits<double>::infinity());
    for (StepId id = 0; id < graph_.size(); ++id) {
      if (graph_.step(id).kind != StepKind::fold) continue;
      double& least = slack[static_cast<std::size_t>(graph_.place(id).rank)];
      least = std::min(least, makespan - start_[id] - rest[id]);
    }
    return slack;
  }

  const ScheduleGraph& graph_;
  const Machine& machine_;
  MessageCosts costs_;
  std::vector<double> busy_;     // seconds that each step occupies its rank
  std::vector<double> before_;   // seconds that the rank computes before a message
  std::vector<StepId> on_port_;  // the preceding send or receive on the same port
  std::vector<StepId> order_;
  std::vector<double> start_;
  std::vector<StepId> cause_;  // the step that each step waits for last
};

}  // namespace

PaperCost paper_cost(const Schedule& schedule, const Machine& machine,
                     std::span<const std::uint32_t> nodes) {
  machine.check();
  const ScheduleGraph graph(schedule);
  return LongestPaths(graph, machine, nodes).cost();
}

}  // namespace bracket
