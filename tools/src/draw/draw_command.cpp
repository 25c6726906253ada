#include <fmt/format.h>

#include <iostream>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "bracket/viz/schedule_dot.hpp"
#include "bracket/viz/tree_dot.hpp"
#include "common/commands.hpp"
#include "common/files.hpp"
#include "common/help.hpp"
#include "common/machine_options.hpp"
#include "common/options.hpp"
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
  Index depth = -1;  // < 0: not folded
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
                   ": this build has no Graphviz and cannot make SVG; use a name that ends in "
                   ".dot"));
#endif
}

/// Returns whether the distribution exists for this number of ranks and `fits` accepts it.
template <class Fits>
bool fits_on(const DrawOptions& options, Rank ranks, const Fits& fits) {
  try {
    return fits(
        options.schedule.distribution(options.schedule.distributions[0], options.elements, ranks));
  } catch (const Error&) {
    return false;
  }
}

/// Returns about the largest number of ranks below `ranks` that fits, or 0 if no number fits.
/// Assumes that more ranks need more room.
template <class Fits>
Rank fewer_ranks(const DrawOptions& options, Rank ranks, const Fits& fits) {
  if (options.schedule.tuned) return 0;  // a plan file is for one number of ranks
  Rank most = 0;
  Rank too_many = ranks;
  for (Rank count = ranks / 2; count > 0 && most == 0; count /= 2) {
    (fits_on(options, count, fits) ? most : too_many) = count;
  }
  while (most > 0 && too_many - most > 1) {
    const Rank middle = most + (too_many - most) / 2;
    (fits_on(options, middle, fits) ? most : too_many) = middle;
  }
  return most;
}

std::string draw_tree(const DrawOptions& options, const Distribution& distribution) {
  const auto drawn = [&](const Distribution& over, std::optional<Index> depth) {
    TreeDrawing drawing;
    drawing.depth = depth;
    return tree_dot(make_order(options.schedule.order, over.elements()), over, drawing);
  };
  std::optional<Index> depth;
  if (options.depth >= 0) depth = options.depth;
  try {
    return drawn(distribution, depth);
  } catch (const Error& refusal) {
    // The refusal already names a depth that fits, if there is one.
    const auto fits = [&](const Distribution& over) { return !drawn(over, 0).empty(); };
    if (fits_on(options, distribution.ranks(), fits)) throw;
    const Rank ranks = fewer_ranks(options, distribution.ranks(), fits);
    if (ranks == 0) throw;
    throw Error(text(refusal.what(), "; -p ", ranks, " --depth 0 can be drawn"));
  }
}

std::string draw_schedule(const DrawOptions& options, const Distribution& distribution) {
  const auto scheduled = [&](const Distribution& over) {
    return options.schedule.schedule(over, options.schedule.plans[0]);
  };
  const Index most = ScheduleDrawing{}.most_steps;
  const Schedule schedule = scheduled(distribution);
  if (const Index steps = step_count(schedule); steps > most) {
    const Rank ranks = fewer_ranks(options, distribution.ranks(), [&](const Distribution& over) {
      return step_count(scheduled(over)) <= most;
    });
    throw Error(
        text("the schedule has ", steps, " steps, more than the ", most,
             " that one picture may have: ", ranks > 0 ? text("-p ", ranks, " can be drawn; ") : "",
             "`bracket simulate --chrome-trace FILE.json` shows all steps in time"));
  }
  const auto cost = paper_cost(schedule, options.machine.machine);
  return schedule_dot(schedule, &cost);
}

void draw(DrawOptions& options) {
  options.schedule.take_tuned_of(options.elements, options.ranks);
  if (options.schedule.plans.size() > 1 || options.schedule.distributions.size() != 1) {
    throw Error("draw takes one plan and one distribution");
  }
  const auto distribution = options.schedule.distribution(options.schedule.distributions[0],
                                                          options.elements, options.ranks);
  const std::string dot = options.schedule.plans.empty() ? draw_tree(options, distribution)
                                                         : draw_schedule(options, distribution);
  const std::string picture = rendered(dot, options.output);
  if (options.output.empty()) {
    std::cout << picture;
  } else {
    support::write_file(options.output, picture);
  }
}

void add_draw(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<DrawOptions>();
  options->schedule.plans.clear();
  options->schedule.takes_one = true;
  add_sizes(*command, options->elements, options->ranks);
  auto* const tuned = options->schedule.add_to(*command);
  options->machine.add_to(*command, &options->schedule);
  command
      ->add_option(
          "-o,--output", options->output,
          "write the picture to this file, .svg or .dot; without it, draw writes DOT to stdout")
      ->type_name("FILE")
      ->group("Output");
  auto* const plan = command->get_option("--plan");
  plan->description(plan->get_description() +
                    "; without --plan or --plan-file, draw shows the tree");
  for (const auto* name : {"--root", "--all", "--scatter", "--items"}) {
    need_in_words(*command, name, plan);
  }
  for (const auto* name :
       {"--machine", "--latency", "--overhead", "--gap", "--gap-per-byte", "--t-add"}) {
    auto* const figure = need_in_words(*command, name, plan);
    figure->description(figure->get_description() + " or " + tuned->get_name());
    tuned->each([=](const std::string&) { figure->remove_needs(plan); });
  }
  add_whole(*command, "--depth", options->depth,
            "draw at most this many levels below the root in full; each deeper subtree on one rank "
            "is drawn as one box; not with --plan and --plan-file",
            Index{0})
      ->type_name("LEVELS")
      ->group("Output")
      ->excludes(plan)
      ->excludes(tuned);
  add_footer(*command,
             "The tree and the schedule can both be SVG or DOT, the source of Graphviz. draw makes "
             "the schedule from its options: it reads no file of `bracket verify -o`.");
  command->callback([options, command] {
    for (const char* size : {"--elements", "--ranks"}) require_unless_planned(*command, size);
    check_outputs(*command, {"--output"}, {"--plan-file", "--distribution", "--machine"});
    draw(*options);
    const MachineOptions& machine = options->machine;
    warn_of_defaults(machine.source, machine.figures(), machine.given);
  });
}

const PlainCommand draw_code("draw", add_draw);

}  // namespace

}  // namespace bracket::tools
