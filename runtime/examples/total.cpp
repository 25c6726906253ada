// SPDX-License-Identifier: MIT

// One program in C, C++, Fortran and Python. It prints the same lines on any number of ranks.
//
// A field of cells x levels, both counted from 0, has the values
//
//   h = (cell / 4 * 48271 + level * 16807 + 11) mod 2147483647
//   cell mod 4 = 0: h * 2^20    1: h / 2^30    2: -h * 2^20    3: -h / 2^40
//
// and the areas (cell + level) mod 5 / 4. Doubles hold all of them exactly. Large values cancel,
// and small values are lost beside them, so that another bracketing gives another sum.

#include <bit>
#include <bracket/runtime/reducer.hpp>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using bracket::Index;

constexpr Index levels = 7;
constexpr Index ghosts = 2;

double value(Index cell, Index level) {
  const auto h = static_cast<double>((cell / 4 * 48271 + level * 16807 + 11) % 2147483647);
  switch (cell % 4) {
    case 0:
      return h * 1048576;
    case 1:
      return h / 1073741824;
    case 2:
      return -h * 1048576;
    default:
      return -h / 1099511627776;
  }
}

double area(Index cell, Index level) { return static_cast<double>((cell + level) % 5) / 4; }

void print(const char* name, double number) {
  std::cout << name << ' ' << std::hex << std::uppercase << std::setw(16) << std::setfill('0')
            << std::bit_cast<std::uint64_t>(number) << std::dec;
}

void run(Index cells) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Index first = cells * rank / ranks;
  const Index own = cells * (rank + 1) / ranks - first;

  // The ghost cells after a rank's own cells belong to other ranks. Their values here would change
  // the results.
  std::vector<double> values(static_cast<std::size_t>((own + ghosts) * levels), 1e300);
  std::vector<double> areas = values;
  for (Index i = 0; i < own; ++i) {
    for (Index level = 0; level < levels; ++level) {
      values[static_cast<std::size_t>(i * levels + level)] = value(first + i, level);
      areas[static_cast<std::size_t>(i * levels + level)] = area(first + i, level);
    }
  }
  const bracket::Layout layout{{own + ghosts, levels}, {{0, own}, {0, levels}}, {}};

  using bracket::Reducer;
  const bracket::Settings binned{.algorithm = "binned"};
  const bracket::Settings double_double{.algorithm = "double-double"};
  const bracket::Settings stochastic{.algorithm = "stochastic"};
  Reducer<double> sum(MPI_COMM_WORLD, layout);
  Reducer<double> sum_binned(MPI_COMM_WORLD, layout, binned);
  Reducer<double> sum_double_double(MPI_COMM_WORLD, layout, double_double);
  Reducer<double> sum_stochastic(MPI_COMM_WORLD, layout, stochastic);
  Reducer<double> dot(MPI_COMM_WORLD, bracket::Field::products(layout, layout));
  Reducer<double, bracket::Minimum> minimum(MPI_COMM_WORLD, layout);
  Reducer<double, bracket::MaximumLocation> maximum(MPI_COMM_WORLD, layout);

  const double results[] = {*sum.run(values),
                            *sum_binned.run(values),
                            *sum_double_double.run(values),
                            *sum_stochastic.run(values),
                            *dot.run(values, areas),
                            *minimum.run(values)};
  const auto located = *maximum.run(values);
  if (rank > 0) return;
  const char* const names[] = {"sum", "sum_binned", "sum_double_double", "sum_stochastic",
                               "dot", "minimum"};
  for (std::size_t i = 0; i < std::size(results); ++i) {
    print(names[i], results[i]);
    std::cout << '\n';
  }
  print("maximum_location", located.value);
  std::cout << ' ' << located.index << '\n';
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? std::stoll(argv[1]) : 1000);
  } catch (const std::exception& wrong) {
    std::cerr << wrong.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
