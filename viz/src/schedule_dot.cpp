// SPDX-License-Identifier: MIT

#include "bracket/viz/schedule_dot.hpp"

#include <set>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "schedule_layout.hpp"
#include "schedule_titles.hpp"
#include "time_scale.hpp"

namespace bracket {

namespace {

/// Label of a step in short lines. A long message shows only its first partials.
std::string label_of(const RankPart& part, const Step& step) {
  constexpr std::size_t most_partials = 6;
  constexpr std::size_t partials_of_a_line = 2;
  std::string label(name_of(step.kind));
  if (step.kind == StepKind::send) label += text(" to ", step.peer);
  if (step.kind == StepKind::recv) label += text(" from ", step.peer);
  const auto operands = part.operands(step);
  const std::size_t shown = operands.size() > most_partials ? most_partials - 2 : operands.size();
  for (std::size_t i = 0; i < shown; ++i) {
    label += text(i % partials_of_a_line == 0 ? '\n' : ' ', describe(part, operands[i]));
  }
  if (shown < operands.size()) label += text("\n… ", operands.size(), " partials");
  return label;
}

/// The four kinds of steps differ in shape as well as in colour and lightness.
viz::dot::Attributes look_of(StepKind kind) {
  switch (kind) {
    case StepKind::fold:
      return {{"shape", "box"}, {"fillcolor", "#e0e0e0"}};
    case StepKind::join:
      return {{"shape", "box"}, {"style", "filled,rounded"}, {"fillcolor", "white"}};
    case StepKind::send:
      return {{"shape", "tab"}, {"fillcolor", "#ffcc80"}};
    default:
      return {{"shape", "note"}, {"fillcolor", "#b3e5fc"}};
  }
}

/// The critical path of a cost. The cost must belong to the schedule.
class CriticalPath {
 public:
  CriticalPath(const ScheduleGraph& graph, const PaperCost* cost) : steps_(graph.size()) {
    if (cost == nullptr) return;
    const auto& parts = graph.schedule().parts;
    bool fits = cost->finish.size() == parts.size();
    StepId before = no_step;
    for (const auto& step : cost->critical_path) {
      const auto rank = static_cast<std::size_t>(step.rank);
      fits = fits && rank < parts.size() && step.step < parts[rank].steps().size();
      if (!fits) break;
      const StepId id = graph.id(step.rank, step.step);
      steps_[id] = &step;
      if (before != no_step) arrows_.insert({before, id});
      before = id;
    }
    if (!fits) throw Error("the critical path is not one of this schedule");
  }

  /// The step's times on the path, or null if it is not on the path.
  [[nodiscard]] const CriticalStep* find(StepId id) const { return steps_[id]; }
  [[nodiscard]] const std::set<viz::Arrow>& arrows() const { return arrows_; }

 private:
  std::vector<const CriticalStep*> steps_;
  std::set<viz::Arrow> arrows_;
};

class SchedulePicture {
 public:
  SchedulePicture(const Schedule& schedule, const PaperCost* cost)
      : schedule_(schedule),
        cost_(cost),
        graph_(schedule),
        critical_(graph_, cost),
        labels_(labels()),
        layout_(graph_, labels_) {}

  std::string draw() const {
    std::vector<viz::dot::LegendEntry> legend;
    if (!critical_.arrows().empty()) legend.push_back({viz::dot::alarm, "critical path"});
    // Graphviz takes minutes to lead the arrows of a thousand steps around the boxes.
    constexpr StepId most_routed = 400;
    viz::dot::Writer writer("nop", titles(), legend, graph_.size() <= most_routed);
    for (const auto& [rank, label, box] : layout_.columns()) {
      writer.open_box(rank, label, box);
      draw_steps(writer, rank);
      writer.close_box();
    }
    for (const viz::Arrow& message : viz::messages_of(graph_))
      draw_arrow(writer, message, "message");
    // A message may wait for one that its rank sent or received several steps before.
    for (const viz::Arrow& gap : critical_.arrows()) {
      const auto [earlier, later] = gap;
      if (earlier != graph_.previous(later) && earlier != graph_.partner(later)) {
        draw_arrow(writer, gap, "gap");
      }
    }
    return writer.finish();
  }

