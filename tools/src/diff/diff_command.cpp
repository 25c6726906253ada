// SPDX-License-Identifier: MIT

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <string>

#include "bracket/record/compare.hpp"
#include "bracket/support/error.hpp"
#include "common/commands.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "diff/diff_rows.hpp"
#include "report/report.hpp"
#include "report/report_options.hpp"

namespace bracket::tools {

namespace {

/// Exit code of `diff` for runs that differ.
constexpr int exit_code_diverged = 1;

struct DiffOptions {
  std::string a;
  std::string b;
  Index most = 20;
  bool most_given = false;
  bool json = false;
  ReportOptions report;
};

void print_json(const record::Comparison& comparison, std::size_t most) {
  RowTable table({}, true);
  nlohmann::ordered_json first{{"diverged", false}};
  if (!comparison.divergences.empty()) first = row_of(comparison, comparison.divergences[0]);
  first["calls"] = comparison.calls;
  if (!comparison.notes.empty()) first["notes"] = comparison.notes;
  table.row(std::move(first));
  for (std::size_t i = 1; i < comparison.divergences.size() && i <= most; ++i) {
    table.row(row_of(comparison, comparison.divergences[i]));
  }
  table.finish();
}

void print_words(const record::Comparison& comparison, std::size_t most) {
  const auto& all = comparison.divergences;
  for (const std::string& note : comparison.notes) std::cout << note << '\n';
  const std::string compared = counted(static_cast<std::int64_t>(comparison.calls), "call");
  if (comparison.calls == 0) {
    std::cout << "no recorded reduction can be compared\n";
    return;
  }
  if (all.empty()) {
    std::cout << fmt::format("the runs are equal{}: {}, with the same inputs and outputs\n",
                             comparison.cut ? " up to the cut" : "", compared);
    return;
  }
  std::cout << verdict(comparison, all[0]);
  const std::size_t shown = std::min(most, all.size() - 1);
  if (shown > 0) {
    RowTable table(diff_columns(), false);
    table.title("\nlater differences\n");
    for (std::size_t i = 1; i <= shown; ++i) table.row(row_of(comparison, all[i]));
    table.finish();
  }
  std::cout << fmt::format(
      "{} compared, {} differ{}\n", compared, all.size(),
      shown + 1 < all.size() ? fmt::format("; {} are not shown", all.size() - 1 - shown) : "");
}

void write_report(Report& report, const record::Comparison& comparison) {
  if (!report.wanted()) return;
  ReportTable table{.title = "Calls that differ", .columns = diff_columns()};
  table.sentences = comparison.notes;
  const auto& all = comparison.divergences;
  table.sentences.push_back(comparison.calls == 0 ? "No recorded reduction can be compared."
                            : all.empty()         ? "The runs are equal."
                                                  : verdict(comparison, all[0]));
  for (const auto& one : all) {
    if (table.rows.size() == Report::most_rows) break;
    table.rows.push_back(row_of(comparison, one));
  }
  drop_absent(table.columns, table.rows);
  if (!table.rows.empty()) table.plots.push_back(ulps_over_calls(table.rows));
  report.add(std::move(table));
  report.write();
}

void diff_command(const DiffOptions& options) {
  Report report(options.report);
  if (options.b.empty()) {
    throw Error(options.a.empty() ? "two traces were expected: the folders of two runs"
                                  : "a second trace was expected: the folder of another run");
  }
  const record::Trace a = record::read_trace(options.a);
  const record::Trace b = record::read_trace(options.b);
  const record::Comparison comparison = record::compare(a, b);
  if (comparison.cut && comparison.calls == 0) {
    throw Error(fmt::format("no call can be compared: {}", fmt::join(comparison.notes, " ")));
  }
  if (options.json) {
    print_json(comparison, options.most_given ? static_cast<std::size_t>(options.most)
                                              : comparison.divergences.size());
  } else {
    print_words(comparison, static_cast<std::size_t>(options.most));
  }
  report.fact("program", a.ranks[0].program);
  report.fact("MPI library", a.ranks[0].library);
  write_report(report, comparison);
  if (!comparison.divergences.empty()) throw CLI::RuntimeError(exit_code_diverged);
}

void add_diff(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<DiffOptions>();
  for (const auto& [name, run] : {std::pair{"A", &DiffOptions::a}, {"B", &DiffOptions::b}}) {
    command
        ->add_option(name, (*options).*run,
                     fmt::format("{} trace: a folder of `bracket record -o`",
                                 name == std::string("A") ? "first" : "second"))
        ->type_name("FOLDER");
  }
  add_whole(*command, "--most", options->most,
            "show at most so many later differences; --json shows all by default", Index{0})
      ->capture_default_str();
  add_json(*command, options->json);
  options->report.add_to(*command);
  add_footer(
      *command,
      "The cause of the first difference is one of these: inputs (those of a rank differ, so look "
      "upstream), order (the inputs are equal, the outputs differ), ranks-disagree (one all-reduce "
      "gave ranks different bits), structure (a call more, less or another one). For runs on "
      "different numbers of ranks, it is results or structure.\n"
      "If the runs differ, the exit code is 1.");
  command->callback([options, command] {
    options->report.check(*command);
    options->most_given = command->count("--most") > 0;
    diff_command(*options);
  });
}

const PlainCommand diff_code("diff", add_diff);

}  // namespace

}  // namespace bracket::tools
