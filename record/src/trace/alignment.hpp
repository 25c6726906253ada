// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace bracket::record {

/// Finds where two sequences of these sizes go on together. `agree(i, j)` tells whether item i of
/// the first one and item j of the second one belong together.
template <class Agree>
class Alignment {
 public:
  using Skips = std::pair<std::size_t, std::size_t>;  ///< items of each to skip

  Alignment(std::size_t first, std::size_t second, Agree agree)
      : first_(first), second_(second), agree_(std::move(agree)) {}

  /// The fewest items to skip of both sequences, at most `most`.
  [[nodiscard]] std::optional<Skips> skips(std::size_t i, std::size_t j, std::size_t most) const {
    for (std::size_t skipped = 1; skipped <= most; ++skipped) {
      for (std::size_t of_first = 0; of_first <= skipped; ++of_first) {
        const Skips both{of_first, skipped - of_first};
        if (agree_at(i + both.first, j + both.second)) return both;
      }
    }
    return std::nullopt;
  }

  /// The fewest items to skip of one of the sequences, at most `most`.
  [[nodiscard]] std::optional<Skips> skips_of_one(std::size_t i, std::size_t j,
                                                  std::size_t most) const {
    for (std::size_t skipped = 1; skipped <= most; ++skipped) {
      if (agree_at(i, j + skipped)) return Skips{0, skipped};
      if (agree_at(i + skipped, j)) return Skips{skipped, 0};
    }
    return std::nullopt;
  }

 private:
  /// Whether these two items belong together, and the next ones, too.
  [[nodiscard]] bool agree_at(std::size_t i, std::size_t j) const {
    if (i >= first_ || j >= second_ || !agree_(i, j)) return false;
    const bool last_of_first = i + 1 == first_;
    const bool last_of_second = j + 1 == second_;
    if (last_of_first || last_of_second) return last_of_first && last_of_second;
    return agree_(i + 1, j + 1);
  }

  std::size_t first_;
  std::size_t second_;
  Agree agree_;
};

}  // namespace bracket::record
