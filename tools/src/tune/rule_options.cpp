// SPDX-License-Identifier: MIT

#include "tune/rule_options.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "common/files.hpp"
#include "common/help.hpp"
#include "common/launch.hpp"
#include "common/options.hpp"
#include "common/value_list.hpp"

namespace bracket::tools {

namespace {

constexpr Index most_rule_items = 1 << 24;  // as for `reveal`

Index rule_length(const std::string& written) {
  const Index length = support::parse_count(written, "--items", most_rule_items);
  if (length < 1) throw Error(text("--items must be at least 1, not ", written));
  return length;
}

}  // namespace

void RuleOptions::add_to(CLI::App& command) {
  std::optional<HelpGroup> group(std::in_place, command, "Reduction");
  command
      .add_option(
          "--for", library_name,
          "openmpi or mpich: write rules for this MPI library, with which Bracket was built")
      ->type_name("NAME");
  command
      .add_option("--collective", collective_name,
                  "collective of the rules: all-reduce, reduce or reduce-scatter")
      ->capture_default_str()
      ->type_name("NAME");
  launch.add_to(command)->required();
  command
      .add_option(
          "--items", items,
          "lengths of the vectors of float64: a range, in which lengths a factor of 4 apart "
          "are measured, or the lengths to measure. Longer vectors have the rule of the "
          "longest")
      ->required()
      ->type_name("FROM:TO|M,...");
  add_whole(command, "--root", root, "rank that gets the result of a reduce", Rank{0})
      ->capture_default_str()
      ->type_name("RANK");
  group.emplace(command, "Search");
  add_name_list(command, "--same-order", same_order,
                "what must not change the order: size (the length of the vectors) and run (another "
                "launch)")
      ->capture_default_str();
  add_name_list(command, "--algorithms", algorithms,
                "algorithms of the library to try, as for `bracket reveal`, or the word all")
      ->capture_default_str();
  add_whole(command, "--seed", seed, "seed of the probes and of the sequence of the measurements",
            Index{0})
      ->capture_default_str()
      ->type_name("SEED");
  group.emplace(command, "Measurement");
  measurement.add_to(command);
  group.emplace(command, "Output");
  command.add_option("-o,--output", output, "write the rules to this file, for the MPI library")
      ->required()
      ->type_name("FILE");
  add_json(command, json);
  add_footer(
      command,
      "tune --for writes a file by which the MPI library chooses its algorithms, so that the order "
      "of its sums does not depend on the length of the vectors. It starts --launcher, reveals the "
      "order of each algorithm for each length, measures their times side by side, and takes the "
      "fastest algorithm for each length among those with one order. If only one algorithm has "
      "this order at a length, it takes that one. It then reveals the orders with the file in "
      "effect. If they are not as promised, it writes no file and ends with exit code 2.\n"
      "An algorithm whose items have several orders, such as a ring, has no single order: the "
      "items that share an order change with the length. With --same-order run, such algorithms "
      "are allowed.\n"
      "Other collectives, other numbers of ranks and operators of the program are left to the "
      "library's own choice.");
}

void RuleOptions::check(const CLI::App& command) {
  static_cast<void>(library());
  if (launched()) {
    throw Error("--for: this process is a rank of a launch already: start it without mpiexec");
  }
  if (collective() == SumCollective::scan) {
    throw Error("--collective scan: rules are for all-reduce, reduce or reduce-scatter");
  }
  if (command.count("--root") > 0 && collective() != SumCollective::reduce) {
    throw Error("--root requires --collective reduce");
  }
  for (const std::string& what : same_order) {
    if (what == "size" || what == "run") continue;
    throw Error(text("--same-order ", excerpt(what), ": size or run was expected"));
  }
  for (const Rank ranks : launch.ranks) {
    if (ranks < 2) {
      throw Error(text("-p ", ranks, ": one rank adds nothing: at least 2 were expected"));
    }
    if (root >= ranks) {
      throw Error(text("--root ", root, " is no rank of ", ranks, ": they are 0 to ", ranks - 1));
    }
    static_cast<void>(lengths(ranks));
  }
  if (std::all_of(algorithms.begin(), algorithms.end(),
                  [](const std::string& name) { return name == default_algorithm; })) {
    throw Error(
        "--algorithms default: rules cannot name the library's own choice: name algorithms, or "
        "all");
  }
  check_outputs(command, {"--output"}, {});
  launch.prepare();
}

std::vector<Index> RuleOptions::lengths(Rank ranks) const {
  const auto colon = items.find(':');
  if (colon == std::string::npos) {
    const auto words = split(items, ',');
    check_values(words, "--items");
    std::vector<Index> all;
    for (const std::string& word : words) all.push_back(rule_length(word));
    std::sort(all.begin(), all.end());
    return all;
  }
  const Index from = rule_length(items.substr(0, colon));
  const Index to = rule_length(items.substr(colon + 1));
  if (from > to) throw Error(text("--items ", excerpt(items), ": the range is empty"));
  std::set<Index> all{from, to};
  for (Index length = from; length < to; length *= 4) all.insert(length);
  for (const Index length : {ranks - 1, ranks, ranks + 1}) {
    if (from < length && length < to) all.insert(length);
  }
  return {all.begin(), all.end()};
}

bool RuleOptions::is_same(const char* what) const {
  return std::find(same_order.begin(), same_order.end(), what) != same_order.end();
}

}  // namespace bracket::tools
