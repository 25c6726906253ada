#include <fmt/format.h>

#include <iostream>

#include "bracket/model/error.hpp"
#include "bracket/model/file.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/viz/schedule.hpp"
#include "bracket/viz/tree.hpp"
#include "commands.hpp"
#include "files.hpp"
#include "help.hpp"
#include "machine_options.hpp"
#include "options.hpp"
#ifdef BRACKET_HAS_SVG
#include "bracket/viz/svg.hpp"
#endif

namespace bracket::tools {

namespace {

struct DrawOptions {
  Index elements = 0;
  Rank ranks = 0;
  ScheduleOptions schedule;
  MachineOptions machine;
  std::string output;
  Index depth = -1;
};

std::string rendered(const std::string& dot, const std::string& output) {
  if (output.empty() || output.ends_with(".dot")) return dot;
  if (!output.ends_with(".svg")) {
    throw Error(text("-o ", output, ": the name must end in .svg or .dot"));
  }
#ifdef BRACKET_HAS_SVG
  return render_svg(dot);
#else
  throw Error(text("-o ", output,
                   ": this build has no Graphviz and cannot make SVG; a name that ends in .dot "
                   "works"));
#endif
}

void draw(DrawOptions& options) {
  options.schedule.take_tuned_of(options.elements, options.ranks);
  if (options.schedule.plans.size() > 1 || options.schedule.distributions.size() != 1) {
    throw Error("draw takes one plan and one distribution");
  }
  const auto distribution = options.schedule.distribution(options.schedule.distributions[0],
                                                          options.elements, options.ranks);
  std::string dot;
  if (options.schedule.plans.empty()) {
    TreeDrawing drawing;
    if (options.depth >= 0) drawing.depth = options.depth;
    dot = tree_dot(*make_order(options.schedule.order, distribution.elements()), distribution,
                   drawing);
  } else {
    const auto schedule = options.schedule.schedule(distribution, options.schedule.plans[0]);
    const auto cost = paper_cost(schedule, options.machine.machine);
    dot = schedule_dot(schedule, &cost);
  }
  const std::string picture = rendered(dot, options.output);
  if (options.output.empty()) {
    std::cout << picture;
  } else {
    write_file(options.output, picture);
  }
}

}  // namespace

void add_draw(CLI::App& app) {
  auto* const command = app.add_subcommand(
      "draw", "the reduction tree, or with --plan the schedule and its critical path");
  const auto options = std::make_shared<DrawOptions>();
  options->schedule.plans.clear();
  add_sizes(*command, options->elements, options->ranks);
  auto* const tuned = options->schedule.add_to(*command);
  options->machine.add_to(*command, &options->schedule);
  command
      ->add_option("-o,--output", options->output, "file, .svg or .dot; DOT on stdout if not given")
      ->type_name("FILE")
      ->group("Output");
  auto* const plan = command->get_option("--plan");
  for (const auto* name : {"--root", "--all", "--scatter", "--items"}) {
    need_in_words(*command, name, plan);
  }
  for (const auto* name :
       {"--machine", "--latency", "--overhead", "--gap", "--gap-per-byte", "--t-add"}) {
    auto* const figure = need_in_words(*command, name, plan);
    figure->description(figure->get_description() + " or " + tuned->get_name());
    tuned->each([=](const std::string&) { figure->remove_needs(plan); });
  }
  add_whole(
      *command, "--depth", options->depth,
      "tree, without --plan: fold what lies on one rank more than this many levels below the root",
      Index{0})
      ->type_name("LEVELS")
      ->group("Output")
      ->excludes(plan)
      ->excludes(tuned);
  command->callback([options, command] {
    for (const char* size : {"--elements", "--ranks"}) require_unless_planned(*command, size);
    check_outputs(*command, {"--output"}, {"--plan-file", "--distribution", "--machine"});
    draw(*options);
    const MachineOptions& machine = options->machine;
    warn_of_defaults(machine.source, machine.figures(), machine.given);
  });
}

}  // namespace bracket::tools
