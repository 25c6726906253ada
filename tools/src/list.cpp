#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "arithmetic.hpp"
#include "bracket/model/distribution.hpp"
#include "bracket/model/machine_json.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/model/tune.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/simulator/disturbance.hpp"
#include "bracket/simulator/placement.hpp"
#include "bracket/simulator/platforms.hpp"
#include "commands.hpp"
#include "engines.hpp"
#include "machine_files.hpp"
#include "options.hpp"
#include "row_keys.hpp"

namespace bracket::tools {

namespace {

template <class Table>
void print(const char* heading, const Table& table) {
  std::cout << fmt::format("{}\n", heading);
  for (const auto& row : table) {
    std::cout << fmt::format("  {:<30}{} ({})\n",
                             fmt::format("{}{}", row.entry.name, row.entry.parameters),
                             row.entry.summary, row.entry.source);
  }
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
  std::cout << fmt::format("kernels: what adds a rank's elements\n");
  for (const auto& kernel : kernels()) {
    std::cout << fmt::format(
        "  {:<30}{} ({})\n", kernel.name, kernel.summary,
        kernel.supported() ? "supported" : "this processor does not support it");
  }
}

void print_machines() {
  std::cout << "machines: whose figures `--machine` takes, beside those of files\n";
  for (const auto& machine : installed_machines()) {
    std::cout << fmt::format("  {:<30}{}\n", machine.name, read_machine(machine.file).source);
  }
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
  for (const auto& kernel : kernels()) {
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

}  // namespace

void add_list(CLI::App& app) {
  struct Options {
    bool json = false;
  };
  auto* const command = app.add_subcommand("list", "what can be asked for by name");
  const auto options = std::make_shared<Options>();
  command->add_flag("--json", options->json, "as one JSON object");
  command->callback([options] {
    if (options->json) {
      std::cout << nlohmann::ordered_json{{"orders", names_to_json(orders())},
                                          {"distributions", names_to_json(distributions())},
                                          {"rank_orders", names_to_json(rank_orders())},
                                          {"plans", names_to_json(plans())},
                                          {"algorithms", names_to_json(algorithms())},
                                          {"operators", names_to_json(operators())},
                                          {"types", names_to_json(types())},
                                          {"engines", names_to_json(engines())},
                                          {"objectives", names_to_json(objectives())},
                                          {"machines", machines_to_json()},
                                          {"platforms", names_to_json(platforms())},
                                          {"placements", names_to_json(placements())},
                                          {"random_quantities", names_to_json(random_quantities())},
                                          {"kernels", kernels_to_json()},
                                          {"row_keys", row_keys_to_json()}}
                << '\n';
      return;
    }
    print("orders: what is bracketed with what", orders());
    print("distributions: who holds what", distributions());
    print("rank orders: which rank holds which share", rank_orders());
    print("plans: who tells whom", plans());
    print("algorithms: how it is computed", algorithms());
    print("operators: what is asked of the elements", operators());
    print("types: what elements are", types());
    print("engines: what simulates", engines());
    print("objectives: what a tuner makes least", objectives());
    print_machines();
    print("platforms: nodes and links that SimGrid simulates", platforms());
    print("placements: which node a simulated rank sits on", placements());
    print("random quantities: how late or slow simulated ranks are", random_quantities());
    print_kernels();
  });
}

}  // namespace bracket::tools
