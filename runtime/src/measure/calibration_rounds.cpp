// SPDX-License-Identifier: MIT

#include <algorithm>
#include <span>

#include "bracket/support/order_statistics.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::runtime::calibration {

namespace {

using Fold = OperationTimes::Fold;

/// All tables of measured times by elements, in the same sequence for each round.
std::vector<std::vector<Fold>*> tables_of(OperationTimes& work) {
  std::vector<std::vector<Fold>*> tables{&work.folds,         &work.copies,
                                         &work.joins,         &work.vector_folds,
                                         &work.partial_folds, &work.complete_folds};
  for (auto& together : work.folds_together) {
    tables.push_back(&together.folds);
    tables.push_back(&together.vector_folds);
  }
  return tables;
}

double apart(std::span<const OperationTimes> rounds) {
  std::vector<double> shares;
  const auto compare = [&](const auto& table_of) {
    for (std::size_t i = 0; i < table_of(rounds.front()).size(); ++i) {
      std::vector<double> times;
      for (const OperationTimes& round : rounds) times.push_back(table_of(round)[i].seconds);
      const auto [least, most] = std::minmax_element(times.begin(), times.end());
      shares.push_back(*most / *least - 1);
    }
  };
  compare([](const OperationTimes& work) -> const auto& { return work.folds; });
  for (std::size_t k = 0; k < rounds.front().folds_together.size(); ++k) {
    compare([k](const OperationTimes& work) -> const auto& {
      return work.folds_together[k].folds;
    });
  }
  return support::quantile(std::move(shares), 0.75);
}

}  // namespace

bool WorkRounds::settled() const {
  if (rounds_.size() < least) return false;
  return rounds_.size() >= most || calibration::apart(std::span(rounds_).last(2)) <= agreement;
}

OperationTimes WorkRounds::median() const {
  std::vector<OperationTimes> rounds = rounds_;
  const auto middle = [&](const auto& figure) {
    std::vector<double> all;
    for (OperationTimes& round : rounds) all.push_back(figure(round));
    return support::quantile(std::move(all), 0.5);
  };
  OperationTimes work = rounds_.front();
  work.seconds_per_join =
      middle([](const OperationTimes& round) { return round.seconds_per_join; });
  work.seconds_per_result =
      middle([](const OperationTimes& round) { return round.seconds_per_result; });
  const auto tables = tables_of(work);
  for (std::size_t k = 0; k < tables.size(); ++k) {
    double before = 0;
    for (std::size_t i = 0; i < tables[k]->size(); ++i) {
      const double seconds =
          middle([&](OperationTimes& round) { return (*tables_of(round)[k])[i].seconds; });
      (*tables[k])[i].seconds = before = std::max(before, seconds);
    }
  }
  return work;
}

double WorkRounds::apart() const { return calibration::apart(rounds_); }

}  // namespace bracket::runtime::calibration
