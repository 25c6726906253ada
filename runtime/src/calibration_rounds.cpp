#include <span>

#include "calibration_parts.hpp"

namespace bracket::calibration {

namespace {

double apart(std::span<const MeasuredWork> rounds) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < rounds.front().folds.size(); ++i) {
    const auto [least, most] = std::minmax_element(
        rounds.begin(), rounds.end(), [i](const MeasuredWork& a, const MeasuredWork& b) {
          return a.folds[i].seconds < b.folds[i].seconds;
        });
    shares.push_back(most->folds[i].seconds / least->folds[i].seconds - 1);
  }
  return low(std::move(shares), 0.75);
}

}  // namespace

bool WorkRounds::settled() const {
  if (rounds_.size() < 2) return false;
  return rounds_.size() >= most || calibration::apart(std::span(rounds_).last(2)) <= agreement;
}

MeasuredWork WorkRounds::fastest() const {
  MeasuredWork fastest = rounds_.front();
  for (const MeasuredWork& round : rounds_) {
    fastest.seconds_per_join = std::min(fastest.seconds_per_join, round.seconds_per_join);
    for (std::size_t i = 0; i < round.folds.size(); ++i) {
      fastest.folds[i].seconds = std::min(fastest.folds[i].seconds, round.folds[i].seconds);
    }
  }
  return fastest;
}

double WorkRounds::apart() const { return calibration::apart(rounds_); }

}  // namespace bracket::calibration
