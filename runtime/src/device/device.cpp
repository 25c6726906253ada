#include "bracket/runtime/device.hpp"

#include <dlfcn.h>

#include <cstring>

#include "bracket/runtime/memory.hpp"
#include "device/kinds.hpp"

namespace bracket::runtime::device {

namespace {

/// Asks CUDA's driver about an address, if this program has loaded it. The driver's functions and
/// numbers are those of cuda.h.
class Driver {
 public:
  static const Driver& get() {
    // Looked up until it is there: the program may load it later.
    static Driver driver;
    if (driver.get_attribute_ == nullptr) driver.look_up();
    return driver;
  }

  /// The value of an attribute, or empty if the driver does not know the address.
  [[nodiscard]] std::optional<unsigned> attribute(int number, const void* address) const {
    unsigned value = 0;
    if (get_attribute_ == nullptr || get_attribute_(&value, number, address) != 0) return {};
    return value;
  }

 private:
  using GetAttribute = int(void* value, int attribute, const void* address);

  void look_up() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return;
    get_attribute_ = reinterpret_cast<GetAttribute*>(dlsym(library, "cuPointerGetAttribute"));
  }

  GetAttribute* get_attribute_ = nullptr;
};

}  // namespace

std::unique_ptr<Fold> make_fold(Kind kind, const Operation& operation, const Launch& launch) {
  return kind == Kind::cuda ? make_cuda_fold(operation, launch)
                            : make_emulated_fold(operation, launch);
}

std::shared_ptr<void> allocate(Kind kind, std::size_t bytes) {
  if (kind == Kind::cuda) return allocate_cuda(bytes);
  return make_zeroed(bytes, 256);
}

void copy_bytes(Kind kind, void* target, const void* source, std::size_t bytes) {
  if (kind == Kind::cuda) return copy_cuda(target, source, bytes);
  std::memcpy(target, source, bytes);
}

std::optional<int> device_of(const void* address) {
  constexpr int memory_type = 2;
  constexpr int is_managed = 8;
  constexpr int device_ordinal = 9;
  constexpr unsigned of_device = 2;
  if (address == nullptr) return {};
  const Driver& driver = Driver::get();
  if (driver.attribute(memory_type, address) != of_device &&
      driver.attribute(is_managed, address).value_or(0) == 0) {
    return {};
  }
  return static_cast<int>(driver.attribute(device_ordinal, address).value_or(0));
}

}  // namespace bracket::runtime::device
