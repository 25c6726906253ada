// SPDX-License-Identifier: MIT

#include "bracket/support/error.hpp"
#include "runtime/device/device_checks.hpp"

namespace emulated_device_test {

using namespace device_checks;

namespace {

constexpr auto kind = device::Kind::emulated;

}  // namespace

TEST_CASE("The leaf of devices has the bits of the references at every length and alignment") {
  check_all_lengths<double>(kind);
  check_all_lengths<float>(kind);
}

TEST_CASE("The leaf of devices folds long arrays by blocks of any shape") {
  check_long<double>(kind, {4096, 65537});
  check_long<float>(kind, {4096, 65537});
}

TEST_CASE("The leaf of devices folds the brackets of any range, many in one launch") {
  check_ranges<double>(kind);
  check_ranges<float>(kind);
}

TEST_CASE("The leaf of devices folds strided arrays and products") {
  check_layouts<double>(kind);
  check_layouts<float>(kind);
}

TEST_CASE("Devices refuse what they cannot fold") {
  const auto made = [](const char* spec) { return device::make_fold(kind, make_operation(spec)); };
  CHECK_THROWS_WITH(made("sum/int64"),
                    "devices reduce float32 and float64, not int64: reduce arrays of the host");
  CHECK_THROWS_WITH(made("digest/float64"),
                    "devices have no operator digest: reduce arrays of the host");
  const auto fold = made("sum/float64");
  alignas(8) const std::byte room[32]{};
  const FieldCells cells{Cells(Layout::contiguous(2), 8), {}, 0};
  FieldArrays arrays;
  arrays.elements = room + 4;
  const Range all[] = {{0, 2}};
  CHECK_THROWS_WITH(fold->start({cells, arrays}, all),
                    "the array of elements has elements at addresses that are no multiples of 8 "
                    "bytes: devices read only those");
}

}  // namespace emulated_device_test
