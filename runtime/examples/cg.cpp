// SPDX-License-Identifier: MIT

// Solves a one-dimensional Laplace problem by conjugate gradients. Prints the squared residual of
// each iteration with all its bits, and the time of all iterations to stderr.
//
//   cg [mpi|simd|bracket|binned] [rows] [iterations]
//
// By default, it takes 20 iterations by `mpi` on 100 000 rows.
// The matrix has 2 on its diagonal and -1 beside it. The right side is 1 / (row + 1). Each rank has
// consecutive rows; there must be at least as many rows as ranks. By `mpi`, a dot product is a loop
// and MPI_Allreduce, and its bits depend on the number of ranks. By `simd`, the loop has vector
// instructions as well. By `bracket` and `binned`, a reducer makes dot products, whose bits do not
// depend on the number of ranks.

#include <bit>
#include <bracket/runtime/reducer.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using Vector = std::vector<double>;
using Dot = std::function<double(const Vector&, const Vector&)>;

double sum_of_ranks(double mine) {
  double total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

double dot_by_mpi(const Vector& x, const Vector& y) {
  double mine = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mine += x[i] * y[i];
  return sum_of_ranks(mine);
}

double dot_by_simd(const Vector& x, const Vector& y) {
  double mine = 0;
#pragma omp simd reduction(+ : mine)
  for (std::size_t i = 0; i < x.size(); ++i) mine += x[i] * y[i];
  return sum_of_ranks(mine);
}

Dot dot_by_reducer(std::size_t rows, const bracket::Settings& settings) {
  const auto layout = bracket::Layout::contiguous(static_cast<bracket::Index>(rows));
  const auto reducer = std::make_shared<bracket::Reducer<double>>(
      MPI_COMM_WORLD, bracket::Field::products(layout, layout), settings);
  return [reducer](const Vector& x, const Vector& y) { return reducer->run(x, y).value(); };
}

Dot dot_by(const std::string& method, std::size_t rows) {
  if (method == "mpi") return dot_by_mpi;
  if (method == "simd") return dot_by_simd;
  if (method == "bracket") return dot_by_reducer(rows, {});
  if (method == "binned") return dot_by_reducer(rows, {.algorithm = "binned"});
  throw std::invalid_argument("no method " + method + "; there are mpi, simd, bracket and binned");
}

// Computes `product`, the matrix times `x`, with the values beside `x` from the neighbouring ranks.
void multiply(const Vector& x, Vector& product) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double left = 0;
  double right = 0;
  MPI_Sendrecv(&x.back(), 1, MPI_DOUBLE, above, 0, &left, 1, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&x.front(), 1, MPI_DOUBLE, below, 0, &right, 1, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  const std::size_t rows = x.size();
  for (std::size_t i = 0; i < rows; ++i) {
    product[i] = 2 * x[i] - (i > 0 ? x[i - 1] : left) - (i + 1 < rows ? x[i + 1] : right);
  }
}

void solve(const std::string& method, std::int64_t rows, int iterations) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rows < ranks) throw std::invalid_argument("there must be at least as many rows as ranks");
  const std::int64_t first = rows * rank / ranks;
  const auto own = static_cast<std::size_t>(rows * (rank + 1) / ranks - first);
  const Dot dot = dot_by(method, own);

  Vector solution(own, 0.0);
  Vector residual(own);
  for (std::size_t i = 0; i < own; ++i) {
    residual[i] = 1 / static_cast<double>(first + static_cast<std::int64_t>(i) + 1);
  }
  Vector direction = residual;
  Vector product(own);
  double square = dot(residual, residual);
  const double begin = MPI_Wtime();
  for (int k = 0; k < iterations; ++k) {
    multiply(direction, product);
    const double step = square / dot(direction, product);
    for (std::size_t i = 0; i < own; ++i) {
      solution[i] += step * direction[i];
      residual[i] -= step * product[i];
    }
    const double next = dot(residual, residual);
    const double share = next / square;
    for (std::size_t i = 0; i < own; ++i) direction[i] = residual[i] + share * direction[i];
    square = next;
    if (rank == 0) {
      std::printf("%d %016llX\n", k + 1,
                  static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(square)));
    }
  }
  if (rank == 0) std::fprintf(stderr, "%.9f seconds\n", MPI_Wtime() - begin);
}

int number_in(const char* written) {
  int number = 0;
  const char* const end = written + std::strlen(written);
  const auto parsed = std::from_chars(written, end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1) {
    throw std::invalid_argument(std::string(written) + ": a whole number from 1 on was expected");
  }
  return number;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    solve(argc > 1 ? argv[1] : "mpi", argc > 2 ? number_in(argv[2]) : 100000,
          argc > 3 ? number_in(argv[3]) : 20);
  } catch (const std::invalid_argument& wrong) {
    // All ranks refuse the same arguments, so they can end together. After MPI_Abort, the launcher
    // of MPICH may lose the reason.
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "%s\n", wrong.what());
    MPI_Finalize();
    return 2;
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
