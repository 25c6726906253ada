// SPDX-License-Identifier: MIT

#include "bracket/model/loggp.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "bracket/model/schedule_graph.hpp"
#include "bracket/model/work.hpp"

namespace bracket {

/// The dependency graph of a schedule with everything that does not depend on the machine.
class SchedulePaths {
 public:
  explicit SchedulePaths(const Schedule& schedule)
      : graph(schedule), order(graph.topological_order()) {
    steps.resize(graph.size());
    loads.reserve(graph.size());
    std::unordered_map<Index, std::uint32_t> known;
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      const RankPart& part = schedule.parts[static_cast<std::size_t>(rank)];
      const Range own = schedule.distribution.range(rank);
      rank_loads.push_back(load_of(part, own));
      StepId last_send = no_step;
      StepId last_receive = no_step;
      for (std::size_t i = 0; i < part.steps().size(); ++i) {
        const Step& step = part.steps()[i];
        const StepId id = graph.id(rank, i);
        loads.push_back(load_of(part, step, own));
        PathStep& path = steps[id];
        path.kind = step.kind;
        path.previous = i == 0 ? no_step : id - 1;
        if (!path.is_message()) continue;
        const Index values = part.values(step);
        const auto [size, is_new] =
            known.emplace(values, static_cast<std::uint32_t>(message_values.size()));
        if (is_new) message_values.push_back(values);
        path.size = size->second;
        StepId& last = step.kind == StepKind::send ? last_send : last_receive;
        path.on_port = last;
        last = id;
        if (step.kind == StepKind::recv) path.send = graph.partner(id);
      }
    }
    for (StepId id = 0; id < steps.size(); ++id) steps[id].crosses = crosses(id);
  }

  struct PathStep {
    StepKind kind = StepKind::fold;
    std::uint32_t size = 0;     ///< of a message, in `message_values`
    StepId previous = no_step;  ///< on the same rank
    StepId on_port = no_step;   ///< the preceding send or receive on the same port
    StepId send = no_step;      ///< of the message that a receive waits for
    bool crosses = false;       ///< whether the message of a receive crosses another

    [[nodiscard]] bool is_message() const {
      return kind == StepKind::send || kind == StepKind::recv;
    }
  };

  ScheduleGraph graph;
  std::vector<StepId> order;
  std::vector<PathStep> steps;
  std::vector<StepLoad> loads;  // of each step
  std::vector<RankLoad> rank_loads;
  std::vector<Index> message_values;  // all sizes of messages, each once

 private:
  /// Whether the message of a receive crosses another: each of the two ranks sends to the other,
  /// and receives from it in its next step.
  [[nodiscard]] bool crosses(StepId receive) const {
    if (steps[receive].kind != StepKind::recv) return false;
    const StepId sent = steps[receive].previous;
    if (sent == no_step || steps[sent].kind != StepKind::send) return false;
    const StepId other = graph.partner(sent);
    return steps[other].previous == steps[receive].send;
  }
};

namespace {

/// Longest paths through a schedule's dependency graph, with the machine's times.
class LongestPaths {
 public:
  LongestPaths(const SchedulePaths& paths, const Machine& machine,
               std::span<const std::uint32_t> nodes)
      : paths_(paths),
        schedule_(paths.graph.schedule()),
        busy_(paths.graph.size()),
        before_(paths.graph.size()) {
    Work work(machine, schedule_.distribution, schedule_.items, schedule_.delivery, nodes);
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) compute(rank, work);
    communicate(machine, work.leaves_caches());
    deliver(machine);
    find_starts(machine);
  }

  [[nodiscard]] double makespan() const {
    double makespan = 0;
    for_each_last([&](Rank, StepId id) { makespan = std::max(makespan, start_[id] + busy_[id]); });
    return makespan;
  }

  [[nodiscard]] PaperCost cost() const {
    PaperCost cost;
    cost.finish.resize(schedule_.parts.size(), 0);
    StepId last = no_step;
    for_each_last([&](Rank rank, StepId id) {
      double& finish = cost.finish[static_cast<std::size_t>(rank)];
      finish = start_[id] + busy_[id];
      if (last == no_step || finish > cost.makespan) last = id;
      cost.makespan = std::max(cost.makespan, finish);
    });
    cost.slack = slack(cost.makespan);
    for (StepId id = last; id != no_step; id = cause_[id]) {
      const auto [rank, step] = paths_.graph.place(id);
      cost.critical_path.push_back({rank, step, start_[id], start_[id] + busy_[id]});
    }
    std::reverse(cost.critical_path.begin(), cost.critical_path.end());
    return cost;
  }

  [[nodiscard]] std::vector<StepTime> steps() const {
    std::vector<StepTime> times(start_.size());
    for (std::size_t id = 0; id < times.size(); ++id) {
      times[id] = {start_[id], start_[id] + busy_[id], before_[id]};
    }
    return times;
  }

 private:
  /// Seconds of messages of one size.
  struct Times {
    double sending = 0;
    double receiving = 0;
    double spacing = 0;
    double arriving = 0;  // from the start of the send to that of a receive that waits for it
    double crossing = 0;  // by which a message takes longer that crosses another
  };

