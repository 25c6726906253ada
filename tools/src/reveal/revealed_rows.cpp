// SPDX-License-Identifier: MIT

#include "reveal/revealed_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bracket/model/known_orders.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "reveal/library_algorithms.hpp"
#include "rows/row_keys.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

std::vector<const KnownOrder*> algorithms_of(const RevealedSum& sum, const ItemOrders& found) {
  if (!found.known()) return {};
  std::vector<RankedOrder> orders;
  for (const ItemClass& one : found.classes) orders.push_back(*one.order);
  auto rows = recognise(orders, sum.root);
  // By order alone, a binomial tree may be recursive doubling, which reduces seldom are.
  if (sum.collective == SumCollective::reduce) {
    std::stable_partition(rows.begin(), rows.end(), [](const KnownOrder* row) {
      return row->entry.name == std::string_view("binomial");
    });
  }
  return rows;
}

std::vector<std::string> variations(const std::vector<ItemOrders>& sizes, std::size_t which) {
  const ItemOrders& found = sizes[which];
  std::vector<std::string> names;
  // An order that changes between calls says nothing of items and sizes.
  if (found.varies_by_run) {
    names.emplace_back("run");
  } else if (found.varies_by_item()) {
    names.emplace_back("item");
  }
  if (found.varies_by_rank) names.emplace_back("rank");
  const bool by_size =
      !found.varies_by_run && std::any_of(sizes.begin(), sizes.end(), [&](const ItemOrders& other) {
        return !other.varies_by_run && !found.same_orders(other);
      });
  if (by_size) names.emplace_back("size");
  return names;
}

/// Items as ranges: `0-9, 20-29`.
std::string ranges_of(const std::vector<Index>& items) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < items.size();) {
    std::size_t last = i;
    while (last + 1 < items.size() && items[last + 1] == items[last] + 1) ++last;
    words.push_back(last == i ? fmt::format("{}", items[i])
                              : fmt::format("{}-{}", items[i], items[last]));
    i = last + 1;
  }
  constexpr std::size_t shown = 8;
  if (words.size() > shown) {
    words.resize(shown);
    words.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Json row_of(const RevealedSum& sum, const std::vector<ItemOrders>& sizes,
            const RevealedTimes& times, std::size_t which) {
  const ItemOrders& found = sizes[which];
  Json row{{"collective", name_of(sum.collective)},
           {"ranks", sum.ranks},
           {"items", found.items},
           {"varies", variations(sizes, which)}};
  if (sum.collective == SumCollective::reduce) row["root"] = sum.root;
  std::vector<std::string> names;
  for (const KnownOrder* known : algorithms_of(sum, found)) names.emplace_back(known->entry.name);
  row["algorithm"] = names.empty() ? Json() : Json(names.front());
  row["algorithms"] = names;
  row["tree"] = nullptr;
  if (found.known()) {
    const RankedOrder& first = *found.classes.front().order;
    row["tree"] = describe(first);
    row["order"] = first.order.spec();
    if (const auto name = rank_order_of(first); name != "identity") row["rank_order"] = name;
    Json trees = Json::array();
    for (const ItemClass& one : found.classes) {
      trees.push_back({{"items", ranges_of(one.items)}, {"tree", describe(*one.order)}});
    }
    row["trees"] = std::move(trees);
  }
  row["probes"] = found.probes;
  row["library_calls"] = found.calls;
  if (!times.samples.empty()) tell_times(row, times.samples[which], times.measurement);
  row["library"] = sum.library;
  if (!sum.preloaded.empty()) row["preloaded"] = sum.preloaded;
  if (!sum.algorithm.empty()) {
    row["library_algorithm"] = sum.algorithm;
    row["algorithm_number"] = sum.number;
    row["library_file"] = library_file();
  }
  return row;
}

/// Draws the additions of `bracket` with a line for each.
void draw(const RankedOrder& order, Range bracket, const std::string& first,
          const std::string& rest, std::string& lines) {
  if (bracket.size() == 1) {
    lines += fmt::format("{}{}\n", first, order.ranks[static_cast<std::size_t>(bracket.begin)]);
    return;
  }
  const Index middle = order.order.split(bracket);
  lines += first + "+\n";
  draw(order, {bracket.begin, middle}, rest + "|-- ", rest + "|   ", lines);
  draw(order, {middle, bracket.end}, rest + "`-- ", rest + "    ", lines);
}

void print_orders(const RevealedSum& sum, const ItemOrders& found) {
  constexpr std::size_t shown = 8;
  constexpr Rank most_drawn = 16;
  for (std::size_t i = 0; i < std::min(found.classes.size(), shown); ++i) {
    const auto& [items, order] = found.classes[i];
    std::cout << fmt::format(
        "  {} {}: {}\n", items.size() == 1 ? "item" : "items", ranges_of(items),
        order ? describe(*order) : "no tree of additions of two numbers gives these results");
  }
  if (found.classes.size() > shown) {
    std::cout << fmt::format("  and {} more orders\n", found.classes.size() - shown);
  }
  const ItemClass& first = found.classes.front();
  if (!found.known() || sum.ranks > most_drawn) return;
  std::string lines;
  draw(*first.order, {0, first.order->order.elements()}, "  ", "  ", lines);
  std::cout << lines;
}

std::string algorithm_sentence(const RevealedSum& sum, const ItemOrders& found) {
  if (found.varies_by_run) return "the order varies from run to run";
  if (!found.known()) return "the order is not known";
  const auto rows = algorithms_of(sum, found);
  if (rows.empty()) return sum.ranks == 1 ? "one rank" : "the order is that of no known algorithm";
  std::string words = fmt::format("the order is that of {}", rows.front()->entry.name);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    words += fmt::format("{} {}", i == 1 ? ", and also of" : ",", rows[i]->entry.name);
  }
  return words;
}

