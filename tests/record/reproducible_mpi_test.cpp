// SPDX-License-Identifier: MIT

#include <dlfcn.h>
#include <mpi.h>

#include <complex>
#include <cstring>

#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

/// Runs with libbracket_reproducible.so before the MPI library, and with an all-reduce of the
/// library that adds in another order.
namespace reproducible_mpi_test {

using namespace bracket::testing;

namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

template <class Number>
struct Parts {
  using Real = Number;
  static constexpr std::size_t count = 1;
};
template <class Number>
struct Parts<std::complex<Number>> {
  using Real = Number;
  static constexpr std::size_t count = 2;
};

/// The items of all ranks, which every rank knows.
template <class Item>
std::vector<std::vector<Item>> inputs_of(int ranks, std::size_t count, Hostile kind) {
  using Real = typename Parts<Item>::Real;
  std::vector<std::vector<Item>> inputs;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto numbers = hostile_elements<Real>(kind, count * Parts<Item>::count,
                                                static_cast<std::uint64_t>(rank + 100 * ranks));
    std::vector<Item> items(count);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (Parts<Item>::count == 2) {
        items[i] = {numbers[2 * i], numbers[2 * i + 1]};
      } else {
        items[i] = numbers[i];
      }
    }
    inputs.push_back(items);
  }
  return inputs;
}

template <class Item>
Item joined(bool product, const Item& left, const Item& right) {
  if (!product) return left + right;
  if constexpr (Parts<Item>::count == 2) {
    return {left.real() * right.real() - left.imag() * right.imag(),
            left.real() * right.imag() + left.imag() * right.real()};
  } else {
    return left * right;
  }
}

template <class Item>
std::vector<Item> expected_of(const std::vector<std::vector<Item>>& inputs, bool product) {
  std::vector<Item> expected;
  for (std::size_t i = 0; i < inputs[0].size(); ++i) {
    std::vector<Item> operands;
    for (const auto& input : inputs) operands.push_back(input[i]);
    const std::span<const Item> span(operands);
    expected.push_back(reduced(span, 1, [=](const Item& left, const Item& right) {
      return joined(product, left, right);
    }));
  }
  return expected;
}

/// Whether a result has the bits of the expected number, or those of the one quiet NaN.
template <class Real>
bool has_bits(Real result, Real expected) {
  if constexpr (sizeof(Real) <= 8) {
    const auto right = bits(expected);
    return std::memcmp(&result, &right, sizeof result) == 0;
  } else {
    if (std::isnan(expected)) return std::isnan(result) && !std::signbit(result);
    return result == expected && std::signbit(result) == std::signbit(expected);
  }
}
template <class Real>
bool has_bits(std::complex<Real> result, std::complex<Real> expected) {
  return has_bits(result.real(), expected.real()) && has_bits(result.imag(), expected.imag());
}

template <class Item>
int differences(const std::vector<Item>& results, const std::vector<Item>& expected,
                std::size_t from = 0) {
  int different = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    different += has_bits(results[i], expected[from + i]) ? 0 : 1;
  }
  return different;
}

