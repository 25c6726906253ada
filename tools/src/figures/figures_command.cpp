// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "common/programs.hpp"
#include "figures/source_figures.hpp"
#include "report/report.hpp"
#include "rows/row_table.hpp"
#include "sweep/jobs_option.hpp"

namespace bracket::tools {

namespace {

struct FiguresOptions {
  FigureSettings settings;
  std::vector<std::string> only;
  bool json = false;
  ReportOptions report;
};

/// Returns the figures that are wanted, in the sequence of the table. Throws `Error` for an unknown
/// name.
std::vector<SourceFigureEntry> wanted(const std::vector<std::string>& only) {
  std::vector<SourceFigureEntry> entries(source_figures().begin(), source_figures().end());
  if (only.empty()) return entries;
  for (const std::string& name : only) {
    if (std::none_of(entries.begin(), entries.end(),
                     [&](const auto& row) { return row.entry.name == name; })) {
      throw Error(unknown_name("figure", name, source_figures()));
    }
  }
  std::erase_if(entries, [&](const auto& row) {
    return std::find(only.begin(), only.end(), row.entry.name) == only.end();
  });
  return entries;
}

void make_figures(const FiguresOptions& options) {
  Report report(options.report);
  const FigureRuns runs(options.settings);
  const auto entries = wanted(options.only);
  auto columns = SourceFigure::columns();
  columns.insert(columns.begin(), {"figure", "figure"});
  RowTable table(columns, options.json);
  Progress progress;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const CatalogueEntry& entry = entries[i].entry;
    progress.say(fmt::format("{}, {} of {} ...", entry.name, i + 1, entries.size()));
    const SourceFigure figure = entries[i].make(runs);
    progress.clear();
    for (const auto& row : figure.table().rows) {
      nlohmann::ordered_json named{{"figure", entry.name}};
      named.update(row);
      table.row(std::move(named));
    }
    ReportTable shown = figure.table();
    shown.title = text(entry.source, ": ", entry.summary);
    report.add(std::move(shown));
  }
  table.finish();
  report.write();
}

void add_figures(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<FiguresOptions>();
  FigureSettings& settings = options->settings;
  settings.launcher = default_launcher();
  settings.ranks = usable_cores();
  {
    const HelpGroup group(*command, "Figures");
    add_name_list(*command, "--only", options->only,
                  "figures to make; `bracket list figures` explains each (default: all)")
        ->type_name("NAME,...");
    command->add_flag("--quick", settings.quick, "fewer and smaller sizes: some seconds in all");
    command
        ->add_option("--data", settings.data,
                     "folder with published/thesis_p256.csv, the thesis's published times; figures "
                     "that need these times leave them out without it, and say so")
        ->type_name("FOLDER");
  }
  {
    const HelpGroup group(*command, "Measurement");
    add_whole(*command, "-p,--ranks", settings.ranks,
              "number of ranks on which sums are measured (default: the number of cores)", Rank{1})
        ->type_name("P")
        ->default_str("");
    command->add_option("--launcher", settings.launcher, "command that starts the measured runs")
        ->capture_default_str()
        ->type_name("COMMAND");
    command->add_flag("--oversubscribe", settings.oversubscribe,
                      "let sums run on more ranks than cores");
  }
  add_json(*command, options->json);
  options->report.add_to(*command);
  add_footer(
      *command,
      "figures regenerates the tables and figures of three papers: C. Stelz, "
      "Core-Count Independent Reproducible Reduce (the thesis), 2022; R. Rabenseifner and J. L. "
      "Traeff, More Efficient Reduction Algorithms, 2004; and J. Demmel and H. D. Nguyen, "
      "Numerical "
      "Reproducibility and Accuracy at ExaScale, 2013. Its rows have the numbers that the papers "
      "print beside the same numbers by Bracket's commands, and the reason for a difference. "
      "--report adds the plots.\n"
      "It predicts with other subcommands and measures on the ranks of the launcher, which it "
      "starts itself. Without --quick, it takes some minutes.");
  command->callback([options, command] {
    options->report.check(*command);
    std::error_code none;
    if (command->count("--data") > 0 &&
        !std::filesystem::is_directory(options->settings.data, none)) {
      throw Error(text("--data '", options->settings.data.string(), "': a folder was expected"));
    }
    make_figures(*options);
  });
}

const PlainCommand figures_code("figures", add_figures);

}  // namespace

}  // namespace bracket::tools
