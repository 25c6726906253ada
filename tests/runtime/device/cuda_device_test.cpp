// SPDX-License-Identifier: MIT

#include "bracket/support/error.hpp"
#include "runtime/device/device_checks.hpp"

namespace cuda_device_test {

using namespace device_checks;

namespace {

constexpr auto kind = device::Kind::cuda;

/// Whether there is a device; otherwise says that the test is skipped.
bool have_device() {
  if (device::cuda_devices() > 0) return true;
  WARN("skipped: " << (device::built_for_cuda() ? "no CUDA device was found"
                                                : "this build has no CUDA"));
  return false;
}

}  // namespace

TEST_CASE("A CUDA device has the bits of the references at every length and alignment") {
  if (!have_device()) return;
  check_all_lengths<double>(kind);
  check_all_lengths<float>(kind);
}

TEST_CASE("A CUDA device folds long arrays by blocks of any shape") {
  if (!have_device()) return;
  check_long<double>(kind, {4096, 65537, 1000003});
  check_long<float>(kind, {4096, 65537, 1000003});
}

TEST_CASE("A CUDA device folds the brackets of any range, many in one launch") {
  if (!have_device()) return;
  check_ranges<double>(kind);
  check_ranges<float>(kind);
}

TEST_CASE("A CUDA device folds strided arrays and products") {
  if (!have_device()) return;
  check_layouts<double>(kind);
  check_layouts<float>(kind);
}

TEST_CASE("Memory of a CUDA device is recognised, and memory of the host is not") {
  double of_host = 0;
  CHECK(device::device_of(&of_host) == device::no_device);
  CHECK(device::device_of(nullptr) == device::no_device);
  if (!have_device()) return;
  const auto room = device::allocate(kind, 64);
  CHECK(device::device_of(static_cast<const std::byte*>(room.get()) + 8) == 0);
  CHECK(device::device_of(&of_host) == device::no_device);
}

TEST_CASE("Without CUDA or a device, CUDA's folds say so") {
  if (device::cuda_devices() > 0) return;
  const auto fold_one = [] {
    const auto fold = device::make_fold(kind, make_operation("sum/float64"));
    const double element = 1;
    const FieldCells cells{Cells(Layout::contiguous(1), 8), {}, 0};
    FieldArrays arrays;
    arrays.elements = &element;
    const Range all[] = {{0, 1}};
    fold->start({cells, arrays}, all);
  };
  if (device::built_for_cuda()) {
    CHECK_THROWS_WITH(fold_one(), Catch::Matchers::StartsWith("CUDA: "));
  } else {
    CHECK_THROWS_WITH(fold_one(), Catch::Matchers::Contains("needs a build with CUDA") ||
                                      Catch::Matchers::Contains("has no CUDA"));
  }
}

}  // namespace cuda_device_test
