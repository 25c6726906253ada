// SPDX-License-Identifier: MIT

#include "bracket/runtime/host_memory.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bracket/runtime/device.hpp"
#include "support/catch.hpp"

namespace host_memory_test {

using namespace bracket::runtime::device;

namespace {

constexpr std::size_t large = 1 << 20;

/// Memory that neither the heap nor a stack has.
std::shared_ptr<void> mapped() {
  void* const found =
      mmap(nullptr, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(found != MAP_FAILED);
  return {found, [](void* memory) { munmap(memory, large); }};
}

/// Whether the heap can be found. Emulators do not say where it is, and a sanitizer has its own.
bool knows_heap() {
#ifdef __SANITIZE_ADDRESS__
  return false;
#endif
#ifdef __has_feature
  if (__has_feature(address_sanitizer)) return false;
#endif
  std::ifstream file("/proc/self/stat");
  const std::vector<std::string> fields{std::istream_iterator<std::string>(file), {}};
  // The second field, the name of this program, is a single word.
  return fields.size() >= 47 && fields[46] != "0";
}

double in_static_memory = 0;

}  // namespace

TEST_CASE("the heap and the stack of the main thread are known, and nothing else is") {
  find_host_memory();
  const double on_stack = 0;
  const auto in_heap = std::make_unique<double>();
  if (knows_heap()) {
    CHECK(is_in_heap_or_stack(&on_stack));
    CHECK(is_in_heap_or_stack(in_heap.get()));
  }
  // A heap that has grown since the latest question.
  std::vector<std::unique_ptr<std::vector<char>>> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<std::vector<char>>(50'000));
  if (knows_heap()) CHECK(is_in_heap_or_stack(many.back()->data() + 49'999));
  const auto memory = mapped();
  CHECK_FALSE(is_in_heap_or_stack(memory.get()));
  CHECK_FALSE(is_in_heap_or_stack(static_cast<char*>(memory.get()) + large - 1));
  CHECK_FALSE(is_in_heap_or_stack(nullptr));
  CHECK_FALSE(is_in_heap_or_stack(&in_static_memory));
  CHECK_FALSE(is_in_heap_or_stack(reinterpret_cast<const void*>(~std::uintptr_t{0})));
}

TEST_CASE("the system is not asked about memory far behind the heap") {
  find_host_memory();
  const auto memory = mapped();
  const auto number = reinterpret_cast<std::uintptr_t>(memory.get());
  if (!knows_heap() || number < host_memory.heap_begin ||
      number - host_memory.heap_begin < std::uintptr_t{1} << 36) {
    WARN("skipped: the memory is not far behind the heap");
    return;
  }
  host_memory.heap_end = 0;  // a question would find it
  CHECK_FALSE(is_in_heap_or_stack(memory.get()));
  CHECK(host_memory.heap_end == 0);
}

TEST_CASE("the stack of another thread is not taken for that of the main thread") {
  find_host_memory();
  const double of_main = 0;
  bool own = true;
  bool other = true;
  std::thread([&] {
    const double here = 0;
    own = is_in_heap_or_stack(&here);
    other = is_in_heap_or_stack(&of_main);
  }).join();
  CHECK_FALSE(own);
  CHECK_FALSE(other);
}

TEST_CASE("the driver is found once the program has loaded it, and not asked about the heap") {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr) {
    WARN("skipped: this process has loaded CUDA's driver");
    return;
  }
  ArrayMemory arrays = ArrayMemory::named("");
  const auto memory = mapped();
  CHECK(device_of(memory.get()) == no_device);
  const auto* const aligned = static_cast<const char*>(memory.get());  // to a page
  CHECK(arrays.device_of(aligned) == no_device);
  CHECK(arrays.device_of(aligned + 16) == no_device);
  void* const driver = dlopen(BRACKET_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(driver != nullptr);
  const auto& questions = *static_cast<int*>(dlsym(driver, "bracket_questions"));
  CHECK(questions == 0);
  CHECK(arrays.device_of(aligned) == no_device);  // in the same run
  arrays.begin_run();
  CHECK(arrays.device_of(aligned + 16) == no_device);  // known
  CHECK(arrays.device_of(aligned) == 3);               // an allocation may begin there
  CHECK(arrays.device_of(aligned + 16) == 3);
  CHECK(device_of(memory.get()) == 3);
  CHECK(ArrayMemory::named("").device_of(memory.get()) == 3);
  CHECK(ArrayMemory::named("cuda").device_of_results(memory.get()) == 3);
  CHECK(ArrayMemory::named("host").device_of(memory.get()) == no_device);
  CHECK(device_of(nullptr) == no_device);
  const int before = questions;
  CHECK(before > 0);
  const auto in_heap = std::make_unique<double>();
  if (knows_heap()) {
    CHECK(device_of(in_heap.get()) == no_device);
    CHECK(questions == before);
  }
}

}  // namespace host_memory_test
