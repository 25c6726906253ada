// SPDX-License-Identifier: MIT

#include "bracket/model/scorecard.hpp"

#include <algorithm>
#include <cmath>

#include "bracket/support/error.hpp"
#include "bracket/support/order_statistics.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr double as_good = 1.1;  // a predicted winner within 10 % of the fastest counts as right

void check(const JudgedRow& row) {
  if (row.predicted >= 0 && std::isfinite(row.predicted) && row.measured > 0 &&
      std::isfinite(row.measured)) {
    return;
  }
  throw Error(text("a prediction of ", row.predicted, " s and a measured time of ", row.measured,
                   " s: both must be finite, and the measured time above 0"));
}

/// Whether the row with the smallest prediction is about as fast, measured, as the fastest row.
bool winner_is_right(const std::vector<JudgedRow>& group) {
  const auto by = [](double JudgedRow::*figure) {
    return [figure](const JudgedRow& a, const JudgedRow& b) { return a.*figure < b.*figure; };
  };
  const auto chosen = std::min_element(group.begin(), group.end(), by(&JudgedRow::predicted));
  const auto best = std::min_element(group.begin(), group.end(), by(&JudgedRow::measured));
  return chosen->measured <= as_good * best->measured;
}

}  // namespace

Scorecard judge(std::span<const std::vector<JudgedRow>> groups) {
  Scorecard card;
  std::vector<double> errors;
  std::size_t winners = 0;
  std::size_t right = 0;
  std::size_t wrong = 0;
  for (const auto& group : groups) {
    for (const JudgedRow& row : group) {
      check(row);
      errors.push_back(std::abs(row.predicted / row.measured - 1));
    }
    if (group.size() > 1) {
      ++card.choices;
      if (winner_is_right(group)) ++winners;
    }
    for (auto a = group.begin(); a != group.end(); ++a) {
      for (auto b = a + 1; b != group.end(); ++b) {
        const JudgedRow& faster = a->measured < b->measured ? *a : *b;
        const JudgedRow& slower = a->measured < b->measured ? *b : *a;
        if (!(faster.high < slower.low)) continue;
        ++card.pairs;
        if (faster.predicted < slower.predicted) ++right;
        if (faster.predicted > slower.predicted) ++wrong;
      }
    }
  }
  if (errors.empty()) throw Error("no row to judge a model by");
  std::sort(errors.begin(), errors.end());
  const std::size_t count = errors.size();
  card.rows = count;
  card.median_error = support::median(errors);
  card.p90_error = errors[(9 * count + 9) / 10 - 1];
  const auto share = [](std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (card.choices > 0) card.winner_accuracy = share(winners, card.choices);
  if (card.pairs > 0) {
    card.pair_accuracy = share(right, card.pairs);
    card.kendall_tau = *card.pair_accuracy - share(wrong, card.pairs);
  }
  return card;
}

}  // namespace bracket
