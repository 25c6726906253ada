#include "bracket/model/loggp.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/range/iterator_range.hpp>
#include <cmath>

#include "bracket/model/matching.hpp"
#include "bracket/support/error.hpp"

namespace bracket {

void Machine::check() const {
  const auto refuse_unless_cost = [](double value, const std::string& what) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw Error(text(what, " must be a finite number of at least 0, not ", value));
    }
  };
  between_nodes().check("");
  if (inside_node) inside_node->check("inside a node: ");
  refuse_unless_cost(seconds_per_addition, "seconds per addition");
  if (!(cache_bytes >= 0)) throw Error(text("caches of ", cache_bytes, " bytes: at least 0"));
  if (!(eager_bytes >= 0)) throw Error(text("eager up to ", eager_bytes, " bytes: at least 0"));
  if (value_bytes < 1) throw Error(text("a value has at least 1 byte, not ", value_bytes));
  if (work) work->check();
}

void Machine::set_between_nodes(MessageCosts costs) {
  latency = costs.latency;
  overhead = costs.overhead;
  gap = costs.gap;
  gap_per_byte = costs.gap_per_byte;
  overhead_per_byte = costs.overhead_per_byte;
  messages = std::move(costs.measured);
  cold_messages = std::move(costs.cold);
}

MessageCosts Machine::within_node() const {
  if (!inside_node) return between_nodes();
  MessageCosts costs = *inside_node;
  costs.overhead_per_byte = overhead_per_byte;
  return costs;
}

Machine Machine::out_of_cache() const {
  Machine machine = *this;
  machine.set_between_nodes(between_nodes().out_of_cache());
  if (inside_node) machine.inside_node = inside_node->out_of_cache();
  return machine;
}

namespace {

/// The same times for values that are `ratio` times as large.
void scale(std::vector<MeasuredWork::Fold>& times, double ratio) {
  std::vector<MeasuredWork::Fold> scaled;
  for (const auto& [elements, seconds] : times) {
    constexpr double most = 1e18;
    const auto count = std::max<Index>(
        1, static_cast<Index>(std::min(most, static_cast<double>(elements) / ratio)));
    if (!scaled.empty() && scaled.back().elements == count) scaled.pop_back();
    scaled.push_back({count, seconds});
  }
  times = std::move(scaled);
}

}  // namespace

Machine Machine::for_values(Index bytes) const {
  Machine machine = *this;
  const double ratio = static_cast<double>(bytes) / static_cast<double>(value_bytes);
  machine.value_bytes = bytes;
  machine.seconds_per_addition *= ratio;
  if (!work || bytes == value_bytes) return machine;
  MeasuredWork& scaled = *machine.work;
  scaled.seconds_per_join *= ratio;
  scale(scaled.folds, ratio);
  for (auto& together : scaled.folds_together) scale(together.folds, ratio);
  scale(scaled.copies, ratio);
  scale(scaled.joins, ratio);
  return machine;
}

double Machine::seconds_per_element(Index elements) const {
  if (!work) return seconds_per_addition;
  const double count = std::max(1.0, static_cast<double>(elements));
  return work->fold(count) / count;
}

namespace {

using Vertex = std::uint32_t;
struct Lag {
  double seconds = 0;  // from the start of the one step to the start of the other
};
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Lag,
                                                 boost::no_property, Vertex>;

/// The steps of all ranks numbered through.
class Numbering {
 public:
  explicit Numbering(const Schedule& schedule) : first_(schedule.parts.size() + 1) {
    for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
      first_[i + 1] = first_[i] + static_cast<Vertex>(schedule.parts[i].steps().size());
    }
  }
  [[nodiscard]] Vertex size() const { return first_.back(); }
  [[nodiscard]] Vertex vertex(std::size_t rank, std::size_t step) const {
    return first_[rank] + static_cast<Vertex>(step);
  }
  [[nodiscard]] CriticalStep step_of(Vertex vertex) const {
    const auto above = std::upper_bound(first_.begin(), first_.end(), vertex);
    const auto rank = static_cast<std::size_t>(above - first_.begin() - 1);
    return {static_cast<Rank>(rank), vertex - first_[rank], 0, 0};
  }

 private:
  std::vector<Vertex> first_;
};

class GraphBuilder {
 public:
  GraphBuilder(const Schedule& schedule, const Machine& machine, const Numbering& numbering,
               std::span<const std::uint32_t> nodes)
      : schedule_(schedule),
        machine_(machine),
        work_(machine, schedule.distribution, schedule.items, schedule.delivery, nodes),
        costs_(machine.between_nodes()),
        numbering_(numbering),
        busy_(numbering.size()),
        before_(numbering.size()) {}

  Graph build() {
    for (std::size_t rank = 0; rank < schedule_.parts.size(); ++rank) compute(rank);
    if (work_.leaves_caches()) costs_ = costs_.out_of_cache();
    for (std::size_t rank = 0; rank < schedule_.parts.size(); ++rank) add_rank(rank);
    add_messages();
    return {boost::edges_are_unsorted_multi_pass, ends_.begin(), ends_.end(), lags_.begin(),
            numbering_.size()};
  }

  /// Seconds for which each step keeps its rank.
  [[nodiscard]] const std::vector<double>& busy() const { return busy_; }

  /// Seconds for which its rank computes before a message.
  [[nodiscard]] const std::vector<double>& before() const { return before_; }

 private:
  static bool is_message(const Step& step) {
    return step.kind == StepKind::send || step.kind == StepKind::recv;
  }