  void compute(Rank rank, Work& work) {
    const RankSpeed seconds = work.of(rank, paths_.rank_loads[static_cast<std::size_t>(rank)]);
    const std::size_t count = schedule_.parts[static_cast<std::size_t>(rank)].steps().size();
    for (std::size_t i = 0; i < count; ++i) {
      const StepId id = paths_.graph.id(rank, i);
      (paths_.steps[id].is_message() ? before_ : busy_)[id] = seconds(paths_.loads[id]);
    }
  }

  void communicate(const Machine& machine, bool cold) {
    const MessageCosts warm = machine.between_nodes();
    const MessageCosts costs = cold ? warm.out_of_cache() : warm;
    for (const Index values : paths_.message_values) {
      const double bytes = machine.message_bytes(values);
      const double receiving = costs.receiving(bytes);
      times_.push_back({costs.sending(bytes), receiving, costs.spacing(bytes),
                        costs.way(bytes) - receiving, costs.exchange_delay(bytes)});
    }
    for (StepId id = 0; id < paths_.graph.size(); ++id) {
      const auto& step = paths_.steps[id];
      if (!step.is_message()) continue;
      const Times& times = times_[step.size];
      busy_[id] = step.kind == StepKind::send ? times.sending : times.receiving;
    }
  }

  /// The last step of a rank includes the seconds to finish the result.
  void deliver(const Machine& machine) {
    for_each_last([&](Rank rank, StepId id) {
      busy_[id] +=
          machine.end(schedule_.delivery.wanted(rank, schedule_.ranks(), schedule_.items).size());
    });
  }

  /// Calls `use(rank, id)` for the last step of each rank that has steps.
  template <class Use>
  void for_each_last(const Use& use) const {
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      const std::size_t count = schedule_.parts[static_cast<std::size_t>(rank)].steps().size();
      if (count > 0) use(rank, paths_.graph.id(rank, count - 1));
    }
  }

  /// Calls `use(earlier, seconds)` for each step that must start at least `seconds` before step
  /// `id`.
  template <class Use>
  void for_each_earlier(StepId id, const Use& use) const {
    const auto& step = paths_.steps[id];
    if (step.previous != no_step) use(step.previous, busy_[step.previous] + before_[id]);
    const bool receives = step.kind == StepKind::recv;
    if (step.on_port != no_step) {
      // A send starts when the port takes its first byte, a receive when the port has taken its
      // last.
      const auto& spaced = receives ? step : paths_.steps[step.on_port];
      use(step.on_port, times_[spaced.size].spacing);
    }
    if (receives) {
      const Times& times = times_[paths_.steps[step.send].size];
      use(step.send, times.arriving + (step.crosses ? times.crossing : 0));
    }
  }

  /// Seconds before the first step of a rank.
  [[nodiscard]] double first_start(const Machine& machine, Rank rank) const {
    const Index held = schedule_.distribution.range(rank).size();
    const Delivery& delivery = schedule_.delivery;
    return machine.start(schedule_.ranks(), delivery.collective,
                         static_cast<double>(held) * static_cast<double>(schedule_.items));
  }

  void find_starts(const Machine& machine) {
    start_.assign(paths_.graph.size(), 0);
    cause_.assign(paths_.graph.size(), no_step);
    for (const StepId id : paths_.order) {
      if (paths_.steps[id].previous == no_step) {
        start_[id] = first_start(machine, paths_.graph.place(id).rank) + before_[id];
      }
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
    for (auto id = paths_.order.rbegin(); id != paths_.order.rend(); ++id) {
      for_each_earlier(*id, [&, later = *id](StepId earlier, double seconds) {
        rest[earlier] = std::max(rest[earlier], seconds + rest[later]);
      });
    }
    std::vector<double> slack(schedule_.parts.size(), std::numeric_limits<double>::infinity());
    for (StepId id = 0; id < paths_.graph.size(); ++id) {
      if (paths_.steps[id].kind != StepKind::fold) continue;
      double& least = slack[static_cast<std::size_t>(paths_.graph.place(id).rank)];
      least = std::min(least, makespan - start_[id] - rest[id]);
    }
    return slack;
  }

  const SchedulePaths& paths_;
  const Schedule& schedule_;
  std::vector<double> busy_;    // seconds that each step occupies its rank
  std::vector<double> before_;  // seconds that the rank computes before a message
  std::vector<Times> times_;    // of each size in `message_values`
  std::vector<double> start_;
  std::vector<StepId> cause_;  // the step that each step waits for last
};

}  // namespace

PaperCost paper_cost(const Schedule& schedule, const Machine& machine,
                     std::span<const std::uint32_t> nodes, std::vector<StepTime>* steps) {
  machine.check();
  const SchedulePaths schedule_paths(schedule);
  const LongestPaths paths(schedule_paths, machine, nodes);
  if (steps != nullptr) *steps = paths.steps();
  return paths.cost();
}

PaperMakespan::PaperMakespan(Schedule schedule)
    : schedule_(std::make_shared<const Schedule>(std::move(schedule))),
      paths_(std::make_shared<const SchedulePaths>(*schedule_)) {}

double PaperMakespan::operator()(const Machine& machine) const {
  machine.check();
  return LongestPaths(*paths_, machine, {}).makespan();
}

}  // namespace bracket
