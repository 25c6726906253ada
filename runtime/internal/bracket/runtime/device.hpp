// SPDX-License-Identifier: MIT

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "bracket/model/operation.hpp"
#include "bracket/model/range.hpp"
#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/host_memory.hpp"

/// Folds of arrays in the memory of a device, such as a GPU.
namespace bracket::runtime::device {

/// Devices that fold.
enum class Kind : std::uint8_t {
  cuda,
  emulated  ///< the host runs the code of devices over its own memory, for tests
};

/// Warps in a block and tiles in the share of a warp, and the sequence in which an emulated device
/// runs. The bits do not depend on them.
struct Launch {
  int warps = 8;           ///< 1, 2, 4 or 8
  int tiles = 0;           ///< a power of two of at most 32; 0 for one that suits the elements
  std::uint64_t seed = 0;  ///< emulated devices: 0 for the natural sequence, otherwise shuffled
};

/// A field in the memory of a device.
struct Source {
  const FieldCells& cells;
  const FieldArrays& arrays;
  Index chunk = 1;  ///< elements that are folded from left to right
  int device = 0;   ///< number of the device
};

/// Folds fields by one operation. The values are those of the operation on the host (see
/// reductions.hpp), with the bits of the `scalar` kernel, except NaN payloads.
class Fold {
 public:
  Fold() = default;
  virtual ~Fold() = default;
  Fold(const Fold&) = delete;
  Fold& operator=(const Fold&) = delete;

  [[nodiscard]] virtual std::size_t value_bytes() const = 0;

  /// Begins to fold brackets, given by the numbers of their elements among this rank's own, after
  /// all work on the device's default stream. Throws `Error` for an address or a stride that is no
  /// multiple of an element's size, and if the device fails.
  virtual void start(const Source& source, std::span<const Range> brackets) = 0;

  /// Waits, and writes the value of each bracket to `values`. Throws `Error` if the device fails.
  virtual void finish(void* values) = 0;

  /// Writes the values of single elements to `values`. Throws as `start` does.
  virtual void copy(const Source& source, Range elements, void* values) = 0;
};

/// Makes the fold of an operation. Throws `Error` for an operation or a type that devices do not
/// have, and without a build for the kind of device.
std::unique_ptr<Fold> make_fold(Kind kind, const Operation& operation, const Launch& launch = {});

/// Whether this build has folds for CUDA.
bool built_for_cuda();

/// Number of devices that CUDA finds; 0 without a build for it.
int cuda_devices();

/// In place of a device's number: the host. An empty `std::optional<int>` is written by parts and
/// read as a whole. The processor waits for that, and every run asks where its arrays lie.
constexpr int no_device = -1;

/// Number of the CUDA device in whose memory an address lies, managed memory included; `no_device`
/// for host memory. Does not initialise CUDA: without that, no address lies there.
int device_of(const void* address);

/// Where the arrays of a reducer lie.
struct ArrayMemory {
  bool looked_up = true;       ///< by their addresses
  std::optional<Kind> kind;    ///< otherwise; empty for the memory of the host
  bool driver_sought = false;  ///< whether CUDA's driver was looked for in this run

  /// The latest addresses that were not of a device because there was no driver. These are not a
  /// reason to look for it again, which takes a fifth of a short run. Multiples of 256 are never
  /// among them, because the allocations of devices begin there. An address inside of an allocation
  /// is taken for one of the host in one case: the program has reduced an array at this address,
  /// has freed it and has then loaded the driver, and the device got the same place.
  std::array<const void*, 4> known_on_host{};
  std::size_t next_known = 0;

  /// The memory that the settings name. Throws `Error` for an unknown name.
  static ArrayMemory named(std::string_view name);

  /// The program may have loaded CUDA's driver since the run before.
  void begin_run() { driver_sought = false; }

  /// Number of the device in whose memory an address lies; `no_device` for the host.
  [[nodiscard]] int device_of(const void* address) {
    if (looked_up) return looked_up_device_of(address);
    return kind ? settled_device_of(address) : no_device;
  }

  /// Number of the device in whose memory results lie. Those of an emulated device lie on the host.
  [[nodiscard]] int device_of_results(const void* address) {
    return looked_up || kind == Kind::cuda ? looked_up_device_of(address) : no_device;
  }

  /// The kind of a device that `device_of` has found.
  [[nodiscard]] Kind device_kind() const { return kind.value_or(Kind::cuda); }

 private:
  [[nodiscard]] int looked_up_device_of(const void* address) {
    return address == nullptr || is_in_heap_or_stack(address) ? no_device : driver_says(address);
  }
  [[nodiscard]] bool knows_on_host(const void* address) const;
  [[nodiscard]] int driver_says(const void* address);
  [[nodiscard]] int settled_device_of(const void* address);
};

/// Memory of the current device, or of the host for an emulated device. Throws `Error` without a
/// device or a build for it, or if the memory is not enough.
std::shared_ptr<void> allocate(Kind kind, std::size_t bytes);

/// Copies bytes between the memories of the host and of devices. Throws `Error` if that fails.
void copy_bytes(Kind kind, void* target, const void* source, std::size_t bytes);

/// Waits for a CUDA stream, given by its handle. Throws `Error` if that fails.
void wait_for_stream(std::uintptr_t stream);

}  // namespace bracket::runtime::device
