// SPDX-License-Identifier: MIT

#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "cost/cost_options.hpp"
#include "cost/cost_rows.hpp"
#include "cost/cost_tables.hpp"
#include "cost/loop_slowdowns.hpp"
#include "report/report.hpp"

namespace bracket::tools {

namespace {

void print(const nlohmann::ordered_json& row, std::size_t most) {
  for (const std::string& sentence : cost_sentences(row)) std::cout << sentence << '\n';
  for (CostTable& made : cost_tables(row, most)) {
    if (made.rows.empty()) continue;
    RowTable table(made.columns, false);
    table.title('\n' + made.title);
    for (auto& one : made.rows) table.row(std::move(one));
    table.finish();
  }
  std::cout << '\n';
}

void add_to_report(Report& report, const nlohmann::ordered_json& row) {
  const auto ranks = counted(row.at("ranks").get<Index>(), "rank");
  std::vector<std::string> sentences = cost_sentences(row);
  for (CostTable& made : cost_tables(row, Report::most_rows)) {
    if (made.rows.empty()) continue;
    ReportTable table{.title = text(made.title, ", ", ranks),
                      .sentences = std::exchange(sentences, {}),
                      .columns = made.columns,
                      .rows = made.rows};
    drop_absent(table.columns, table.rows);
    if (made.title == "Plans") table.plots.push_back(change_by_plan(table.rows));
    report.add(std::move(table));
  }
}

void cost_command(const CostOptions& options) {
  options.check();
  LocalSums sums = options.local_sums();
  Report report(options.report);
  const record::Trace trace = record::read_trace(options.trace);
  RecordedRun run = recorded_run(trace);
  if (sums.elements > 0) set_slowdowns(run, sums.terms.size());
  const Replacements replacements(options.machine.machine, std::move(sums), options.library);
  report.fact("program", trace.ranks[0].program);
  report.fact("MPI library", trace.ranks[0].library);
  report.fact("machine", options.machine.line());
  Progress progress;
  RowTable json({}, true);
  std::vector<Rank> counts = options.ranks;
  if (counts.empty()) counts.push_back(run.ranks());
  // Refused before anything is printed.
  for (const Rank ranks : counts) {
    static_cast<void>(on_more_ranks(run, ranks, options.scaling));
  }
  bool first = true;
  for (const Rank ranks : counts) {
    auto row = cost_row(options, run, replacements, ranks, progress);
    progress.clear();
    if (report.wanted()) add_to_report(report, row);
    if (options.json) {
      auto& sites = row.at("sites").get_ref<nlohmann::ordered_json::array_t&>();
      const auto most = static_cast<std::size_t>(options.most);
      if (options.most_given && sites.size() > most) sites.resize(most);
      json.row(std::move(row));
    } else {
      if (std::exchange(first, false)) std::cout << options.machine.line() << '\n';
      print(row, static_cast<std::size_t>(options.most));
    }
  }
  if (options.json) json.finish();
  warn_of_defaults(options.machine.source, options.machine.figures(), options.machine.given);
  report.write();
}

void add_cost(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<CostOptions>();
  options->add_to(*command);
  command->callback([options, command] {
    options->report.check(*command);
    options->most_given = command->count("--most") > 0;
    cost_command(*options);
  });
}

const PlainCommand cost_code("cost", add_cost);

}  // namespace

}  // namespace bracket::tools
