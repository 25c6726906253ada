// SPDX-License-Identifier: MIT

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/model/algorithm.hpp"
#include "bracket/model/order.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "digits/digits_rows.hpp"
#include "digits/exact_reference.hpp"
#include "report/report.hpp"
#include "report/report_options.hpp"
#include "report/row_plots.hpp"
#include "rows/row_keys.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

struct DigitsOptions {
  InputOptions input;
  std::vector<std::string> orders;
  std::vector<std::string> algorithms;
  std::string type = "float64";
  ReportOptions report;
  bool json = false;
};

/// The algorithms of the options, for `elements` elements. Throws `Error` for unknown names, for
/// orders without a bracketing, and for an algorithm that is given twice.
std::vector<Algorithm> algorithms_of(const DigitsOptions& options, Index elements) {
  std::vector<std::string> names = options.algorithms;
  if (names.empty() && options.orders.empty()) {
    names = {"tree", "chunked-tree:64", "sequential"};
    for (const ArithmeticEntry& row : arithmetics) {
      // There are no products, which binned-exact adds in another way than binned.
      if (row.arithmetic == Arithmetic::binned_exact || row.arithmetic == Arithmetic::pre_rounded) {
        continue;
      }
      names.emplace_back(row.entry.name);
    }
  }
  std::vector<Algorithm> all;
  const auto add = [&](const Algorithm& algorithm, const std::string& said) {
    if (algorithm.arithmetic == Arithmetic::plain &&
        !make_order(algorithm.order, elements).fixed()) {
      throw Error(text(said, ": the digits of a sum of floats depend on the bracketing: choose ",
                       fixed_orders(), ", or another algorithm"));
    }
    if (algorithm.arithmetic == Arithmetic::pre_rounded) {
      throw Error(text(said, ": digits does not know sums by two reductions: take binned"));
    }
    for (const Algorithm& other : all) {
      if (other == algorithm) throw Error(text(said, " is given twice"));
    }
    all.push_back(algorithm);
  };
  for (const std::string& order : options.orders) {
    add({make_order(order, elements).spec()}, text("--order ", excerpt(order)));
  }
  for (const std::string& name : names) {
    add(make_algorithm(name), text("--algorithm ", excerpt(name)));
  }
  return all;
}

std::vector<double> read_elements(const input::Input& input, Type type) {
  std::vector<double> elements;
  try {
    elements.resize(static_cast<std::size_t>(input.elements()));
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw Error(text("no memory for ", input.elements(), " elements of 8 bytes"));
  }
  input.read({0, input.elements()}, elements);
  if (type == Type::float32) {
    for (double& element : elements) element = static_cast<float>(element);
  }
  return elements;
}

/// Explains numbers that are missing, in sentences.
std::vector<std::string> notes_of(const input::Input& input, std::span<const double> elements,
                                  const ExactReference& exact, const std::vector<Json>& rows) {
  const std::string_view type = name_of(exact.type());
  if (const auto special = exact.first_special()) {
    return {fmt::format("{}, is {} in {}: every sum is {} and has no digits.",
                        input.place_of(*special), elements[static_cast<std::size_t>(*special)],
                        type, std::isnan(exact.sum()) ? "a NaN" : "an infinity")};
  }
  if (!exact.finite()) {
    return {fmt::format("The exact sum is too large for {}: it has no digits.", type)};
  }
  std::vector<std::string> notes;
  if (exact.sum() == 0 && exact.largest() != 0) {
    notes.emplace_back(
        "The exact sum is 0 and the elements are not: the condition number is infinite, and a sum "
        "other than 0 has no correct digit.");
  }
  std::vector<std::string> overflowing;
  for (const Json& row : rows) {
    const auto sum = row.at("sum").get<std::string>();
    if (sum.find("inf") == std::string::npos && sum.find("nan") == std::string::npos) continue;
    overflowing.push_back(row.at("algorithm").get<std::string>());
  }
  if (!overflowing.empty()) {
    notes.push_back(fmt::format(
        "A partial sum overflows, so that the bound does not hold: {}. With binned, none does.",
        fmt::join(overflowing, ", ")));
  }
  return notes;
}

