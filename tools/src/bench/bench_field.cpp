// SPDX-License-Identifier: MIT

#include "bench/bench_field.hpp"

#include <cmath>
#include <limits>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "irreproducible_sum.hpp"
#include "mpi/unordered_sums.hpp"

namespace bracket::tools {

namespace {

constexpr std::string_view contiguous = "contiguous";
constexpr std::string_view ghosted = "ghosted";

Index length_with_ghosts(const BenchShape& shape) { return shape.cells + 2 * BenchShape::ghosts; }

/// Rows of elements, with NaNs as ghosts: who adds one gets a NaN.
std::vector<double> rows_of(const BenchShape& shape, std::span<const double> elements) {
  const auto cells = static_cast<std::size_t>(shape.cells);
  const auto length = static_cast<std::size_t>(length_with_ghosts(shape));
  std::vector<double> rows(elements.size() / cells * length,
                           std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row * cells < elements.size(); ++row) {
    const auto from = elements.subspan(row * cells, cells);
    std::copy(from.begin(), from.end(),
              rows.begin() + static_cast<std::ptrdiff_t>(row * length + BenchShape::ghosts));
  }
  return rows;
}

}  // namespace

std::string BenchShape::layout() const {
  return cells == 0 ? std::string(contiguous) : text(ghosted, ":", cells);
}

void BenchShape::read_layout(const std::string& written) {
  constexpr Index usual = 100;
  constexpr Index most = Index{1} << 40;
  const std::string first = written.substr(0, written.find(':'));
  if (written == contiguous) {
    cells = 0;
  } else if (first != ghosted) {
    throw Error(
        text("--layout ", written, ": unknown; known: ", contiguous, ", ", ghosted, "[:CELLS]"));
  } else if (written == ghosted) {
    cells = usual;
  } else {
    cells = support::parse_count(written.substr(first.size() + 1), "--layout: CELLS");
    if (cells < 1 || cells > most) {
      throw Error(text("--layout ", written, ": a row has from 1 to ", most, " cells"));
    }
  }
}

void BenchShape::check(const Distribution& held) const {
  if (cells == 0) return;
  for (Rank rank = 0; rank < held.ranks(); ++rank) {
    const Index own = held.range(rank).size();
    if (own % cells == 0) continue;
    throw Error(text("--layout ", layout(), ": of ", held.elements(), " elements, rank ", rank,
                     " has ", own, ", which are not whole rows of ", cells));
  }
}

BenchField::BenchField(const BenchShape& shape, std::span<const double> elements,
                       std::span<const double> factors)
    : shape_(shape),
      pieces_(static_cast<Index>(elements.size()) / std::max<Index>(1, shape.cells)),
      elements_(elements),
      factors_(factors) {
  if (shape.cells == 0) return;
  rows_[0] = rows_of(shape, elements);
  elements_ = rows_[0];
  if (!shape.products) return;
  rows_[1] = rows_of(shape, factors);
  factors_ = rows_[1];
}

double BenchField::sum_of_row(Baseline way, const runtime::Kernel& kernel, Index first,
                              Index count) const {
  const double* const x = elements_.data() + first;
  if (!shape_.products) return sum_of(way, kernel)(x, count);
  return dot_of(way, kernel)(x, factors_.data() + first, count);
}

double BenchField::sum(Baseline way, const runtime::Kernel& kernel, Range pieces) const {
  if (shape_.cells == 0) return sum_of_row(way, kernel, pieces.begin, pieces.size());
  const Index length = length_with_ghosts(shape_);
  double sum = 0;
  for (Index row = pieces.begin; row < pieces.end; ++row) {
    sum += sum_of_row(way, kernel, row * length + BenchShape::ghosts, shape_.cells);
  }
  return sum;
}

double BenchField::magnitudes() const {
  double sum = 0;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const double term = std::abs(shape_.products ? elements_[i] * factors_[i] : elements_[i]);
    if (!std::isnan(term)) sum += term;  // not a ghost
  }
  return sum;
}

Layout BenchField::layout() const {
  if (shape_.cells == 0) return Layout::contiguous(pieces_);
  constexpr Index ghosts = BenchShape::ghosts;
  return {
      {pieces_, length_with_ghosts(shape_)}, {{0, pieces_}, {ghosts, ghosts + shape_.cells}}, {}};
}

Field BenchField::field(const Distribution& held) const {
  Field field = shape_.products ? Field::products(layout(), layout()) : Field(layout());
  field.distribution = held;
  return field;
}

double BenchField::sum(Reducer<double>& reducer) const {
  return shape_.products ? reducer.run(elements_, factors_).value()
                         : reducer.run(elements_).value();
}

}  // namespace bracket::tools
