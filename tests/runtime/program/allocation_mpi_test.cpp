// SPDX-License-Identifier: MIT

// This program counts every call of operator new.

#include <atomic>
#include <cstdlib>
#include <new>

#include "bracket/model/rank_order.hpp"
#include "bracket/runtime/reducer.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace {

std::atomic<std::size_t> allocations = 0;  // threads allocate, too

void* allocate(std::size_t bytes) {
  ++allocations;
  if (void* const room = std::malloc(bytes)) return room;
  throw std::bad_alloc();
}

void* allocate(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* const room = std::aligned_alloc(align, (bytes + align - 1) / align * align)) {
    return room;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, alignment);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void operator delete(void* room) noexcept { std::free(room); }
void operator delete[](void* room) noexcept { std::free(room); }
void operator delete(void* room, std::size_t) noexcept { std::free(room); }
void operator delete[](void* room, std::size_t) noexcept { std::free(room); }
void operator delete(void* room, std::align_val_t) noexcept { std::free(room); }
void operator delete[](void* room, std::align_val_t) noexcept { std::free(room); }
void operator delete(void* room, std::size_t, std::align_val_t) noexcept { std::free(room); }
void operator delete[](void* room, std::size_t, std::align_val_t) noexcept { std::free(room); }

namespace allocation_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
namespace {

using testing::PlannedReduction;
using testing::world;

/// Number of allocations in three runs, including the first.
template <class Reduction>
std::size_t allocations_of(Reduction& reducer, const std::vector<double>& own,
                           std::vector<double>& result) {
  const std::size_t before = allocations.load();
  for (int run = 0; run < 3; ++run) reducer.run(own, result);
  return allocations - before;
}

TEST_CASE("the counter counts") {
  const std::size_t before = allocations;
  const auto made = std::make_unique<std::vector<int>>(100);
  CHECK(allocations == before + 2);
}

TEST_CASE("while a plan runs nothing is allocated") {
  for (const Index items : {1, 7, 3000}) {
    // There are enough numbers for each rank to use its threads.
    const Index count = items == 1 ? Index{20011} * world().size() : 101;
    const int threads = items == 7 ? 1 : 2;
    for (const char* const order_spec : {"tree", "chunked-tree:5", "sequential"}) {
      const auto order = make_order(order_spec, count);
      const auto distribution = make_distribution("optimized:0.5", count, world().size())
                                    .with_rank_order(make_rank_order("random:3", world().size()));
      const std::vector<double> own(
          static_cast<std::size_t>(distribution.range(world().rank()).size() * items), 0.1);
      for (const auto& row : plans()) {
        const auto plan = make_plan(row.entry.name);
        const Problem problem{order, distribution, Delivery::to_all(), items};
        try {
          check_fit(problem, *plan);
        } catch (const Error&) {
          continue;
        }
        CAPTURE(order_spec, plan->spec(), items);
        std::vector<double> result(static_cast<std::size_t>(items));
        PlannedReduction<> reducer(MPI_COMM_WORLD, problem, *plan, {}, threads);
        CHECK(allocations_of(reducer, own, result) == 0);
      }
    }
  }
}

TEST_CASE("while a reducer runs nothing is allocated") {
  // Two fields that need memory of their own: products, and cells that are not contiguous.
  const std::vector<double> cells(2 * 20011, 0.1);
  const Layout apart{{20011, 2}, {{0, 20011}, {0, 1}}, {}};
  const Operand<double> operands[] = {{cells, cells}, {cells}};
  for (const std::string algorithm : {"tree", "chunked-tree:4", "binned", "double-double"}) {
    Settings settings;
    settings.algorithm = algorithm;
    settings.threads = 2;
    Field second(apart);
    if (algorithm != "double-double") second.op = Op::maximum;  // it has only sums
    Reducer<double> reducer(MPI_COMM_WORLD, {Field::products(apart, apart), second}, settings);
    double results[2];
    const std::size_t before = allocations.load();
    for (int run = 0; run < 3; ++run) reducer.run(operands, results);
    const std::size_t made = allocations - before;
    CAPTURE(algorithm);
    CHECK(made == 0);
  }
}

}  // namespace
}  // namespace allocation_mpi_test
