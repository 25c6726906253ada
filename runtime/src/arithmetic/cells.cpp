// SPDX-License-Identifier: MIT

#include "bracket/runtime/cells.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

constexpr std::size_t most_dimensions = 5;

/// An index with checked arithmetic. Throws `Error` on overflow.
class Checked {
 public:
  Checked(Index value = 0) : value_(value) {}  // NOLINT: an Index with another arithmetic
  [[nodiscard]] Index value() const { return value_; }
  friend Checked operator*(Checked a, Checked b) {
    Index result = 0;
    if (__builtin_mul_overflow(a.value_, b.value_, &result)) fail();
    return result;
  }
  friend Checked operator+(Checked a, Checked b) {
    Index result = 0;
    if (__builtin_add_overflow(a.value_, b.value_, &result)) fail();
    return result;
  }

 private:
  [[noreturn]] static void fail() {
    throw Error("the array has more elements or bytes than a 64-bit count can hold");
  }
  Index value_;
};

std::vector<Index> close_strides(const std::vector<Index>& extents, Index element_bytes) {
  std::vector<Index> strides(extents.size());
  Checked stride = element_bytes;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride.value();
    stride = stride * Checked(extents[i] > 0 ? extents[i] : 1);
  }
  return strides;
}

/// Throws `Error` for elements that overlap in part: the strides were probably counted in elements.
void check_stride(std::size_t dimension, Index count, Index stride, Index element_bytes) {
  if (count <= 1 || stride == 0 || stride <= -element_bytes || stride >= element_bytes) return;
  throw Error(text("dimension ", dimension, ": a stride of ", stride,
                   stride == 1 || stride == -1 ? " byte" : " bytes", ", an element has ",
                   element_bytes, ": strides are in bytes"));
}

}  // namespace

Cells::Cells(const Layout& layout, std::size_t element_bytes) : element_bytes_(element_bytes) {
  const std::size_t dimensions = layout.extents.size();
  if (dimensions > most_dimensions) {
    throw Error(text("an array of ", dimensions, " dimensions: there may be ", most_dimensions));
  }
  if (!layout.ranges.empty() && layout.ranges.size() != dimensions) {
    throw Error(
        text(layout.ranges.size(), " index ranges for an array of ", dimensions, " dimension(s)"));
  }
  if (!layout.strides.empty() && layout.strides.size() != dimensions) {
    throw Error(
        text(layout.strides.size(), " strides for an array of ", dimensions, " dimension(s)"));
  }
  const auto bytes = static_cast<Index>(element_bytes);
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const Range all{0, layout.extents[i]};
    if (all.end < 0) throw Error(text("dimension ", i, ": the extent ", all.end, " is negative"));
    ranges.push_back(layout.ranges.empty() ? all : layout.ranges[i]);
    if (ranges[i].begin > ranges[i].end) {
      throw Error(text("dimension ", i, ": the index range ", ranges[i], " ends before it begins"));
    }
    if (!all.contains(ranges[i])) {
      throw Error(text("dimension ", i, ": the index range ", ranges[i],
                       " lies outside of the array's ", all));
    }
    shape_.push_back(ranges[i].size());
  }
  const std::vector<Index> strides =
      layout.strides.empty() ? close_strides(layout.extents, bytes) : layout.strides;

  // Iterates from the innermost dimension. Merges a dimension with the next inner one if it
  // continues it.
  Checked count = 1;
  Checked origin = layout.origin;
  Checked below = 0;  // from the first element to the lowest one
  Checked above = 0;  // from the first element to the highest one
  std::vector<CellPlaces::Dimension> merged;
  for (std::size_t i = dimensions; i-- > 0;) {
    const Index size = shape_[i];
    count = count * size;
    origin = origin + Checked(ranges[i].begin) * strides[i];
    if (size <= 1) continue;
    const Checked span = Checked(size - 1) * strides[i];
    (strides[i] < 0 ? below : above) = (strides[i] < 0 ? below : above) + span;
    if (!merged.empty() &&
        strides[i] == (Checked(merged.back().count) * merged.back().stride).value()) {
      merged.back().count = (Checked(merged.back().count) * size).value();
      merged.back().inverse = 1 / static_cast<double>(merged.back().count);
    } else {
      merged.push_back({size, strides[i], 1 / static_cast<double>(size)});
    }
  }
  count_ = count.value();
  places_.origin = origin.value();
  if (count_ == 0) return;
  for (std::size_t i = 0; i < dimensions; ++i) check_stride(i, shape_[i], strides[i], bytes);
  reach_ = {(origin + below).value(), (origin + above + bytes).value()};
  if (merged.empty()) merged.push_back({1, bytes, 1});
  places_.inner = merged.front();
  for (std::size_t i = 1; i < merged.size(); ++i) {
    places_.outer[places_.outer_count++] = merged[i];
  }
}

}  // namespace bracket::runtime
