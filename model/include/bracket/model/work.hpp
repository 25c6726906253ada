#pragma once

#include <vector>

#include "bracket/model/schedule.hpp"

namespace bracket {

struct Machine;

/// What computing takes as measured: folds of few elements and of many, in cache and out of it, do
/// not take the same for each. Seconds.
struct MeasuredWork {
  /// So many elements, folded over and over by a rank that holds no others.
  struct Fold {
    Index elements = 1;
    double seconds = 0;

    friend bool operator==(const Fold&, const Fold&) = default;
  };

  double start = 0;             ///< what a run takes of each rank before its first step
  double seconds_per_join = 0;  ///< of two values
  std::vector<Fold> folds;      ///< by elements

  /// Throws `Error` if a figure is negative or not finite, unless there are folds, of one element
  /// or more, each of more than the one before and not faster.
  void check() const;

  /// Seconds of a fold of so many elements: straight lines between those measured, below the first
  /// as long as that, beyond the last each element as long as there.
  [[nodiscard]] double fold(double elements) const;

  friend bool operator==(const MeasuredWork&, const MeasuredWork&) = default;
};

/// Seconds that the steps of one rank keep it busy. Refers to the machine and the part.
class RankWork {
 public:
  RankWork(const Machine& machine, const RankPart& part);

  /// Of a fold or a join; 0 of a message. One addition less than it has elements for a fold, one
  /// for a join of two values, one for each element of a run that is joined, each for every item of
  /// the segment.
  ///
  /// As measured, if the machine has that, items are so many more elements, and an element of a
  /// fold takes no less than one takes where all elements that the rank folds are folded at once:
  /// they are what has to fit into a cache.
  [[nodiscard]] double operator()(const Step& step) const;

 private:
  const Machine& machine_;
  const RankPart& part_;
  double seconds_per_element_ = 0;  // least, of a fold
};

}  // namespace bracket