 private:
  [[nodiscard]] std::vector<std::string> titles() const {
    std::string facts = viz::facts_of(schedule_);
    if (cost_ != nullptr) {
      const viz::TimeScale scale(cost_->makespan);
      facts += ", makespan on paper: " + scale.with_unit(cost_->makespan);
    }
    return {viz::title_of(schedule_), facts};
  }

  [[nodiscard]] std::vector<std::string> labels() const {
    std::vector<std::string> labels;
    const viz::TimeScale scale(cost_ == nullptr ? 0 : cost_->makespan);
    for (StepId id = 0; id < graph_.size(); ++id) {
      const auto rank = static_cast<std::size_t>(graph_.place(id).rank);
      std::string label = label_of(schedule_.parts[rank], graph_.step(id));
      if (const auto* step = critical_.find(id)) {
        label += text('\n', scale.number(step->start), " – ", scale.number(step->end), ' ',
                      scale.unit());
      }
      labels.push_back(std::move(label));
    }
    return labels;
  }

  [[nodiscard]] std::string name_of_node(StepId id) const {
    const auto [rank, step] = graph_.place(id);
    return text('s', rank, '_', step);
  }

  void draw_steps(viz::dot::Writer& writer, Rank rank) const {
    const RankPart& part = schedule_.parts[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < part.steps().size(); ++i) {
      const StepId id = graph_.id(rank, i);
      const Step& step = part.steps()[i];
      auto attributes = look_of(step.kind);
      std::string kind(name_of(step.kind));
      if (critical_.find(id) != nullptr) {
        kind += " critical";
        attributes.push_back({"color", viz::dot::alarm});
        attributes.push_back({"penwidth", "3"});
      }
      attributes.push_back({"label", labels_[id]});
      attributes.push_back({"class", kind});
      attributes.push_back(
          {"tooltip", text("rank ", rank, ", step ", i, ": ", describe(part, step))});
      writer.node(name_of_node(id), layout_.of(id), attributes);
    }
    for (std::size_t i = 1; i < part.steps().size(); ++i) {
      draw_arrow(writer, {graph_.id(rank, i - 1), graph_.id(rank, i)}, "next");
    }
  }

  void draw_arrow(viz::dot::Writer& writer, const viz::Arrow& ends, std::string kind) const {
    viz::dot::Attributes attributes;
    if (kind == "gap") attributes.push_back({"style", "dashed"});
    if (critical_.arrows().contains(ends)) {
      kind += " critical";
      attributes.push_back({"color", viz::dot::alarm});
      attributes.push_back({"penwidth", "3"});
    } else if (kind == "next") {
      attributes.push_back({"color", viz::dot::faint_ink});
    } else {
      attributes.push_back({"penwidth", "1.5"});
    }
    attributes.push_back({"class", kind});
    writer.edge(name_of_node(ends.first), name_of_node(ends.second), attributes);
  }

  const Schedule& schedule_;
  const PaperCost* cost_;
  ScheduleGraph graph_;
  CriticalPath critical_;
  std::vector<std::string> labels_;
  viz::ScheduleLayout layout_;
};

}  // namespace

Index step_count(const Schedule& schedule) {
  Index steps = 0;
  for (const auto& part : schedule.parts) steps += static_cast<Index>(part.steps().size());
  return steps;
}

std::string schedule_dot(const Schedule& schedule, const PaperCost* cost,
                         const ScheduleDrawing& drawing) {
  if (drawing.most_steps < 1) {
    throw Error(text("a picture must have at least 1 step, not ", drawing.most_steps));
  }
  const Index steps = step_count(schedule);
  if (steps > drawing.most_steps) {
    throw Error(text("the schedule has ", steps, " steps, more than the ", drawing.most_steps,
                     " that one picture may have: draw it for fewer ranks or elements"));
  }
  return SchedulePicture(schedule, cost).draw();
}

}  // namespace bracket
