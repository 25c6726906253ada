// SPDX-License-Identifier: MIT

#include <filesystem>

#include "bracket/model/loggp.hpp"
#include "bracket/model/machine_json.hpp"
#include "bracket/model/plan.hpp"
#include "support/catch.hpp"

namespace thesis_node_test {

using namespace bracket;

namespace {

/// LogGP's time, in microseconds, of a sum on the node's 256 ranks with the buffer of the measured
/// program: 4 values, flushed before subtrees above 32.
double predicted_us(Index elements, const std::string& distribution) {
  static const Machine machine =
      read_machine(std::filesystem::path(BRACKET_MACHINES) / "thesis-node.json").machine;
  const auto schedule =
      make_schedule(make_order("tree", elements), make_distribution(distribution, elements, 256),
                    *make_plan("buffered:4:32"), Delivery{});
  return paper_cost(schedule, machine).makespan * 1e6;
}

}  // namespace

// The mean times are published (stelzch/allreduce, jupyter/critical_path.ipynb); 248 is the
// thesis's abstract.
TEST_CASE("thesis-node describes the times of the thesis that it was fitted to, and others") {
  const auto near = [](double measured, double error) {
    return Catch::Approx(measured).epsilon(error);
  };
  for (const auto& [elements, measured] :
       {std::pair<Index, double>{460, 12.58}, {504850, 22.67}, {3011099, 33.19}, {21410970, 248}}) {
    CAPTURE(elements);
    CHECK(predicted_us(elements, "upper") == near(measured, 0.03));
  }
  for (const auto& [elements, measured] : {std::pair<Index, double>{767, 13.93},
                                           {898, 14.98},
                                           {1602, 14.62},
                                           {239763, 19.41},
                                           {1327505, 25.13}}) {
    CAPTURE(elements);
    CHECK(predicted_us(elements, "upper") == near(measured, 0.13));
  }
}

// Means of 3 984 sums with each distribution (jupyter/distribution_experiments.ipynb, 2022-03-15):
// the thesis's figure 3.4.
TEST_CASE("thesis-node predicts the gain of the optimized distribution, which was not fitted") {
  const double even = predicted_us(504850, "upper");
  const double optimized = predicted_us(504850, "optimized-shares:0.2");
  CHECK(optimized == Catch::Approx(18.81).epsilon(0.03));
  CHECK(1 - optimized / even > 0.15);
  CHECK(1 - optimized / even < 0.21);
}

}  // namespace thesis_node_test