std::string title_of(const input::Input& input, const ExactReference& exact) {
  return fmt::format(
      "{} of {}: {}\nexact sum {} = {}{}", counted(exact.elements(), "element"),
      name_of(exact.type()), input.description(), exact.sum(), hexadecimal(exact.sum()),
      exact.finite() ? fmt::format(", condition number {:.4g}", exact.condition()) : "");
}

viz::Plot digits_plot(const std::vector<Json>& rows) {
  viz::Plot plot =
      points_by_row(rows, {{"digits", "true digits"}, {"estimated_digits", "estimated digits"}},
                    RowNames::by(rows, {"algorithm"}), viz::PlotUnit::number);
  plot.title = "Decimal digits of each sum";
  plot.x.title = "decimal digits";
  plot.x.logarithmic = false;
  return plot;
}

void digits_command(const DigitsOptions& options) {
  const Type type = type_named(options.type);
  if (type != Type::float64 && type != Type::float32) {
    throw Error(text("--type ", options.type, ": digits is for float64 and float32"));
  }
  runtime::check_floating_point();
  const auto input = options.input.open(1);
  const std::vector<Algorithm> algorithms = algorithms_of(options, input->elements());
  Report report(options.report);
  Progress progress;
  progress.say("exact sum ...");
  const std::vector<double> elements = read_elements(*input, type);
  const ExactReference exact(elements, type);
  RowTable table(digits_columns(), false);
  for (const Algorithm& algorithm : algorithms) {
    progress.say(text(algorithm.spec(), " ..."));
    table.row(digits_row(elements, exact, algorithm));
  }
  progress.clear();
  const std::vector<std::string> notes = notes_of(*input, elements, exact, table.rows());
  if (options.json) {
    const double condition = exact.finite() ? exact.condition() : NAN;
    Json row{{"elements", exact.elements()},
             {"input", input->description()},
             {"type", name_of(type)},
             {"exact", hexadecimal(exact.sum())},
             {"condition", std::isfinite(condition) ? Json(condition) : Json()},
             {"rows", table.rows()},
             {"notes", notes}};
    RowTable({}, true).row(std::move(row));
  } else {
    table.title(title_of(*input, exact));
    table.finish();
    for (const std::string& note : notes) std::cout << note << '\n';
  }
  if (!report.wanted()) return;
  report.add({.title = "Digits of the sum",
              .sentences = notes,
              .columns = digits_columns(),
              .rows = table.rows(),
              .plots = {digits_plot(table.rows())}});
  report.fact("elements",
              text(exact.elements(), " of ", name_of(type), ", ", input->description()));
  report.fact("exact sum", hexadecimal(exact.sum()));
  if (exact.finite()) report.fact("condition number", fmt::format("{:.4g}", exact.condition()));
  report.write();
}

void add_digits(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<DigitsOptions>();
  options->input.add_to(*command, InputOptions::names_with_n);
  {
    const HelpGroup group(*command, "Arithmetic");
    auto* const order = add_name_list(
        *command, "--order", options->orders,
        "bracketings to compare, such as tree or explicit:0:0:2; `bracket list orders` explains "
        "each. A file.json of `bracket reveal` has the order of a library");
    read_orders(*order, [](const RankedOrder& read) { return read.order.spec(); });
    add_name_list(*command, "--algorithm", options->algorithms,
                  "algorithms to compare; a name of --order means the same here. `bracket list "
                  "algorithms` explains each. Without --order and --algorithm: tree, "
                  "chunked-tree:64, sequential and every other algorithm");
    command->add_option("--type", options->type, "type of the elements: float64 or float32")
        ->capture_default_str()
        ->type_name("NAME");
  }
  add_json(*command, options->json);
  options->report.add_to(*command);
  add_footer(
      *command,
      "digits adds the elements exactly and by each algorithm. The table has the distance of each "
      "sum from the exact one in units in the last place (ulps), the proven bound on it, and the "
      "number of correct decimal digits. The condition number, the sum of all |x| divided by the "
      "|sum|, is the factor by which relative errors of the elements can grow.\n"
      "The estimated digits do without the exact sum: they are those that three samples with "
      "random "
      "rounding share, by Student's test at 95 %. A cancellation is an addition whose result has "
      "at "
      "least four digits less than its operands.");
  command->callback([options, command] {
    options->report.check(*command);
    digits_command(*options);
  });
}

const PlainCommand digits_code("digits", add_digits);

}  // namespace

}  // namespace bracket::tools
