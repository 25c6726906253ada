// SPDX-License-Identifier: MIT

#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "report/command_words.hpp"
#include "report/compiler.hpp"
#include "rows/csv.hpp"
#include "rows/row_keys.hpp"
#include "version.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_bytes = 980'000;       // of a page
constexpr std::size_t most_points = 2'400;        // in all plots together
constexpr std::size_t most_points_of_plot = 900;  // in one of them
constexpr std::size_t most_lines = 1'000;         // of a table

bool is_plain(const Json& value) { return !value.is_structured(); }

/// Returns the keys of plain values, in the sequence in which the rows first have them.
std::vector<std::string> plain_keys(const std::vector<Json>& rows) {
  std::vector<std::string> keys;
  std::set<std::string> known;
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items()) {
      if (is_plain(value) && known.insert(key).second) keys.push_back(key);
    }
  }
  return keys;
}

std::string csv_of(const std::vector<Json>& rows, std::size_t count) {
  const auto keys = plain_keys(rows);
  std::string all = csv_line(keys) + '\n';
  for (std::size_t i = 0; i < count; ++i) all += csv_line(cells_of(rows[i], keys)) + '\n';
  return all;
}

/// Whether a key is one of the rows of `--json`: rows of a report may have further numbers.
bool is_row_key(const std::string& key) {
  return std::any_of(row_keys().begin(), row_keys().end(),
                     [&](const RowKeyEntry& entry) { return entry.key == key; });
}

/// Names the values that all rows have and no column shows.
std::string common_values(const std::vector<Json>& rows, const std::vector<Column>& columns) {
  if (rows.empty()) return "";
  std::string all;
  for (const auto& [key, value] : rows.front().items()) {
    const bool has_column =
        std::any_of(columns.begin(), columns.end(),
                    [&, &name = key](const Column& column) { return column.key == name; });
    const bool is_common =
        std::all_of(rows.begin(), rows.end(), [&, &name = key, &first = value](const Json& row) {
          const auto found = row.find(name);
          return found != row.end() && *found == first;
        });
    if (!is_plain(value) || has_column || !is_common || !is_row_key(key)) continue;
    all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", key, cell_of(value));
  }
  return all.empty() ? "" : fmt::format("In all rows: {}.", all);
}

viz::PageTable table_of(const ReportTable& table, std::size_t count) {
  auto columns = table.columns;
  drop_absent(columns, table.rows);
  viz::PageTable page;
  for (const Column& column : columns) {
    page.headings.push_back(column.heading);
    page.numeric.push_back(!has_words(column, table.rows));
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto& line = page.lines.emplace_back();
    for (const Column& column : columns) line.push_back(cell_text(column, table.rows[i]));
  }
  if (count < table.rows.size()) {
    page.note = fmt::format("The first {} of {} rows.", count, table.rows.size());
  }
  return page;
}

std::size_t points_in(const viz::Plot& plot) {
  std::size_t count = plot.cells.size();
  for (const viz::PlotSeries& series : plot.series) count += series.points.size();
  return count;
}

/// Returns the largest number of points that a plot may have. Plots with fewer points leave the
/// rest to the others.
std::size_t points_of_each(const std::vector<ReportTable>& tables) {
  std::vector<std::size_t> counts;
  for (const ReportTable& table : tables) {
    for (const viz::Plot& plot : table.plots) counts.push_back(points_in(plot));
  }
  std::sort(counts.begin(), counts.end());
  std::size_t left = most_points;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t each = left / (counts.size() - i);
    if (counts[i] > each) return std::min(most_points_of_plot, each);
    left -= counts[i];
  }
  return most_points_of_plot;
}

std::string capitalized(std::string words) {
  if (!words.empty() && words.front() >= 'a' && words.front() <= 'z') words.front() += 'A' - 'a';
  return words;
}

/// Returns a title as a part of file names: letters, digits and hyphens.
std::string file_words(const std::string& title) {
  constexpr std::size_t longest = 48;
  std::string words;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (words.size() >= longest) break;
    if (letter || capital) {
      words += capital ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!words.empty() && words.back() != '-') {
      words += '-';
    }
  }
  while (words.ends_with('-')) words.pop_back();
  return words;
}

}  // namespace

Report::Report(const ReportOptions& options, int ranks) : options_(options), ranks_(ranks) {
  if (!wanted()) return;
  program_ = PlotProgram::take();
  const std::string simgrid = BRACKET_SIMGRID_VERSION;
  fact("versions", fmt::format("bracket {}, {}, {}{}", BRACKET_VERSION, compiler,
                               simgrid.empty() ? "" : fmt::format("SimGrid {}, ", simgrid),
                               program_->version()));
}

void Report::fact(const std::string& name, const std::string& value) {
  if (!wanted() || value.empty()) return;
  for (std::size_t from = 0; from <= value.size();) {
    const std::size_t end = std::min(value.find('\n', from), value.size());
    const std::pair fact{name, value.substr(from, end - from)};
    if (std::find(facts_.begin(), facts_.end(), fact) == facts_.end()) facts_.push_back(fact);
    from = end + 1;
  }
}

