// SPDX-License-Identifier: MIT

#include "cost/cost_options.hpp"

#include <array>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "common/value_list.hpp"

namespace bracket::tools {

namespace {

struct ScalingEntry {
  CatalogueEntry entry;
  Scaling scaling;
};

constexpr std::array scalings{
    ScalingEntry{{"strong", "", "gaps get shorter in proportion", ""}, Scaling::strong},
    ScalingEntry{{"weak", "", "gaps stay as recorded", ""}, Scaling::weak}};

Scaling scaling_named(const std::string& name) {
  for (const ScalingEntry& row : scalings) {
    if (row.entry.name == name) return row.scaling;
  }
  throw Error(unknown_name("scaling", name, scalings));
}

Terms terms_named(const std::string& name) {
  for (const TermsEntry& row : all_terms()) {
    if (row.entry.name == name) return row.terms;
  }
  throw Error(text("--terms: ", unknown_name("terms", name, all_terms())));
}

}  // namespace

void CostOptions::add_to(CLI::App& command) {
  command.add_option("TRACE", trace, "trace: a folder of `bracket record -o`")
      ->type_name("FOLDER")
      ->required();
  {
    const HelpGroup group(command, "Replay");
    add_name_list(command, "--plan", plans,
                  "plans that replace the library's algorithm; `bracket list plans` explains each")
        ->default_str("several that suit");
    add_name_list(command, "--algorithm", algorithms,
                  "methods to compute the sums; `bracket list algorithms` explains each")
        ->capture_default_str();
    add_name_list(command, "--library", library,
                  "files of `bracket reveal --schedule` with the library's algorithms")
        ->type_name("FILE.json,...")
        ->default_str("butterfly for an all-reduce, binomial for a reduce");
    add_rank_counts(command, ranks,
                    "numbers of ranks, at least as many as were recorded; rank k then has the gaps "
                    "of rank k mod p of the recorded p ranks")
        ->default_str("as recorded");
    command
        .add_option_function<std::string>(
            "--scaling", [this](const std::string& name) { scaling = scaling_named(name); },
            "gaps between reductions on more ranks: strong (shorter in proportion) or weak (as "
            "recorded)")
        ->default_str("strong")
        ->type_name("NAME");
    add_whole(command, "--cores", cores, "cores of each node, which consecutive ranks fill",
              Index{1})
        ->default_str("as the ranks were recorded")
        ->type_name("CORES");
  }
  {
    const HelpGroup group(command, "Local sums");
    add_whole(command, "--elements", sums.elements,
              "the program adds this many float64 numbers, on all ranks together, by a loop before "
              "each sum of single numbers: the reducer replaces the loop as well",
              Index{1})
        ->default_str("the loops stay as they are")
        ->type_name("N");
    command
        .add_option("--terms", terms,
                    "what the loop adds: elements, products (of two arrays, a dot product) or "
                    "squares (of one array, a norm). Of several, the first sum of a communicator "
                    "has the first, the next sum the second, and so on, again and again")
        ->capture_default_str()
        ->type_name("NAME,...");
    command
        .add_option_function<std::string>(
            "--loop",
            [this](const std::string& name) {
              sums.loop = baseline_named(name);
              if (sums.loop == Baseline::none) {
                throw Error(unknown_name("loop", name, baselines()));
              }
            },
            "speed of the program's loop: accumulate (from left to right) or irreproducible (with "
            "vector instructions)")
        ->default_str("accumulate")
        ->type_name("NAME");
  }
  machine.add_to(command);
  machine.add_loggops_to(command);
  machine.add_nodes_to(command);
  const HelpGroup group(command, "Output");
  add_whole(command, "--most", most, "show at most so many call sites; --json shows all by default",
            Index{1})
      ->capture_default_str();
  add_json(command, json);
  report.add_to(command);
  need_in_words(command, "--scaling", command.get_option("--ranks"));
  for (const char* const name : {"--terms", "--loop"}) {
    need_in_words(command, name, command.get_option("--elements"));
  }
  add_footer(
      command,
      "Each rank of the recorded run has gaps between its reductions: computing and other "
      "communication. cost keeps the gaps and replays the reductions under LogGOPS, with the "
      "library's algorithm and with Bracket's plans, on the machine of --machine. It replaces "
      "blocking all-reduces and reduces, by sum or product, of floats; other reductions stay as "
      "recorded.\n"
      "A change is a predicted run minus the predicted run with the library's algorithm, in per "
      "cent of the recorded run without the recorder's time or, on more ranks, of the latter.");
}

LocalSums CostOptions::local_sums() const {
  LocalSums named = sums;
  named.terms.clear();
  for (const std::string& name : split(terms, ',')) named.terms.push_back(terms_named(name));
  return named;
}

void CostOptions::check() const {
  for (const std::string& plan : plans) check_scheduled(*make_plan(plan));
  for (const std::string& algorithm : algorithms) {
    if (make_algorithm(algorithm).arithmetic == Arithmetic::pre_rounded) {
      throw Error(text("--algorithm ", algorithm,
                       " has two reductions in place of one, which cost does not predict: take "
                       "binned"));
    }
  }
}

}  // namespace bracket::tools
