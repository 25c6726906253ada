#include "bracket/model/work.hpp"

#include <algorithm>
#include <cmath>

#include "bracket/model/error.hpp"
#include "bracket/model/loggp.hpp"

namespace bracket {

namespace {

void check_cost(double seconds, const char* what) {
  if (!(seconds >= 0) || !std::isfinite(seconds)) {
    throw Error(text(what, " must be a finite number of at least 0, not ", seconds));
  }
}

/// Elements that a fold reads, those of each item.
double numbers(const Partial& folded) {
  return static_cast<double>(folded.range.size()) * static_cast<double>(folded.segment.size());
}

}  // namespace

void MeasuredWork::check() const {
  check_cost(start, "a run's start in seconds");
  check_cost(seconds_per_join, "seconds per join");
  if (folds.empty()) throw Error("measured work without a measured fold");
  Fold before{0, 0};
  for (const Fold& fold : folds) {
    check_cost(fold.seconds, "seconds of a fold");
    if (fold.elements <= before.elements) {
      throw Error(text("a fold of ", fold.elements, " elements: at least 1, and more than the ",
                       before.elements, " of the one before"));
    }
    if (fold.seconds < before.seconds) {
      throw Error(text("a fold of ", fold.elements, " elements takes ", fold.seconds,
                       " seconds, less than one of ", before.elements));
    }
    before = fold;
  }
}

double MeasuredWork::fold(double elements) const {
  const auto above = std::lower_bound(folds.begin(), folds.end(), elements,
                                      [](const Fold& measured, double wanted) {
                                        return static_cast<double>(measured.elements) < wanted;
                                      });
  if (above == folds.begin()) return above->seconds;
  const Fold& below = *(above - 1);
  const auto from = static_cast<double>(below.elements);
  if (above == folds.end()) return below.seconds / from * elements;
  const auto to = static_cast<double>(above->elements);
  return below.seconds + (above->seconds - below.seconds) * (elements - from) / (to - from);
}

RankWork::RankWork(const Machine& machine, const RankPart& part) : machine_(machine), part_(part) {
  if (!machine.work) return;
  double folded = 0;
  for (const Step& step : part.steps()) {
    if (step.kind == StepKind::fold) folded += numbers(part.operands(step)[0]);
  }
  if (folded > 0) seconds_per_element_ = machine.work->fold(folded) / folded;
}

double RankWork::operator()(const Step& step) const {
  const auto& measured = machine_.work;
  switch (step.kind) {
    case StepKind::fold: {
      const Partial& folded = part_.operands(step)[0];
      if (measured) {
        const double elements = numbers(folded);
        return std::max(measured->fold(elements), elements * seconds_per_element_);
      }
      return static_cast<double>(folded.range.size() - 1) *
             static_cast<double>(folded.segment.size()) * machine_.seconds_per_addition;
    }
    case StepKind::join:
      return static_cast<double>(part_.operands(step)[1].values()) *
             (measured ? measured->seconds_per_join : machine_.seconds_per_addition);
    default:
      return 0;
  }
}

}  // namespace bracket