  void compute(std::size_t rank) {
    const RankPart& part = schedule_.parts[rank];
    const RankWork work = work_.of(static_cast<Rank>(rank), part);
    for (std::size_t i = 0; i < part.steps().size(); ++i) {
      const Step& step = part.steps()[i];
      (is_message(step) ? before_ : busy_)[numbering_.vertex(rank, i)] = work(step);
    }
  }

  void edge(Vertex from, Vertex to, double seconds) {
    ends_.emplace_back(from, to);
    lags_.push_back({seconds});
  }

  [[nodiscard]] double bytes(const RankPart& part, const Step& step) const {
    return machine_.message_bytes(part.values(step));
  }

  void add_rank(std::size_t rank) {
    const RankPart& part = schedule_.parts[rank];
    Vertex last_of_kind[4];
    bool seen[4] = {};
    for (std::size_t i = 0; i < part.steps().size(); ++i) {
      const Step& step = part.steps()[i];
      const Vertex vertex = numbering_.vertex(rank, i);
      if (step.kind == StepKind::send) busy_[vertex] = costs_.sending(bytes(part, step));
      if (step.kind == StepKind::recv) busy_[vertex] = costs_.receiving(bytes(part, step));
      if (i > 0) edge(vertex - 1, vertex, busy_[vertex - 1] + before_[vertex]);
      if (!is_message(step)) continue;
      const auto kind = static_cast<std::size_t>(step.kind);
      if (seen[kind]) {
        const Vertex before = last_of_kind[kind];
        // A send begins when the port takes its first byte, a receive when it has let in the last.
        const Step& on_the_port =
            step.kind == StepKind::send ? part.steps()[before - numbering_.vertex(rank, 0)] : step;
        edge(before, vertex, costs_.spacing(bytes(part, on_the_port)));
      }
      seen[kind] = true;
      last_of_kind[kind] = vertex;
    }
  }

  void add_messages() {
    for (const Message& message : match(schedule_).messages) {
      const auto from = static_cast<std::size_t>(message.from);
      const Vertex send = numbering_.vertex(from, message.send_step);
      const Vertex recv =
          numbering_.vertex(static_cast<std::size_t>(message.to), message.recv_step);
      const RankPart& sender = schedule_.parts[from];
      const double size = bytes(sender, sender.steps()[message.send_step]);
      edge(send, recv, costs_.way(size) - costs_.receiving(size));
    }
  }

  const Schedule& schedule_;
  const Machine& machine_;
  Work work_;
  MessageCosts costs_;
  const Numbering& numbering_;
  std::vector<double> busy_;
  std::vector<double> before_;
  std::vector<std::pair<Vertex, Vertex>> ends_;
  std::vector<Lag> lags_;
};

}  // namespace

PaperCost paper_cost(const Schedule& schedule, const Machine& machine,
                     std::span<const std::uint32_t> nodes) {
  machine.check();
  const Numbering numbering(schedule);
  GraphBuilder builder(schedule, machine, numbering, nodes);
  const Graph graph = builder.build();
  const std::vector<double>& busy = builder.busy();

  std::vector<Vertex> backwards;
  backwards.reserve(numbering.size());
  try {
    boost::topological_sort(graph, std::back_inserter(backwards));
  } catch (const boost::not_a_dag&) {
    throw Error("the schedule's ranks wait for each other in a cycle: it does not verify");
  }
  constexpr Vertex none = static_cast<Vertex>(-1);
  std::vector<double> start(numbering.size(), 0);
  for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
    if (schedule.parts[rank].steps().empty()) continue;
    const Vertex first = numbering.vertex(rank, 0);
    start[first] = machine.start(schedule.ranks()) + builder.before()[first];
  }
  std::vector<Vertex> cause(numbering.size(), none);
  for (auto from = backwards.rbegin(); from != backwards.rend(); ++from) {
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(*from, graph))) {
      const Vertex to = boost::target(edge, graph);
      const double at_least = start[*from] + graph[edge].seconds;
      if (at_least > start[to] || (at_least == start[to] && cause[to] == none)) {
        start[to] = at_least;
        cause[to] = *from;
      }
    }
  }

  PaperCost cost;
  cost.finish.resize(schedule.parts.size(), 0);
  Vertex last = none;
  for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
    const std::size_t steps = schedule.parts[rank].steps().size();
    if (steps == 0) continue;
    const Vertex vertex = numbering.vertex(rank, steps - 1);
    cost.finish[rank] = start[vertex] + busy[vertex];
    if (last == none || cost.finish[rank] > cost.makespan) last = vertex;
    cost.makespan = std::max(cost.makespan, cost.finish[rank]);
  }
  std::vector<double> rest(numbering.size());
  for (const Vertex from : backwards) {
    rest[from] = busy[from];
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(from, graph))) {
      rest[from] = std::max(rest[from], graph[edge].seconds + rest[boost::target(edge, graph)]);
    }
  }
  for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
    double& slack = cost.slack.emplace_back(std::numeric_limits<double>::infinity());
    const auto steps = schedule.parts[rank].steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::fold) continue;
      const Vertex vertex = numbering.vertex(rank, i);
      slack = std::min(slack, cost.makespan - start[vertex] - rest[vertex]);
    }
  }
  for (Vertex vertex = last; vertex != none; vertex = cause[vertex]) {
    CriticalStep step = numbering.step_of(vertex);
    step.start = start[vertex];
    step.end = start[vertex] + busy[vertex];
    cost.critical_path.push_back(step);
  }
  std::reverse(cost.critical_path.begin(), cost.critical_path.end());
  return cost;
}

}  // namespace bracket