/// Calls every reduction with `count` items of a type.
template <class Item>
void check_calls(MPI_Comm comm, MPI_Datatype type, std::size_t count, Hostile kind, MPI_Op op) {
  const int ranks = size_of(comm);
  const int rank = rank_in(comm);
  CAPTURE(ranks, count, static_cast<int>(kind), op == MPI_PROD, sizeof(Item));
  const auto inputs = inputs_of<Item>(ranks, count, kind);
  const auto& mine = inputs[static_cast<std::size_t>(rank)];
  const auto expected = expected_of(inputs, op == MPI_PROD);
  const int items = static_cast<int>(count);

  std::vector<Item> result(count);
  MPI_Allreduce(mine.data(), result.data(), items, type, op, comm);
  CHECK(differences(result, expected) == 0);
  result = mine;
  MPI_Allreduce(MPI_IN_PLACE, result.data(), items, type, op, comm);
  CHECK(differences(result, expected) == 0);

  for (const int root : {0, ranks - 1}) {
    for (const bool in_place : {false, true}) {
      result = mine;
      const bool here = rank == root;
      MPI_Reduce(in_place && here ? MPI_IN_PLACE : mine.data(), here ? result.data() : nullptr,
                 items, type, op, root, comm);
      if (here) CHECK(differences(result, expected) == 0);
    }
  }

  // The last rank gets most items, and the one before it none.
  std::vector<int> counts(static_cast<std::size_t>(ranks), items / ranks);
  if (ranks > 1) counts[static_cast<std::size_t>(ranks) - 2] = 0;
  counts.back() = 0;
  std::size_t before = 0;
  int others = 0;
  for (int i = 0; i < ranks; ++i) {
    if (i < rank) before += static_cast<std::size_t>(counts[static_cast<std::size_t>(i)]);
    others += counts[static_cast<std::size_t>(i)];
  }
  counts.back() = items - others;
  const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
  result.assign(own, Item(7));
  MPI_Reduce_scatter(mine.data(), result.data(), counts.data(), type, op, comm);
  CHECK(differences(result, expected, before) == 0);
  result = mine;
  MPI_Reduce_scatter(MPI_IN_PLACE, result.data(), counts.data(), type, op, comm);
  result.resize(own);
  CHECK(differences(result, expected, before) == 0);

  const std::size_t block = count / static_cast<std::size_t>(ranks);
  result.assign(block, Item(7));
  MPI_Reduce_scatter_block(mine.data(), result.data(), static_cast<int>(block), type, op, comm);
  CHECK(differences(result, expected, block * static_cast<std::size_t>(rank)) == 0);
}

template <class Item>
void check_type(MPI_Comm comm, MPI_Datatype type) {
  check_calls<Item>(comm, type, 37, Hostile::specials, MPI_SUM);
  check_calls<Item>(comm, type, 37, Hostile::cancelling, MPI_PROD);
}

void check_communicator(MPI_Comm comm) {
  for (const Hostile kind : all_hostile) check_calls<double>(comm, MPI_DOUBLE, 37, kind, MPI_SUM);
  check_calls<float>(comm, MPI_FLOAT, 1, Hostile::cancelling, MPI_SUM);
  check_type<double>(comm, MPI_DOUBLE);
  check_type<float>(comm, MPI_FLOAT);
  check_type<long double>(comm, MPI_LONG_DOUBLE);
  check_type<std::complex<float>>(comm, MPI_C_FLOAT_COMPLEX);
  check_type<std::complex<double>>(comm, MPI_C_DOUBLE_COMPLEX);
  check_type<std::complex<long double>>(comm, MPI_C_LONG_DOUBLE_COMPLEX);
}

/// The all-reduce of the MPI library itself.
decltype(&MPI_Allreduce) library_allreduce() {
  Dl_info info{};
  REQUIRE(dladdr(dlsym(RTLD_DEFAULT, "MPI_Get_version"), &info) != 0);
  void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  return reinterpret_cast<decltype(&MPI_Allreduce)>(dlsym(library, "PMPI_Allreduce"));
}

}  // namespace

TEST_CASE("every reduction has the bits of the tree over ranks") {
  check_communicator(MPI_COMM_WORLD);
  check_communicator(MPI_COMM_SELF);
  // In reverse, without the last rank, and freed again: each has a communicator of its own.
  const int rank = rank_in(MPI_COMM_WORLD);
  for (int without = 1; without < size_of(MPI_COMM_WORLD) - 1; ++without) {
    MPI_Comm part = MPI_COMM_NULL;
    const bool in = rank + without < size_of(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, -rank, &part);
    if (!in) continue;
    check_calls<double>(part, MPI_DOUBLE, 1400, Hostile::cancelling, MPI_SUM);
    check_calls<double>(part, MPI_DOUBLE, 5, Hostile::spread, MPI_SUM);
    MPI_Comm_free(&part);
  }
}

