// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/planned_reduction.hpp"
#include "support/world.hpp"

namespace own_operators_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::PlannedReduction;
using testing::world;

namespace {

/// An operator with a limited number of copies on some ranks.
struct Reluctant {
  static inline int copies_left = -1;  // negative: no limit

  Reluctant() = default;
  Reluctant(const Reluctant&) {
    if (copies_left == 0) throw Error("no more copies");
    if (copies_left > 0) --copies_left;
  }
  Reluctant& operator=(const Reluctant&) = default;
  double operator()(double left, double right) const { return left + right; }
};

/// The largest size allowed, with an alignment that no address has by chance.
struct alignas(4096) Page {
  std::array<double, 512> numbers{};

  [[nodiscard]] bool aligned() const { return reinterpret_cast<std::uintptr_t>(this) % 4096 == 0; }
};

Settings in_chunks(Index chunk) {
  Settings settings;
  settings.algorithm = chunk == 1 ? "tree" : text("chunked-tree:", chunk);
  return settings;
}

}  // namespace

TEST_CASE("own operators: a function object that holds something and cannot be made from nothing") {
  const double factor = 2;
  const auto join = [factor](double left, double right) { return left + right + factor - 2; };
  Reducer<double, decltype(join)> sum(MPI_COMM_WORLD, Layout::contiguous(3), {}, join);
  const std::vector<double> own{1, 2, 3};
  CHECK(*sum.run(own) == 6.0 * world().size());
}

TEST_CASE("own operators: elements that are bool") {
  for (const int threads : {1, 2}) {
    Settings settings;
    settings.threads = threads;
    const Index count = 300'000;  // enough for two threads
    Reducer<bool, std::logical_and<>> all(MPI_COMM_WORLD, Layout::contiguous(count), settings);
    const auto own = std::make_unique<bool[]>(static_cast<std::size_t>(count));
    const std::span elements(own.get(), static_cast<std::size_t>(count));
    std::fill(elements.begin(), elements.end(), true);
    CHECK(*all.run(elements));
    if (world().rank() == world().size() - 1) elements[123'456] = false;
    CHECK(!*all.run(elements));
    const Reducer<bool, std::logical_or<>> any(MPI_COMM_WORLD, Layout::contiguous(count), settings);
  }
  const auto order = make_order("tree", world().size());
  const std::vector<Index> counts(static_cast<std::size_t>(world().size()), 1);
  const auto distribution = Distribution::from_counts(counts);
  PlannedReduction<Reduction<bool, std::logical_and<>>> native(
      MPI_COMM_WORLD, Problem{order, distribution, Delivery::to_all()}, *make_plan("native"));
  const bool own = world().rank() > 0;
  CHECK(!*native.run(std::span(&own, 1)));
}

TEST_CASE("own operators: large elements with an alignment") {
  const auto join = [](const Page& left, const Page& right) {
    if (!left.aligned() || !right.aligned()) throw Error("an element is not aligned");
    Page sum;
    for (std::size_t i = 0; i < sum.numbers.size(); ++i) {
      sum.numbers[i] = left.numbers[i] + right.numbers[i];
    }
    return sum;
  };
  constexpr std::size_t count = 40;
  // Contiguous, and with a stride at which no element is aligned.
  std::vector<Page> pages(count);
  std::vector<std::byte> anywhere((count + 1) * sizeof(Page) + sizeof(Page));
  for (std::size_t i = 0; i < count; ++i) {
    pages[i].numbers.fill(1);
    std::memcpy(anywhere.data() + 8 + i * (sizeof(Page) + 8), &pages[i], sizeof(Page));
  }
  const Layout apart{{Index{count}}, {}, {Index{sizeof(Page) + 8}}};
  for (const Index chunk : {1, 3, 64}) {
    using Sum = Reducer<Page, decltype(join)>;
    Sum sum(MPI_COMM_WORLD, Layout::contiguous(Index{count}), in_chunks(chunk), join);
    const Page result = *sum.run(pages);
    CHECK(result.numbers.back() == 40.0 * world().size());
    Sum sum_apart(MPI_COMM_WORLD, apart, in_chunks(chunk), join);
    const Operand<Page> operand{{reinterpret_cast<const Page*>(anywhere.data() + 8), count + 1}};
    Page found;
    sum_apart.run(std::span(&operand, 1), std::span(&found, 1));
    CHECK(found.numbers.front() == 40.0 * world().size());
  }
}

TEST_CASE("own operators: one that cannot be copied on one rank is refused on all") {
  const bool wrong = world().rank() == world().size() - 1;
  const Reluctant function;
  for (const char* const plan : {"dissemination", "native"}) {
    Reluctant::copies_left = wrong ? 0 : -1;
    const std::string words = words_of([&] {
      Reducer<double, Reluctant>(MPI_COMM_WORLD, Layout::contiguous(1), {.plan = plan}, function);
    });
    Reluctant::copies_left = -1;
    CHECK_THAT(words, Catch::Contains("no more copies"));
  }
}

}  // namespace own_operators_mpi_test
