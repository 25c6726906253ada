// SPDX-License-Identifier: MIT

#include <array>
#include <vector>

#include "bracket/runtime/kernel.hpp"
#include "measure/calibration_parts.hpp"
#include "support/catch.hpp"

namespace measured_computations_test {

using namespace bracket;

namespace {

double folded(const char* spec, const std::vector<double>& memory, Index count) {
  const auto measured =
      runtime::calibration::measured_operation(make_operation(spec), runtime::select_kernel());
  const auto computation = measured->over(memory.data(), count);
  const auto target = computation->make_slots(1);
  computation->fold_own(0, count, 0, 1, target.get());
  double result = 0;
  measured->finish(target.get(), 1, &result);
  return result;
}

std::size_t element_bytes(const char* spec) {
  return runtime::calibration::measured_operation(make_operation(spec), runtime::select_kernel())
      ->element_bytes();
}

}  // namespace

TEST_CASE("calibrate multiplies two arrays, or one array with itself") {
  const std::vector<double> memory{3, 5, 2, 7};
  CHECK(folded("sum/float64", memory, 2) == 8);
  CHECK(folded("products/float64", memory, 2) == 41);
  CHECK(folded("squares/float64", memory, 2) == 34);
  CHECK(element_bytes("sum/float64") == 8);
  CHECK(element_bytes("products/float64") == 16);
  CHECK(element_bytes("squares/float64") == 8);
}

}  // namespace measured_computations_test
