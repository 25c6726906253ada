// SPDX-License-Identifier: MIT

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/distribution.hpp"
#include "bracket/model/element.hpp"
#include "bracket/model/known_orders.hpp"
#include "bracket/model/machine_json.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/simulator/disturbance.hpp"
#include "bracket/simulator/placement.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/machine_files.hpp"
#include "common/options.hpp"
#include "common/unknown_words.hpp"
#include "figures/source_figures.hpp"
#include "models/cost_models.hpp"
#include "rows/row_keys.hpp"
#include "rows/text_table.hpp"

namespace bracket::tools {

namespace {

/// Returns a table of indented names with their meanings beside them.
TextTable name_table() { return TextTable({{TextTable::Side::left, 30}, {}}); }

template <class Table>
void print(const char* heading, const Table& table) {
  TextTable names = name_table();
  for (const auto& row : table) {
    names.line({fmt::format("  {}{}", row.entry.name, row.entry.parameters),
                fmt::format("{} ({})", row.entry.summary, row.entry.source)});
  }
  std::cout << heading << '\n' << names.text();
}

template <class Table>
nlohmann::ordered_json names_to_json(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table) {
    rows.push_back({{"name", row.entry.name},
                    {"parameters", row.entry.parameters},
                    {"summary", row.entry.summary},
                    {"source", row.entry.source}});
  }
  return rows;
}

void print_kernels() {
  TextTable names = name_table();
  for (const auto& kernel : runtime::kernels()) {
    names.line(
        {fmt::format("  {}", kernel.name),
         fmt::format("{} ({})", kernel.summary,
                     kernel.supported() ? "supported" : "this processor does not support it")});
  }
  std::cout << "kernels: code that adds a rank's elements\n" << names.text();
}

void print_machines() {
  TextTable names = name_table();
  for (const auto& machine : installed_machines()) {
    names.line({fmt::format("  {}", machine.name), read_machine(machine.file).source});
  }
  std::cout << "machines: installed machines for `--machine`, which also accepts files\n"
            << names.text();
}

nlohmann::ordered_json machines_to_json() {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& machine : installed_machines()) {
    rows.push_back({{"name", machine.name},
                    {"source", read_machine(machine.file).source},
                    {"file", machine.file.string()}});
  }
  return rows;
}

nlohmann::ordered_json kernels_to_json() {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& kernel : runtime::kernels()) {
    rows.push_back(
        {{"name", kernel.name}, {"summary", kernel.summary}, {"supported", kernel.supported()}});
  }
  return rows;
}

nlohmann::ordered_json row_keys_to_json() {
  auto rows = nlohmann::ordered_json::array();
  for (const RowKeyEntry& entry : row_keys()) {
    rows.push_back({{"key", entry.key},
                    {"type", name_of(entry.type)},
                    {"unit", entry.unit},
                    {"meaning", entry.meaning}});
  }
  return rows;
}

/// A kind of names, which can be printed as text and as JSON.
struct NameKind {
  const char* key;              // in JSON
  std::function<void()> print;  // empty: only as JSON
  std::function<nlohmann::ordered_json()> to_json;
};

template <class Table>
NameKind kind(const char* key, const char* heading, Table (*table)()) {
  return {key, [=] { print(heading, table()); }, [=] { return names_to_json(table()); }};
}

struct ListedOrder {
  CatalogueEntry entry;
};

std::vector<ListedOrder> listed_orders() {
  std::vector<ListedOrder> rows;
  for (const OrderEntry& row : orders()) rows.push_back({row.entry});
  rows.push_back({explicit_order()});
  return rows;
}

std::vector<NameKind> kinds() {
  return {
      kind("orders", "orders: bracketings of the reduction", listed_orders),
      kind("distributions", "distributions: assignments of elements to ranks", distributions),
      kind("rank_orders",
           "rank orders: permutations of ranks; the k-th share of the elements goes to the k-th "
           "rank",
           rank_orders),
      kind("plans", "plans: routes of partial results between ranks", plans),
      kind("algorithms", "algorithms: methods to compute the result", algorithms),
      kind("baselines",
           "baselines: sums of float64 whose bits depend on the ranks, to compare with", baselines),
      kind("operators", "operators: combinations of two elements", operators),
      kind("types", "types: types of the elements", types),
      kind("engines", "engines: methods of `bracket simulate`", engines),
      kind("objectives", "objectives: costs that `bracket tune` minimizes", objectives),
      {"machines", print_machines, machines_to_json},
      kind("platforms", "platforms: nodes and links that SimGrid simulates", platforms),
      kind("placements", "placements: assignments of simulated ranks to nodes", placements),
      kind("random_quantities",
           "random quantities: for skew, slowdown and jitter of simulated ranks",
           random_quantities),
      {"kernels", print_kernels, kernels_to_json},
      kind("figures", "figures: tables and figures of papers that `bracket figures` makes",
           source_figures),
      kind("known_orders",
           "known orders: algorithms of MPI libraries that `bracket reveal` recognises by their "
           "order",
           known_orders),
      {"row_keys", nullptr, row_keys_to_json},
  };
}

/// Returns the name of a kind on the command line, such as `rank-orders`.
std::string name_of(const NameKind& kind) {
  std::string name = kind.key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Returns the kinds with these names; all kinds if `names` is empty. Throws `Error` for an unknown
/// name.
std::vector<NameKind> chosen(const std::vector<std::string>& names) {
  std::vector<NameKind> all = kinds();
  std::vector<std::string> known;
  for (const NameKind& one : all) known.push_back(name_of(one));
  std::vector<NameKind> found;
  for (std::string name : names) {
    std::replace(name.begin(), name.end(), '_', '-');
    const auto one = std::find(known.begin(), known.end(), name);
    if (one == known.end()) {
      const std::string nearest = suggestion(name, known);
      throw Error(text("there is no list of '", excerpt(name), "'", nearest.empty() ? ";" : nearest,
                       " there are: ", fmt::format("{}", fmt::join(known, ", "))));
    }
    found.push_back(all[static_cast<std::size_t>(one - known.begin())]);
  }
  return names.empty() ? all : found;
}

void add_list(CLI::App* const command, int, char**) {
  struct Options {
    std::vector<std::string> kinds;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  std::vector<std::string> known;
  for (const NameKind& one : kinds()) {
    if (one.print) known.push_back(name_of(one));
  }
  command
      ->add_option("kind", options->kinds,
                   fmt::format("kinds of names: {}, and row-keys (the keys of JSON rows; only with "
                               "--json). Default: all, with --json also row-keys",
                               fmt::join(known, ", ")))
      ->type_name("KIND");
  add_json(*command, options->json);
  command->callback([options] {
    const std::vector<NameKind> asked = chosen(options->kinds);
    if (!options->json) {
      for (const NameKind& one : asked) {
        if (one.print) {
          one.print();
        } else if (!options->kinds.empty()) {
          throw Error(text(name_of(one), " are a list for programs: give --json"));
        }
      }
      return;
    }
    nlohmann::ordered_json all;
    for (const NameKind& one : asked) all[one.key] = one.to_json();
    std::cout << all << '\n';
  });
}

const PlainCommand list_code("list", add_list);

}  // namespace

}  // namespace bracket::tools