void Report::add(ReportTable table) {
  if (!wanted()) return;
  take_environments(table.rows);
  tables_.push_back(std::move(table));
}

void Report::take_environments(const std::vector<Json>& rows) {
  for (const Json& row : rows) {
    const auto found = row.find("environment");
    if (found == row.end() || !found->is_object()) continue;
    const auto part = [&](const char* key) {
      const auto value = found->find(key);
      return value == found->end() ? std::string("?") : cell_of(*value);
    };
    const auto count = [&](const char* key, const char* what) {
      return counted(found->value(key, std::int64_t{0}), what);
    };
    fact(
        "measured on",
        fmt::format("{}, {} for {} on a host, {}, {}{}{}", part("processor"),
                    count("cores_available", "core"), count("ranks_on_host", "rank"),
                    part("mpi_library"), part("compiler"),
                    found->value("shares_memory", false) ? ", short messages by shared memory" : "",
                    row.value("oversubscribed", false) ? ", more ranks than cores" : ""));
  }
}

std::vector<std::vector<viz::Figure>> Report::figures() {
  const std::size_t most = points_of_each(tables_);
  std::vector<std::pair<std::string, viz::Plot>> plots;
  std::vector<std::string> scripts;
  std::vector<std::vector<viz::Figure>> figures;
  for (const ReportTable& table : tables_) {
    figures.emplace_back();
    for (const viz::Plot& asked : table.plots) {
      viz::Plot plot = viz::fit(asked, most);
      plot.title = capitalized(plot.title);
      if (!viz::drawable(plot)) continue;
      const std::string name = fmt::format("plot-{}-{}", plots.size() + 1, file_words(plot.title));
      scripts.push_back(viz::page_script(plot, name));
      figures.back().push_back({plot.title, name, plot.note});
      plots.emplace_back(name, std::move(plot));
    }
  }
  const auto drawn = program_->draw(scripts);
  std::size_t next = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    for (viz::Figure& figure : figures[i]) {
      figure.svg = viz::page_svg(drawn.at(next++), figure.svg, figure.title);
    }
    const auto& pictures = tables_[i].pictures;
    figures[i].insert(figures[i].end(), pictures.begin(), pictures.end());
  }
  if (!options_.sources.empty()) write_sources(plots);
  return figures;
}

void Report::write_sources(const std::vector<std::pair<std::string, viz::Plot>>& plots) const {
  namespace fs = std::filesystem;
  const fs::path folder = options_.sources;
  std::error_code failure;
  fs::create_directory(folder, failure);
  if (failure) {
    throw Error(
        text("--report-sources ", options_.sources, ": cannot be made: ", failure.message()));
  }
  for (const auto& [name, plot] : plots) {
    support::write_file(folder / (name + ".csv"), viz::plot_csv(plot));
    support::write_file(folder / (name + ".gp"), viz::plot_script(plot, name));
  }
}

std::string Report::page(const std::vector<std::vector<viz::Figure>>& figures,
                         std::size_t rows) const {
  viz::Page page;
  const auto words = command_words();
  page.title = "bracket " + (words.size() > 1 ? words[1] : std::string());
  page.command = command_line_of(words, ranks_);
  page.facts = facts_;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const ReportTable& table = tables_[i];
    const std::size_t count = std::min(rows, table.rows.size());
    viz::PageSection section;
    section.title = capitalized(table.title);
    section.sentences = table.sentences;
    section.sentences.push_back(common_values(table.rows, table.columns));
    if (table.rows.empty()) section.sentences.emplace_back("There are no rows.");
    section.figures = figures[i];
    section.table = table_of(table, std::min(count, most_lines));
    if (!table.rows.empty()) section.csv = csv_of(table.rows, count);
    if (count < table.rows.size()) {
      section.csv_note = fmt::format(
          "The first {} of {} rows: a report has less than 1 MB. The output of the command has all "
          "rows.",
          count, table.rows.size());
    }
    page.sections.push_back(std::move(section));
  }
  return viz::html(page);
}

void Report::write() {
  if (!wanted()) return;
  const auto drawn = figures();
  std::size_t rows = 0;
  for (const ReportTable& table : tables_) rows = std::max(rows, table.rows.size());
  std::string written = page(drawn, rows);
  while (written.size() > most_bytes && rows > 0) {
    // Aim a little lower than the rule of three, since the rows have different lengths.
    const std::size_t fixed = page(drawn, 0).size();
    const double share = fixed >= most_bytes ? 0
                                             : static_cast<double>(most_bytes - fixed) /
                                                   static_cast<double>(written.size() - fixed);
    rows = static_cast<std::size_t>(0.95 * share * static_cast<double>(rows));
    written = page(drawn, rows);
  }
  if (written.size() > most_bytes) {
    throw Error(text("--report ", options_.file, ": the plots alone take ", written.size(),
                     " bytes, more than ", most_bytes, ": name fewer plans, engines or values"));
  }
  support::write_file(options_.file, written);
}

}  // namespace bracket::tools
