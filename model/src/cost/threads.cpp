// SPDX-License-Identifier: MIT

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "bracket/model/loggp.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

/// Times of folds whose elements several threads share.
class SharedFolds {
 public:
  /// `measured` has the times of one thread; it must outlive this object.
  SharedFolds(const MeasuredWork& measured, Index threads, Index element_bytes)
      : measured_(measured),
        threads_(threads),
        wake_(measured.wake(threads)),
        first_shared_(std::max<Index>(1, bytes_for_threads / element_bytes)) {}

  /// Returns whether several threads share a fold of this size.
  [[nodiscard]] bool shares(Index elements) const { return elements >= first_shared_; }

  /// Folds by number of elements, while `ranks` ranks of a node fold at once.
  [[nodiscard]] std::vector<OperationTimes::Fold> table(Index ranks) const {
    std::vector<OperationTimes::Fold> folds;
    for (const Index count : counts()) folds.push_back({count, seconds(count, ranks)});
    return growing(std::move(folds));
  }

  /// Folds of vectors by numbers, while `ranks` ranks of a node fold at once: each thread folds its
  /// share of the numbers.
  [[nodiscard]] std::vector<OperationTimes::Fold> vectors(Index ranks) const {
    constexpr Index several = 2;  // items
    return spread(measured_.vector_folds, [&](double numbers, Index threads) {
      return measured_.fold(numbers, ranks * threads, several);
    });
  }

  /// Folds of received partials by their number.
  [[nodiscard]] std::vector<OperationTimes::Fold> partials() const {
    return spread(measured_.partial_folds, [&](double values, Index threads) {
      return measured_.fold_partials(values, threads, 1);
    });
  }

 private:
  /// A table of the folds in `measured`, whose numbers the threads share equally.
  /// `seconds(numbers, threads)` is the time of a fold while so many threads fold as many each.
  template <class Seconds>
  [[nodiscard]] std::vector<OperationTimes::Fold> spread(
      const std::vector<OperationTimes::Fold>& measured, Seconds seconds) const {
    std::vector<OperationTimes::Fold> folds;
    if (measured.empty()) return folds;
    const auto shared = [&](double numbers_of_thread) {
      return wake_ + seconds(numbers_of_thread, threads_);
    };
    for (const auto& fold : measured) {
      if (fold.elements >= first_shared_) break;
      folds.push_back({fold.elements, seconds(static_cast<double>(fold.elements), 1)});
    }
    folds.push_back({first_shared_,
                     shared(static_cast<double>(first_shared_) / static_cast<double>(threads_))});
    for (const auto& fold : measured) {
      if (fold.elements < first_shared_ / threads_ + 1) continue;
      if (fold.elements > std::numeric_limits<Index>::max() / threads_) break;
      folds.push_back({fold.elements * threads_, shared(static_cast<double>(fold.elements))});
    }
    return growing(std::move(folds));
  }

  /// A fold takes at least as long as one of fewer elements. The threads start to share where this
  /// takes about as long as a fold by one of them.
  static std::vector<OperationTimes::Fold> growing(std::vector<OperationTimes::Fold> folds) {
    for (std::size_t i = folds.size(); i-- > 1;) {
      folds[i - 1].seconds = std::min(folds[i - 1].seconds, folds[i].seconds);
    }
    return folds;
  }

  /// The measured numbers of elements, for one thread and for each of several.
  [[nodiscard]] std::set<Index> counts() const {
    std::set<Index> counts{first_shared_};
    if (first_shared_ > 1) counts.insert(first_shared_ - 1);
    for (const auto& fold : measured_.folds) {
      counts.insert(fold.elements);
      if (fold.elements <= std::numeric_limits<Index>::max() / threads_) {
        counts.insert(fold.elements * threads_);
      }
    }
    return counts;
  }

  [[nodiscard]] double seconds(Index count, Index ranks) const {
    if (count < first_shared_) return measured_.fold(static_cast<double>(count), ranks);
    // The runtime's blocks: at most 64 for each thread, and then a tree over them.
    const Index most_blocks = 64 * threads_;
    const auto least = static_cast<std::uint64_t>((count - 1) / most_blocks + 1);
    const auto block = static_cast<double>(std::bit_ceil(least));
    const double blocks = std::ceil(static_cast<double>(count) / block);
    const double of_thread = std::ceil(blocks / static_cast<double>(threads_));
    const double share = static_cast<double>(count) / static_cast<double>(threads_);
    return wake_ +
           std::max(of_thread * measured_.fold(block), measured_.fold(share, ranks * threads_)) +
           (blocks - 1) * measured_.seconds_per_join;
  }

  const MeasuredWork& measured_;
  Index threads_;
  double wake_;
  Index first_shared_;
};

}  // namespace

Machine Machine::on_threads(Index count) const {
  if (count < 1) throw Error(text(count, " threads: a rank folds with at least 1"));
  Machine machine = *this;
  machine.threads = count;
  if (!work || count == 1) return machine;
  const SharedFolds shared(*work, count, element_bytes);
  MeasuredWork& found = *machine.work;
  found.folds = shared.table(1);
  found.vector_folds = shared.vectors(1);
  found.partial_folds = shared.partials();
  std::erase_if(found.complete_folds,
                [&](const auto& fold) { return shared.shares(fold.elements); });
  found.folds_together.clear();
  const Index ranks = work->ranks_of_node() / count;
  for (Index together = 2; together <= ranks; together = std::min(2 * together, ranks)) {
    found.folds_together.push_back({together, shared.table(together), shared.vectors(together)});
    if (together == ranks) break;
  }
  return machine;
}

}  // namespace bracket