TEST_CASE("long vectors have the same bits") {
  // Vectors that go up the tree, and vectors of several segments.
  for (const std::size_t count : {1400, 3000, 140000}) {
    check_calls<double>(MPI_COMM_WORLD, MPI_DOUBLE, count, Hostile::specials, MPI_SUM);
  }
  check_calls<std::complex<long double>>(MPI_COMM_WORLD, MPI_C_LONG_DOUBLE_COMPLEX, 1000,
                                         Hostile::cancelling, MPI_PROD);
}

TEST_CASE("types of Fortran and C++ are known") {
  check_calls<float>(MPI_COMM_WORLD, MPI_REAL, 9, Hostile::spread, MPI_SUM);
  check_calls<double>(MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, 9, Hostile::spread, MPI_SUM);
  check_calls<float>(MPI_COMM_WORLD, MPI_REAL4, 9, Hostile::spread, MPI_SUM);
  check_calls<double>(MPI_COMM_WORLD, MPI_REAL8, 9, Hostile::spread, MPI_SUM);
  check_calls<std::complex<float>>(MPI_COMM_WORLD, MPI_COMPLEX, 9, Hostile::spread, MPI_PROD);
  check_calls<std::complex<double>>(MPI_COMM_WORLD, MPI_DOUBLE_COMPLEX, 9, Hostile::spread,
                                    MPI_PROD);
  check_calls<std::complex<double>>(MPI_COMM_WORLD, MPI_CXX_DOUBLE_COMPLEX, 9, Hostile::spread,
                                    MPI_SUM);
}

TEST_CASE("the MPI library itself has other bits here") {
  const int ranks = size_of(MPI_COMM_WORLD);
  if (ranks < 3) return;
  const auto inputs = inputs_of<double>(ranks, 50, Hostile::spread);
  const auto& mine = inputs[static_cast<std::size_t>(rank_in(MPI_COMM_WORLD))];
  std::vector<double> result(50);
  library_allreduce()(mine.data(), result.data(), 50, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(differences(result, expected_of(inputs, false)) > 0);
}

TEST_CASE("what the library must execute still works") {
  const int ranks = size_of(MPI_COMM_WORLD);
  const int rank = rank_in(MPI_COMM_WORLD);
  const int all = ranks * (ranks + 1) / 2;
  const int mine = rank + 1;
  int total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(total == all);
  const double number = mine;
  double sum = 0;
  MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(sum == ranks);
  MPI_Scan(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == mine * (mine + 1) / 2);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == all);
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create([](void* from, void* to, int*,
                   MPI_Datatype*) { *static_cast<double*>(to) += *static_cast<double*>(from); },
                1, &own);
  MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, own, MPI_COMM_WORLD);
  MPI_Op_free(&own);
  CHECK(sum == all);
  sum = 5;
  MPI_Allreduce(&number, &sum, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == 5);
#ifdef OPEN_MPI
  // Debian's MPICH does not check arguments.
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  CHECK(MPI_Reduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, ranks, copy) != MPI_SUCCESS);
  CHECK(MPI_Allreduce(&number, &sum, -1, MPI_DOUBLE, MPI_SUM, copy) != MPI_SUCCESS);
  MPI_Comm_free(&copy);
#endif
  if (ranks < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &between);
  MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, between);
  CHECK(sum == (rank == 0 ? all - 1 : 1));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

#if MPI_VERSION >= 4
TEST_CASE("large counts have the same bits") {
  const int ranks = size_of(MPI_COMM_WORLD);
  const auto inputs = inputs_of<double>(ranks, 20, Hostile::spread);
  const auto& mine = inputs[static_cast<std::size_t>(rank_in(MPI_COMM_WORLD))];
  std::vector<double> result(20);
  MPI_Allreduce_c(mine.data(), result.data(), 20, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(differences(result, expected_of(inputs, false)) == 0);
}
#endif

}  // namespace reproducible_mpi_test
