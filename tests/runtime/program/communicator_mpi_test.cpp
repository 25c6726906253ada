// SPDX-License-Identifier: MIT

#include "bracket/runtime/communicator.hpp"

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bracket/runtime/reducer.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/world.hpp"

namespace communicator_mpi_test {

using namespace bracket;
using testing::world;

namespace {

Settings to_root() {
  Settings settings;
  settings.root = 0;
  return settings;
}

/// Sums one element of each rank; 0 on ranks without the result.
double sum_of(Reducer<double>& reducer, double own) {
  return reducer.run(std::span(&own, 1)).value_or(0);
}

/// A communicator over half of MPI_COMM_WORLD's ranks, freed with the object.
class Halves {
 public:
  Halves() { MPI_Comm_split(MPI_COMM_WORLD, world().rank() % 2, world().rank(), &handle_); }
  ~Halves() { MPI_Comm_free(&handle_); }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] int size() const {
    int size = 0;
    MPI_Comm_size(handle_, &size);
    return size;
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

struct FailingSum {
  bool fails = false;
  double operator()(double left, double right) const {
    if (fails) throw std::runtime_error("this rank adds nothing");
    return left + right;
  }
};

}  // namespace

TEST_CASE("communicator: everything made on one original shares a duplicate, with other tags") {
  const Communicator first(world().handle());
  const Communicator second(world().handle());
  const Communicator alone(world().handle(), Communicator::Use::alone);
  CHECK(first.handle() == second.handle());
  CHECK(first.handle() != world().handle());
  CHECK(alone.handle() != first.handle());
  CHECK(second.number() == first.number() + 1);
  CHECK(first.message_tag() != first.notice_tag());
  CHECK(second.message_tag() > first.notice_tag());
}

TEST_CASE("communicator: tags are those that MPI promises, however many there are") {
  const Halves halves;
  const Communicator first(halves.handle());
  for (int i = 0; i < 40'000; ++i) {
    const Communicator next(halves.handle());
    if (next.notice_tag() > 32767) FAIL(next.number());
    if (next.handle() == first.handle() && next.number() == first.number()) FAIL(next.number());
  }
}

TEST_CASE("communicator: ranks out of step are told") {
  if (world().size() == 1) return;
  const Halves halves;
  // All ranks of a half make the same communicators, but one rank makes one more.
  const Communicator shared(halves.handle());
  if (halves.size() == 1) return;
  int rank = 0;
  MPI_Comm_rank(halves.handle(), &rank);
  std::optional<Communicator> more;
  if (rank == 0) more.emplace(halves.handle());
  const Communicator next(halves.handle());
  CHECK_THROWS_WITH(fail_together(next, ""), Catch::Contains("some ranks have made more"));
}

TEST_CASE("communicator: words that are not those of all ranks name a rank") {
  const Communicator all(MPI_COMM_WORLD);
  const auto told = [&](const std::string& failure) {
    return words_of([&] { fail_together(all, failure); });
  };
  const int rank = world().rank();
  const bool one = world().size() == 1;
  CHECK(told("wrong") == "wrong");
  CHECK(told(text("wrong on ", rank)) == (one ? "wrong on 0" : "rank 0: wrong on 0"));
  const std::string last = rank == world().size() - 1 ? "wrong" : "";
  CHECK(told(last) == (one ? "wrong" : text("rank ", world().size() - 1, ": wrong")));
}

TEST_CASE("communicator: a message that is not received reaches no later reducer") {
  const bool root = world().rank() == 0;
  for (int i = 0; i < 50; ++i) {
    {
      Reducer<double> reducer(MPI_COMM_WORLD, Layout::contiguous(1), to_root());
      CHECK(sum_of(reducer, 1) == (root ? world().size() : 0));
      if (!root) sum_of(reducer, 7);
    }
    Reducer<double> next(MPI_COMM_WORLD, Layout::contiguous(1), to_root());
    CHECK(sum_of(next, 1000) == (root ? 1000 * world().size() : 0));
  }
}

TEST_CASE("communicator: after a failure on one rank the next reducer is as any other") {
  for (const bool everywhere : {false, true}) {
    for (int i = 0; i < 300; ++i) {
      const bool failing = i % 2 == 1 && world().rank() == i % world().size();
      const Settings settings = everywhere ? Settings{} : to_root();
      try {
        Reducer<double, FailingSum> reducer(MPI_COMM_WORLD, Layout::contiguous(2), settings,
                                            FailingSum{failing});
        const std::array own{1.0, 1.0};
        const auto sum = reducer.run(own);
        if (sum && i % 2 == 0) CHECK(*sum == 2 * world().size());
      } catch (const Error& error) {
        if (i % 2 == 0) FAIL(error.what());
        CHECK_THAT(error.what(), Catch::Contains("this rank adds nothing"));
      } catch (const std::runtime_error& error) {
        CHECK(failing);
      }
    }
  }
}

TEST_CASE("communicator: communicators that are freed leave nothing behind") {
  // MPICH has about 2000 communicators. With more ranks than cores, making one takes long.
  const int times = world().size() <= 2 ? 5000 : 200;
  for (int i = 0; i < times; ++i) {
    std::unique_ptr<Reducer<double>> outliving;
    double sum = 0;
    int size = 0;
    {
      const Halves halves;
      size = halves.size();
      Reducer<double> reducer(halves.handle(), Layout::contiguous(1));
      if (i % 3 == 0)
        outliving = std::make_unique<Reducer<double>>(halves.handle(), Layout::contiguous(1));
      sum = sum_of(reducer, 1);
    }
    if (sum != size) FAIL(sum);
    if (outliving && sum_of(*outliving, 2) != 2 * size) FAIL("a reducer outlives its original");
  }
}

TEST_CASE("communicator: reducers side by side, waited for in other orders on other ranks") {
  std::vector<std::unique_ptr<Reducer<double>>> reducers;
  for (int k = 0; k < 3; ++k) {
    reducers.push_back(std::make_unique<Reducer<double>>(MPI_COMM_WORLD, Layout::contiguous(1)));
  }
  for (int i = 0; i < 20; ++i) {
    std::array<double, 3> own{1, 10, 100};
    std::array<double, 3> sums{};
    std::array<Operand<double>, 3> operands;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t turn = (k + static_cast<std::size_t>(world().rank())) % 3;
      operands[turn] = {std::span(&own[turn], 1)};
      reducers[turn]->start(std::span(&operands[turn], 1), std::span(&sums[turn], 1));
    }
    for (bool done = false; !done;) {
      done = true;
      for (auto& reducer : reducers) done = reducer->test() && done;
    }
    CHECK(sums == std::array{1.0 * world().size(), 10.0 * world().size(), 100.0 * world().size()});
  }
}

}  // namespace communicator_mpi_test
