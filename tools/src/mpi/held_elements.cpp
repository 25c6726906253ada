// SPDX-License-Identifier: MIT

#include "mpi/held_elements.hpp"

#include <algorithm>
#include <limits>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "mpi/mpi_command.hpp"

namespace bracket::tools {

HeldRanges::HeldRanges(std::vector<Range> ranges) {
  std::erase_if(ranges, [](Range range) { return range.empty(); });
  std::sort(ranges.begin(), ranges.end());
  for (const Range range : ranges) {
    if (pieces_.empty() || range.begin >= pieces_.back().range.end) {
      pieces_.push_back({range, room_});
    }
    Range& last = pieces_.back().range;
    last.end = std::max(last.end, range.end);
    const Index place = pieces_.back().place;
    if (last.size() > std::numeric_limits<Index>::max() - place) {
      throw Error(text("no memory for the rank's ", place, " and ", last.size(), " numbers"));
    }
    room_ = place + last.size();
  }
}

Index HeldRanges::place_of(Range range) const {
  const auto piece = std::find_if(pieces_.begin(), pieces_.end(), [&](const HeldPiece& candidate) {
    return candidate.range.contains(range);
  });
  if (range.empty() || piece == pieces_.end()) return 0;
  return piece->place + range.begin - piece->range.begin;
}

void HeldElements::make_room(std::vector<Range> ranges) {
  held_ = HeldRanges(std::move(ranges));
  tools::make_room(memory_, {0, held_.room()});
}

void HeldElements::read(const input::Input& input) {
  for (const auto& [range, place] : held_.pieces()) {
    input.read(range, std::span(memory_).subspan(static_cast<std::size_t>(place),
                                                 static_cast<std::size_t>(range.size())));
  }
}

std::span<const double> HeldElements::of(Range range) const {
  return std::span(memory_).subspan(static_cast<std::size_t>(held_.place_of(range)),
                                    static_cast<std::size_t>(range.size()));
}

}  // namespace bracket::tools
