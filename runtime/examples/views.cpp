// SPDX-License-Identifier: MIT

// Reduces arrays of other libraries in place. An adapter describes where their elements lie: for a
// view of Kokkos, for data of OpenMP's `target`. Prints the same line on any number of ranks.

#include <array>
#include <bit>
#include <bracket/runtime/reducer.hpp>
#include <cstdio>
#include <vector>

using bracket::Index;

/// The layout of a view that has the members of Kokkos::View: `rank()`, `extent(i)` and
/// `stride(i)`, counted in elements. `view.data()` is the array.
template <class View>
bracket::Layout layout_of(const View& view) {
  bracket::Layout layout;
  for (std::size_t i = 0; i < View::rank(); ++i) {
    layout.extents.push_back(static_cast<Index>(view.extent(i)));
    layout.strides.push_back(static_cast<Index>(view.stride(i) * sizeof(*view.data())));
  }
  return layout;
}

/// Sums a view. Its memory may be that of a CUDA device.
template <class View>
double sum_of(const View& view) {
  bracket::Reducer<double> sum(MPI_COMM_WORLD, layout_of(view));
  return *sum.run({view.data(), view.span()});
}

/// Sums data that OpenMP has mapped to a device; without one, they are on the host.
double sum_of_target(const std::vector<double>& elements) {
  bracket::Reducer<double> sum(MPI_COMM_WORLD,
                               bracket::Layout::contiguous(static_cast<Index>(elements.size())));
  const double* const array = elements.data();
  double result = 0;
#pragma omp target data map(to : array [0:elements.size()]) use_device_ptr(array)
  { result = *sum.run({array, elements.size()}); }
  return result;
}

/// A view like Kokkos::View<double**, LayoutLeft>, for this example.
struct ColumnMajor {
  std::vector<double>& elements;
  std::array<std::size_t, 2> extents;

  static constexpr std::size_t rank() { return 2; }
  [[nodiscard]] std::size_t extent(std::size_t i) const { return extents[i]; }
  [[nodiscard]] std::size_t stride(std::size_t i) const { return i == 0 ? 1 : extents[0]; }
  [[nodiscard]] std::size_t span() const { return extents[0] * extents[1]; }
  [[nodiscard]] const double* data() const { return elements.data(); }
};

void run() {
  constexpr Index rows = 30;
  constexpr Index columns = 7;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Index first = rows * rank / ranks;
  const Index own = rows * (rank + 1) / ranks - first;
  std::vector<double> by_rows;
  std::vector<double> by_columns(static_cast<std::size_t>(own * columns));
  for (Index row = 0; row < own; ++row) {
    for (Index column = 0; column < columns; ++column) {
      by_rows.push_back(1.0 / static_cast<double>((first + row) * columns + column + 1));
      by_columns[static_cast<std::size_t>(column * own + row)] = by_rows.back();
    }
  }
  const ColumnMajor view{by_columns, {static_cast<std::size_t>(own), columns}};
  const double of_view = sum_of(view);
  const double of_target = sum_of_target(by_rows);
  if (rank > 0) return;
  std::printf("%016llX %016llX\n", std::bit_cast<unsigned long long>(of_view),
              std::bit_cast<unsigned long long>(of_target));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
}
