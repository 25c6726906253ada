// SPDX-License-Identifier: MIT

#include "bracket/runtime/node.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/world.hpp"

namespace node_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::world;

namespace {

/// The cores that this process may use, as before when this object ends.
class Cores {
 public:
  Cores() {
    CPU_ZERO(&before_);
    REQUIRE(sched_getaffinity(0, sizeof before_, &before_) == 0);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &before_)) all_.push_back(core);
    }
  }
  ~Cores() { sched_setaffinity(0, sizeof before_, &before_); }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  [[nodiscard]] const std::vector<int>& all() const { return all_; }

  /// Returns whether each rank may use its core. Collective.
  static bool use_only(int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    int may = sched_setaffinity(0, sizeof one, &one) == 0 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &may, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (may == 0) WARN("a rank may not use a core of rank 0");
    return may != 0;
  }

 private:
  cpu_set_t before_;
  std::vector<int> all_;
};

/// Whether a rank of a new node tries before it yields its core.
bool tries() {
  Node node(MPI_COMM_WORLD);
  const bool tries = node.tries_before_yield() > 0;
  node.free();
  return tries;
}

}  // namespace

TEST_CASE("a rank yields its core at once if the ranks outnumber the cores") {
  Cores cores;
  int first = cores.all().front();
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!Cores::use_only(first)) return;
  CHECK(count_cores(MPI_COMM_WORLD) == 1);
  CHECK(tries() == (world().size() == 1));
}

TEST_CASE("a rank with a core of its own tries before it yields the core") {
  Cores cores;
  std::vector<int> of_rank_0 = cores.all();
  auto count = static_cast<int>(of_rank_0.size());
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  of_rank_0.resize(static_cast<std::size_t>(count));
  MPI_Bcast(of_rank_0.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  const int used = std::min(count, world().size());
  if (!Cores::use_only(of_rank_0[static_cast<std::size_t>(world().rank() % used)])) return;
  CHECK(count_cores(MPI_COMM_WORLD) == used);
  CHECK(tries() == (used == world().size()));
}

TEST_CASE("a rank that waits looks now and then, after its tries") {
  using Clock = std::chrono::steady_clock;
  constexpr auto wait = std::chrono::milliseconds(20);
  const auto looks_in = [&](int tries_before_yield) {
    int looks = 0;
    int calls = 0;
    const auto begin = Clock::now();
    wait_until([&] { return ++calls > 1000 && Clock::now() - begin > wait; }, [&] { ++looks; },
               tries_before_yield);
    return looks;
  };
  CHECK(looks_in(std::numeric_limits<int>::max()) == 0);
  CHECK(looks_in(0) > 0);
  CHECK(looks_in(1000) > 0);

  int calls = 0;
  int looks = 0;
  wait_until([&] { return ++calls == 3; }, [&] { ++looks; }, 0);
  CHECK(looks <= 1);  // one at most if two yields take less than the time between looks
}

}  // namespace node_mpi_test
