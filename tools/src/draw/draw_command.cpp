// SPDX-License-Identifier: MIT

#include <cmath>
#include <iostream>
#include <memory>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "bracket/viz/schedule_dot.hpp"
#include "bracket/viz/schedule_pictures.hpp"
#include "bracket/viz/tree_dot.hpp"
#include "common/commands.hpp"
#include "common/files.hpp"
#include "common/help.hpp"
#include "draw/draw_options.hpp"
#include "draw/engine_times.hpp"
#ifdef BRACKET_HAS_SVG
#include "bracket/viz/svg.hpp"
#endif

namespace bracket::tools {

namespace {

/// Most steps of a picture of steps that is asked for. Nobody could follow more.
constexpr Index most_steps_by_name = 2000;
constexpr Index most_leaves_by_depth = 1024;

/// Ending of the output's name, without the dot. Throws `Error` for an unknown one.
std::string format_of(const std::string& output) {
  if (output.empty()) return "dot";
  for (const char* const format : {"svg", "png", "pdf", "dot"}) {
    if (output.ends_with(std::string(".") + format)) return format;
  }
  throw Error(text("-o ", output, ": the name must end in .svg, .png, .pdf or .dot"));
}

std::string rendered(const std::string& dot, const std::string& format) {
  if (format == "dot") return dot;
#ifdef BRACKET_HAS_SVG
  return render_image(dot, format.c_str());
#else
  throw Error(text("-o: this build has no Graphviz and cannot make .", format,
                   " of this picture; use a name that ends in .dot"));
#endif
}

std::string rendered(const Picture& picture, const std::string& format) {
  return format == "svg" ? picture.svg() : rendered(picture.dot(), format);
}

std::string draw_tree(const DrawOptions& options, const Distribution& distribution,
                      const std::string& format) {
  TreeDrawing drawing;
  if (options.depth >= 0) drawing = {options.depth, most_leaves_by_depth};
  const Order order = make_order(options.schedule.order, distribution.elements());
  return rendered(tree_dot(order, distribution, drawing), format);
}

PictureKind kind_of(const DrawOptions& options, const Schedule& schedule) {
  if (options.kind) return *options.kind;
  if (options.engine.empty() && step_count(schedule) <= ScheduleDrawing{}.most_steps) {
    return PictureKind::steps;
  }
  return schedule.ranks() <= most_rows_of_one_rank ? PictureKind::timeline : PictureKind::overview;
}

ScheduleTimes times_of(const DrawOptions& options, const Schedule& schedule) {
  if (options.engine.empty()) return paper_times(schedule, options.computing_machine());
  return engine_times(schedule, options.engine,
                      {.machine = options.computing_machine(),
                       .network = options.network.network(),
                       .placed = options.network.any_placed(),
                       .timeline = true});
}

std::string draw_steps(const DrawOptions& options, const Schedule& schedule,
                       const std::string& format) {
  if (const Index steps = step_count(schedule); steps > most_steps_by_name) {
    throw Error(text("the schedule has ", steps, " steps, more than the ", most_steps_by_name,
                     " of --picture steps: leave the option out, or use --picture timeline"));
  }
  const auto cost = paper_cost(schedule, options.computing_machine());
  if (!std::isfinite(cost.makespan)) {
    throw Error(text("the schedule takes ", cost.makespan,
                     " seconds: a figure of the machine is too large"));
  }
  return rendered(schedule_dot(schedule, &cost, {most_steps_by_name}), format);
}

std::string draw_schedule(const DrawOptions& options, const Distribution& distribution,
                          const std::string& format) {
  const Schedule schedule = options.schedule.schedule(distribution, options.schedule.plans[0]);
  const PictureKind kind = kind_of(options, schedule);
  if (kind == PictureKind::steps) return draw_steps(options, schedule, format);
  const ScheduleTimes times = times_of(options, schedule);
  switch (kind) {
    case PictureKind::timeline:
      return rendered(timeline_picture(schedule, times), format);
    case PictureKind::matrix:
      return rendered(matrix_picture(schedule, times), format);
    case PictureKind::levels:
      return rendered(levels_picture(schedule, times), format);
    default:
      return rendered(overview_picture(schedule, times), format);
  }
}

void draw(const DrawOptions& options) {
  const std::string format = format_of(options.output);
  if (options.schedule.plans.size() > 1 || options.schedule.distributions.size() != 1) {
    throw Error("draw takes one plan and one distribution");
  }
  const auto distribution = options.schedule.distribution(options.schedule.distributions[0],
                                                          options.elements, options.ranks);
  const std::string picture = options.schedule.plans.empty()
                                  ? draw_tree(options, distribution, format)
                                  : draw_schedule(options, distribution, format);
  if (options.output.empty()) {
    std::cout << picture;
  } else {
    support::write_file(options.output, picture);
  }
}

void add_draw(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<DrawOptions>();
  options->add_to(*command);
  add_footer(
      *command,
      "Without --picture, the size decides. A tree of more than 128 elements is folded. A "
      "schedule of at most 200 steps is drawn step by step, one of more steps on at most 100 "
      "ranks as a timeline, and one on more ranks as an overview.\n"
      "draw makes the schedule from its options: it reads no file of `bracket verify -o`.");
  command->callback([options, command] {
    for (const char* size : {"--elements", "--ranks"}) require_unless_planned(*command, size);
    check_outputs(*command, {"--output"},
                  {"--plan-file", "--distribution", "--machine", "--placement", "--platform"});
    options->settle();
    options->check(*command);
    draw(*options);
    const MachineOptions& machine = options->machine;
    warn_of_defaults(machine.source, machine.figures(), machine.given);
    warn_of_flops(machine.machine, options->operation);
  });
}

const PlainCommand draw_code("draw", add_draw);

}  // namespace

}  // namespace bracket::tools
