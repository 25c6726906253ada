// SPDX-License-Identifier: MIT

#include "bracket/runtime/device.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "bracket/runtime/host_memory.hpp"
#include "bracket/runtime/memory.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "device/kinds.hpp"

namespace bracket::runtime::device {

namespace {

/// Asks CUDA's driver about addresses, if this program has loaded it. The driver's function and
/// numbers are those of cuda.h.
class Driver {
 public:
  static Driver& get() { return driver_; }

  [[nodiscard]] bool found() const { return get_attribute_ != nullptr; }

  /// Looks for the driver if the program has loaded libraries since the latest look.
  void look_up() {
    if (get_attribute_ != nullptr) return;
    unsigned long long loads = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* count) {
          *static_cast<unsigned long long*>(count) = info->dlpi_adds;
          return 1;  // the first entry suffices
        },
        &loads);
    if (loads_ == loads) return;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library != nullptr) {
      get_attribute_ = reinterpret_cast<GetAttribute*>(dlsym(library, "cuPointerGetAttribute"));
    }
    loads_ = loads;  // last: another thread may look at the same time
  }

  /// The value of an attribute, or empty if the driver does not know the address.
  [[nodiscard]] std::optional<unsigned> attribute(int number, const void* address) const {
    unsigned value = 0;
    GetAttribute* const get_attribute = get_attribute_;
    if (get_attribute == nullptr || get_attribute(&value, number, address) != 0) return {};
    return value;
  }

 private:
  using GetAttribute = int(void* value, int attribute, const void* address);

  std::atomic<unsigned long long> loads_ = 0;
  std::atomic<GetAttribute*> get_attribute_ = nullptr;

  static Driver driver_;
};

constinit Driver Driver::driver_;

}  // namespace

std::unique_ptr<Fold> make_fold(Kind kind, const Operation& operation, const Launch& launch) {
  return kind == Kind::cuda ? make_cuda_fold(operation, launch)
                            : make_emulated_fold(operation, launch);
}

ArrayMemory ArrayMemory::named(std::string_view name) {
  // Both allocate memory, which runs of a reducer do not.
  Driver::get().look_up();
  find_host_memory();
  if (name.empty()) return {};
  if (name == "host") return {false, {}};
  if (name == "cuda") return {false, Kind::cuda};
  if (name == "emulated") return {false, Kind::emulated};
  throw Error(
      text("memory: there is none called ", excerpt(name), "; known: host, cuda or emulated"));
}

bool ArrayMemory::knows_on_host(const void* address) const {
  return std::find(known_on_host.begin(), known_on_host.end(), address) != known_on_host.end();
}

/// The device that CUDA's driver names for an address. Looks for the driver first, once in a run.
int ArrayMemory::driver_says(const void* address) {
  constexpr int memory_type = 2;
  constexpr int is_managed = 8;
  constexpr int device_ordinal = 9;
  constexpr unsigned of_device = 2;
  constexpr std::uintptr_t alignment = 256;  // of what devices allocate
  Driver& driver = Driver::get();
  if (!driver.found()) {
    if (knows_on_host(address)) return no_device;
    if (!driver_sought) driver.look_up();
    driver_sought = true;
  }
  if (!driver.found()) {
    if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
      known_on_host[next_known++ % known_on_host.size()] = address;
    }
    return no_device;
  }
  if (driver.attribute(memory_type, address) != of_device &&
      driver.attribute(is_managed, address).value_or(0) == 0) {
    return no_device;
  }
  return static_cast<int>(driver.attribute(device_ordinal, address).value_or(0));
}

/// For memory of a kind that the settings name: device 0, unless a driver knows another.
int ArrayMemory::settled_device_of(const void* address) {
  if (address == nullptr) return no_device;
  return *kind == Kind::cuda ? std::max(looked_up_device_of(address), 0) : 0;
}

std::shared_ptr<void> allocate(Kind kind, std::size_t bytes) {
  if (kind == Kind::cuda) return allocate_cuda(bytes);
  return make_zeroed(bytes, 256);
}

void copy_bytes(Kind kind, void* target, const void* source, std::size_t bytes) {
  if (kind == Kind::cuda) return copy_cuda(target, source, bytes);
  std::memcpy(target, source, bytes);
}

int device_of(const void* address) {
  find_host_memory();
  ArrayMemory memory;
  return memory.device_of(address);
}

}  // namespace bracket::runtime::device
