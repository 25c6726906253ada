// SPDX-License-Identifier: MIT

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>

#include "bracket/input/input.hpp"
#include "bracket/model/rank_order.hpp"
#include "support/catch.hpp"
#include "support/planned_reduction.hpp"

namespace published_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::PlannedReduction;

namespace {

/// Distinct bits of the sums by every plan, distribution, permutation of ranks and kernel.
/// Reproducible sums give one entry.
std::vector<std::uint64_t> sums_of(const input::Input& input) {
  const Communicator world(MPI_COMM_WORLD);
  const auto order = make_order("tree", input.elements());
  std::vector<std::uint64_t> sums;
  std::vector<Distribution> distributions;
  for (const char* spec : {"lower", "upper", "power2", "optimized:0.2"}) {
    distributions.push_back(make_distribution(spec, input.elements(), world.size()));
  }
  distributions.push_back(
      distributions.back().with_rank_order(make_rank_order("random:1", world.size())));
  for (const auto& distribution : distributions) {
    const Range held = distribution.range(world.rank());
    std::vector<double> own(static_cast<std::size_t>(held.size()));
    input.read(held, own);
    for (const char* plan_spec : {"direct", "buffered", "aggregated", "aggregated:4"}) {
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        PlannedReduction<> reducer(MPI_COMM_WORLD, order, distribution, *make_plan(plan_spec),
                                   Delivery::to_all(), DoubleSum{&kernel});
        sums.push_back(std::bit_cast<std::uint64_t>(reducer.run(own).value()));
      }
    }
    PlannedReduction<> native(MPI_COMM_WORLD, Problem{order, distribution, Delivery::to_all()},
                              *make_plan("native"));
    sums.push_back(std::bit_cast<std::uint64_t>(native.run(own).value()));
  }
  std::sort(sums.begin(), sums.end());
  sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
  return sums;
}

using Bits = std::vector<std::uint64_t>;

}  // namespace

// The thesis's author published these bits for these files.
TEST_CASE("the published sums of phylogenetic likelihoods, bit for bit") {
  const char* const folder = std::getenv("BRACKET_DATA");
  if (folder == nullptr) {
    WARN("BRACKET_DATA does not name the folder of published inputs: nothing compared");
    return;
  }
  const std::filesystem::path data(folder);
  CHECK(sums_of(*input::open_input(data / "354.binpsllh")) == Bits{0xC0B99E673E7E9052});
  CHECK(sums_of(*input::open_input(data / "multi100.binpsllh")) == Bits{0xC0DE408235095FA1});
  CHECK(sums_of(*input::open_input(data / "prim.binpsllh")) == Bits{0xC0B64D0131608EB4});
  CHECK(sums_of(*input::open_input(data / "fusob.binpsllh")) == Bits{0xC0C37B57721E5D72});
}

// A program in another language, which shares no code with this one, computed these: the generator
// by its definition, the sum level by level.
TEST_CASE("the sums of made-up elements, bit for bit") {
  CHECK(sums_of(*input::synthetic_input(1, 1)) == Bits{0x3FCBFEF8030DDC2D});
  CHECK(sums_of(*input::synthetic_input(1000, 1)) == Bits{0x40B0EAFE6ABDA8D4});
  CHECK(sums_of(*input::synthetic_input(239763, 7)) == Bits{0x40FE08E765FEB344});
}

}  // namespace published_mpi_test
