// SPDX-License-Identifier: MIT

#include "tune/rule_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/mpi_library.hpp"
#include "rows/row_keys.hpp"
#include "rows/row_table.hpp"
#include "rows/text_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

bool varies_with(const Json& row, const char* what) {
  const Json& names = row.at("varies");
  return std::find(names.begin(), names.end(), what) != names.end();
}

/// "A", "B", ..., "Z", "AA", ...
std::string letter(std::size_t number) {
  std::string letters(1, static_cast<char>('A' + number % 26));
  return number < 26 ? letters : letter(number / 26 - 1) + letters;
}

std::string letter_of(const std::vector<std::string>& orders, const std::string& order) {
  return letter(
      static_cast<std::size_t>(std::find(orders.begin(), orders.end(), order) - orders.begin()));
}

/// The known algorithms that have an order, in words.
std::string known_algorithms_of(const RevealedAlgorithms& found, const std::string& order) {
  for (const Json& row : found.rows) {
    if (order_of_items(row) != order || row.at("algorithms").empty()) continue;
    return fmt::format(", the order of {}",
                       fmt::join(row.at("algorithms").get<std::vector<std::string>>(), ", "));
  }
  return "";
}

/// The cell of a time: `3.41 A*` if it is chosen, with the mark of the order.
std::string cell_of(const RevealedAlgorithms& found, const std::vector<std::string>& orders,
                    std::size_t algorithm, std::size_t length, bool chosen,
                    std::set<std::string>& marks) {
  const AlgorithmAtSize& at = found.algorithms[algorithm].sizes[length];
  const std::string mark = at.order ? letter_of(orders, *at.order) : at.fixed ? "-" : "?";
  marks.insert(mark);
  return cell_text({"measured_seconds", "", Column::Shown::microseconds},
                   found.row(algorithm, length)) +
         ' ' + mark + (chosen ? '*' : ' ');
}

