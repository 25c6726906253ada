// SPDX-License-Identifier: MIT

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bracket/record/compare.hpp"
#include "record/trace_bytes.hpp"

/// Runs that tests compare.
namespace bracket::testing {

/// A run of 3 ranks that all-reduce the numbers 10 k + rank in call k at site k mod 2.
struct Run {
  explicit Run(std::size_t calls = 6, int ranks = 3) {
    for (int rank = 0; rank < ranks; ++rank) {
      of.emplace_back();
      for (std::size_t k = 0; k < calls; ++k) {
        const double first = 10 * static_cast<double>(k) + rank;
        const double sum = 30 * static_cast<double>(k) + 3;
        of.back().push_back({.sequence = k,
                             .input = {first, 1},
                             .output = {sum, 3},
                             .site = static_cast<std::uint32_t>(k % 2)});
      }
    }
  }

  /// Numbers the calls of each rank anew, as a recorder does.
  void number() {
    for (auto& calls : of) {
      for (std::size_t k = 0; k < calls.size(); ++k) calls[k].sequence = k;
    }
  }

  /// A run whose ranks ended so.
  [[nodiscard]] record::Trace trace(const std::vector<format::end>& ends) const {
    record::Trace trace = this->trace();
    for (std::size_t rank = 0; rank < ends.size(); ++rank) {
      trace.ranks[rank].end = static_cast<record::End>(ends[rank]);
    }
    return trace;
  }

  [[nodiscard]] record::Trace trace(int cut = -1, std::uint32_t keep = 64) const {
    record::Trace trace;
    const int ranks = static_cast<int>(of.size());
    for (int rank = 0; rank < ranks; ++rank) {
      TraceBytes file(rank, ranks, keep);
      file.communicator({{1, 1}, {0, 1}});
      for (const auto& call : of[static_cast<std::size_t>(rank)]) file.reduction(call);
      if (rank != cut) file.end();
      trace.ranks.push_back(file.parsed());
    }
    return trace;
  }

  std::vector<std::vector<Written>> of;
};

inline record::Comparison compared(const Run& a, const Run& b) {
  return record::compare(a.trace(), b.trace());
}

inline double after(double number) { return std::nextafter(number, INFINITY); }

}  // namespace bracket::testing
