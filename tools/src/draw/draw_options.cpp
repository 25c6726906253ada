// SPDX-License-Identifier: MIT

#include "draw/draw_options.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "models/cost_models.hpp"

namespace bracket::tools {

void DrawOptions::add_to(CLI::App& command) {
  schedule.plans.clear();
  schedule.takes_one = true;
  add_sizes(command, elements, ranks);
  auto* const tuned = schedule.add_to(command);
  arithmetic.add_to(command);
  machine.add_to(command, &schedule);
  machine.add_threads_to(command);
  auto* const plan = command.get_option("--plan");
  plan->description(plan->get_description() +
                    "; without --plan or --plan-file, draw shows the tree");
  for (const auto* name : {"--root", "--all", "--scatter", "--items", "--fields", "--algorithm",
                           "--op", "--type", "--widened", "--checked", "--threads"}) {
    need_in_words(command, name, plan);
  }
  for (const auto* name :
       {"--machine", "--latency", "--overhead", "--gap", "--gap-per-byte", "--t-add"}) {
    auto* const figure = need_in_words(command, name, plan);
    figure->description(figure->get_description() + " or " + tuned->get_name());
    tuned->each([=](const std::string&) { figure->remove_needs(plan); });
  }
  add_engine_to(command);
  add_output_to(command);
}

void DrawOptions::add_engine_to(CLI::App& command) {
  machine.add_loggops_to(command);
  machine.add_nodes_to(command);
  network.add_to(command);
  const HelpGroup group(command, "Simulation");
  auto* const chosen =
      command
          .add_option("--engine", engine,
                      "draw the times that this engine simulates in place of LogGP's; `bracket "
                      "list engines` explains each")
          ->type_name("NAME");
  for (const auto* name :
       {"--overhead-per-byte", "--eager", "--node-latency", "--node-overhead", "--node-gap",
        "--node-gap-per-byte", "--cores", "--placement", "--platform"}) {
    need_in_words(command, name, chosen);
  }
}

void DrawOptions::add_output_to(CLI::App& command) {
  const HelpGroup group(command, "Output");
  command
      .add_option("-o,--output", output,
                  "write the picture to this file, .svg, .png, .pdf or .dot; without it, draw "
                  "writes DOT to stdout")
      ->type_name("FILE");
  std::string kinds;
  for (const PictureEntry& row : picture_kinds()) {
    kinds += text(kinds.empty() ? "" : "; ", row.entry.name, ": ", row.entry.summary);
  }
  auto* const picture =
      command
          .add_option_function<std::string>(
              "--picture", [this](const std::string& name) { kind = picture_kind(name); },
              "kind of picture. " + kinds)
          ->default_str("by size")
          ->type_name("KIND");
  command
      .add_flag_callback(
          "--timeline", [this] { kind = PictureKind::timeline; },
          "draw a timeline, as --picture timeline does")
      ->excludes(picture);
  add_whole(command, "--depth", depth,
            "draw this many levels below the root in full, if the picture then has at most 1024 "
            "leaves; each deeper subtree on one rank is drawn as one box; not with --plan and "
            "--plan-file",
            Index{0})
      ->default_str("by size")
      ->type_name("LEVELS")
      ->excludes(command.get_option("--plan"))
      ->excludes(command.get_option("--plan-file"));
}

void DrawOptions::settle() {
  schedule.take_tuned_of(elements, ranks);
  operation = arithmetic.take_order(schedule, std::max<Index>(elements, 1));
}

void DrawOptions::check(const CLI::App& command) const {
  const bool planned = !schedule.plans.empty();
  if (kind) {
    const std::string_view name = entry_of(*kind).entry.name;
    if (*kind == PictureKind::tree && planned) {
      throw Error("--picture tree shows no plan: leave out --plan and --plan-file");
    }
    if (*kind != PictureKind::tree && !planned) {
      throw Error(text("--picture ", name, " requires --plan or --plan-file"));
    }
    if (*kind != PictureKind::tree && depth >= 0) {
      throw Error(text("--depth requires a tree, not --picture ", name));
    }
  }
  if (engine.empty()) return;
  if (!planned) throw Error("--engine requires --plan or --plan-file");
  if (kind && !entry_of(*kind).timed) {
    throw Error(text("--engine requires --picture ", timed_kinds(), ", which show its times"));
  }
  const CostModel& model = model_of(Role::engine, engine);
  require(model, Role::engine, &Knowledge::timelines, "draw");
  network.check_known_by(model, Role::engine);
  for (const auto& [option, fact] :
       {std::pair("--overhead-per-byte", &Knowledge::overhead_per_byte),
        std::pair("--eager", &Knowledge::eager)}) {
    if (command.count(option) > 0) require(model, Role::engine, fact, option);
  }
}

}  // namespace bracket::tools