/// "recursive_doubling from 0 items on, rabenseifner from 4096 items on".
std::string rules_in_words(const RankRules& rules) {
  std::vector<std::string> words;
  for (const AlgorithmRule& rule : rules.rules) {
    words.push_back(rules.rules.size() == 1 ? rule.algorithm
                                            : fmt::format("{} from {} on", rule.algorithm,
                                                          counted(rule.from_items, "item")));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

bool is_revealed_row(const Json& row) {
  const auto member = [&](const char* key) { return row.value(key, Json()); };
  return member("items").is_number_integer() && member("varies").is_array() &&
         member("algorithms").is_array() && member("library").is_string() && row.contains("tree") &&
         (row["tree"].is_null() || (row["tree"].is_string() && member("trees").is_array()));
}

bool is_algorithm_row(const Json& row) {
  const auto member = [&](const char* key) { return row.value(key, Json()); };
  return is_revealed_row(row) && member("library_algorithm").is_string() &&
         member("algorithm_number").is_number_integer() && member("library_file").is_string() &&
         member("measured_seconds").is_number() && member("measured_low_seconds").is_number() &&
         member("measured_high_seconds").is_number();
}

bool has_fixed_orders(const Json& row) {
  return row.at("tree").is_string() && !varies_with(row, "run") && !varies_with(row, "rank");
}

std::string order_of_items(const Json& row) {
  if (!has_fixed_orders(row) || varies_with(row, "item")) return "";
  return row.at("tree");
}

RevealedAlgorithms revealed_algorithms(std::vector<Json> rows, const std::vector<Index>& lengths) {
  RevealedAlgorithms found{std::move(rows), lengths, {}};
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const Json& row = found.rows[i];
    const std::string name = row.at("library_algorithm");
    if (i % lengths.size() == 0) {
      found.algorithms.push_back({name, row.at("algorithm_number"), name != default_algorithm});
    }
    MeasuredAlgorithm& algorithm = found.algorithms.back();
    if (algorithm.name != name || row.at("items") != lengths[i % lengths.size()]) {
      throw Error("the rows of `bracket reveal --algorithms` are not in their sequence");
    }
    AlgorithmAtSize at{.fixed = has_fixed_orders(row),
                       .seconds = row.at("measured_seconds"),
                       .low = row.at("measured_low_seconds"),
                       .high = row.at("measured_high_seconds")};
    if (const std::string order = order_of_items(row); !order.empty()) at.order = order;
    algorithm.sizes.push_back(std::move(at));
  }
  if (found.rows.size() % lengths.size() != 0) {
    throw Error("the rows of `bracket reveal --algorithms` are not complete");
  }
  return found;
}

RankRules rules_of(const RevealedAlgorithms& found, const AlgorithmChoice& choice, Rank ranks) {
  RankRules rules{ranks, {}};
  for (std::size_t i = 0; i < choice.chosen.size(); ++i) {
    if (i > 0 && choice.chosen[i] == choice.chosen[i - 1]) continue;
    const MeasuredAlgorithm& algorithm = found.algorithms[choice.chosen[i]];
    rules.rules.push_back({i == 0 ? 0 : found.lengths[i], algorithm.name, algorithm.number});
  }
  return rules;
}

void print_choice(const RevealedAlgorithms& found, const AlgorithmChoice& choice, Rank ranks,
                  bool one_order) {
  const auto orders = orders_of(found.algorithms);
  const Json& first = found.rows.front();
  std::cout << fmt::format("{} on {} by {}: median times in us by number of items\n",
                           first.at("collective").get<std::string>(), counted(ranks, "rank"),
                           found.library());
  std::vector<TextTable::Alignment> columns(found.lengths.size() + 1, {TextTable::Side::right});
  columns.front().side = TextTable::Side::left;
  TextTable table(columns);
  std::vector<std::string> headings{"algorithm"};
  for (const Index length : found.lengths) headings.push_back(fmt::format("{}  ", length));
  table.line(headings);
  std::set<std::string> marks;
  for (std::size_t i = 0; i < found.algorithms.size(); ++i) {
    std::vector<std::string> cells{found.algorithms[i].name};
    for (std::size_t length = 0; length < found.lengths.size(); ++length) {
      cells.push_back(cell_of(found, orders, i, length, choice.chosen[length] == i, marks));
    }
    table.line(cells);
  }
  std::cout << table.text() << "*: chosen\n";
  for (const std::string& order : orders) {
    std::cout << fmt::format("{}: {}{}\n", letter_of(orders, order), order,
                             known_algorithms_of(found, order));
  }
  if (marks.contains("-")) std::cout << "-: items have several orders\n";
  if (marks.contains("?")) std::cout << "?: the order varies from run to run, or is not known\n";
  const RankRules rules = rules_of(found, choice, ranks);
  const std::string slowdown =
      fmt::format("{:.2f} times the time of the fastest algorithm in any order (geometric mean)",
                  choice.slowdown);
  if (!one_order) {
    std::cout << fmt::format("rules: {}; {}\n", rules_in_words(rules), slowdown);
    return;
  }
  std::cout << fmt::format("rules for order {}: {}; {}\n", letter_of(orders, choice.order),
                           rules_in_words(rules), slowdown);
  const auto others = std::count_if(
      found.algorithms.begin(), found.algorithms.end(), [&](const MeasuredAlgorithm& one) {
        return one.candidate &&
               std::all_of(one.sizes.begin(), one.sizes.end(),
                           [&](const AlgorithmAtSize& at) { return at.order == choice.order; });
      });
  if (others == 1 && rules.rules.size() == 1) {
    std::cout << fmt::format("no other algorithm has order {} at all of these lengths\n",
                             letter_of(orders, choice.order));
  }
}

void print_choice_as_json(const RevealedAlgorithms& found, const AlgorithmChoice& choice,
                          Rank ranks) {
  const auto orders = orders_of(found.algorithms);
  const auto print = [](const Json& row) {
    check_row(row);
    std::cout << row.dump() << '\n';
  };
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    Json row = found.rows[i];
    if (const std::string order = order_of_items(row); !order.empty()) {
      row["order_group"] = letter_of(orders, order);
    }
    row["chosen"] = choice.chosen[i % found.lengths.size()] == i / found.lengths.size();
    print(row);
  }
  Json rules = Json::array();
  for (const AlgorithmRule& rule : rules_of(found, choice, ranks).rules) {
    rules.push_back({{"from_items", rule.from_items},
                     {"from_bytes", rule.from_items * 8},
                     {"library_algorithm", rule.algorithm}});
  }
  Json row{{"collective", found.rows.front().at("collective")},
           {"ranks", ranks},
           {"library", found.library()},
           {"rules", std::move(rules)}};
  if (!choice.order.empty()) {
    row["tree"] = choice.order;
    row["order_group"] = letter_of(orders, choice.order);
  }
  print(row);
}

}  // namespace bracket::tools