void print_text(const RevealedSum& sum, const std::vector<ItemOrders>& sizes,
                const std::vector<Json>& rows) {
  const std::string by =
      sum.preloaded.empty()
          ? sum.library
          : fmt::format("{}, which is preloaded before {}",
                        std::filesystem::path(sum.preloaded).filename().string(), sum.library);
  std::cout << fmt::format("{} on {} by {}{}\n", name_of(sum.collective),
                           counted(sum.ranks, "rank"), by,
                           sum.algorithm.empty() ? "" : ", algorithm " + sum.algorithm);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto names = variations(sizes, i);
    std::erase(names, "run");  // the sentence says so
    const std::string time =
        cell_text({"measured_seconds", "", Column::Shown::microseconds}, rows[i]);
    std::cout << fmt::format(
        "\n{}: {}{}; {}{}\n", counted(sizes[i].items, "item"), algorithm_sentence(sum, sizes[i]),
        names.empty() ? "" : fmt::format("; it varies with the {}", fmt::join(names, " and the ")),
        sizes[i].compared && !sizes[i].varies_by_run
            ? fmt::format("all {} agree", counted(sizes[i].calls, "call"))
            : fmt::format("seen in {}", counted(sizes[i].calls, "call")),
        time.empty() ? "" : "; median time " + time + " us");
    if (!sizes[i].varies_by_run) print_orders(sum, sizes[i]);
  }
}

}  // namespace

std::vector<Json> rows_of(const RevealedSum& sum, const std::vector<ItemOrders>& sizes,
                          const RevealedTimes& times) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) rows.push_back(row_of(sum, sizes, times, i));
  return rows;
}

void print_rows(const RevealedSum& sum, const std::vector<ItemOrders>& sizes,
                const std::vector<Json>& rows, bool json) {
  if (!json) return print_text(sum, sizes, rows);
  for (const Json& row : rows) {
    check_row(row);
    std::cout << row.dump() << '\n';
  }
}

Schedule schedule_of(const RevealedSum& sum, const ItemOrders& found) {
  const auto rows = algorithms_of(sum, found);
  if (sum.collective == SumCollective::scan) {
    throw Error("--schedule: Bracket has no schedules of scans");
  }
  if (rows.empty()) {
    throw Error("--schedule: the order is that of no algorithm with a schedule");
  }
  const RankedOrder& first = *found.classes.front().order;
  const Delivery delivery = sum.collective == SumCollective::all_reduce ? Delivery::to_all()
                            : sum.collective == SumCollective::reduce   ? Delivery::to(sum.root)
                                                                        : Delivery::scattered();
  const bool one = found.classes.size() == 1;
  const auto held = lower_distribution(sum.ranks, sum.ranks);
  const Order order = one ? first.order : make_order("associative", sum.ranks);
  return make_schedule(order, one ? held.with_rank_order(first.ranks) : held,
                       *make_plan(rows.front()->plan), delivery, found.items);
}

}  // namespace bracket::tools
