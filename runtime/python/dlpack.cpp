// SPDX-License-Identifier: MIT

#include <cstring>
#include <utility>

#include "module.hpp"

namespace bracket::python {

namespace {

// The structures of DLPack (https://dmlc.github.io/dlpack), versions 0 and 1.

struct Tensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t dimensions;
  std::uint8_t code;  // of the kind of a number
  std::uint8_t bits;
  std::uint16_t lanes;  // numbers of an element
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null for an array without gaps
  std::uint64_t byte_offset;
};

struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct Versioned {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;

  static constexpr std::uint64_t read_only = 1;
};

/// Letter of a kind of numbers in NumPy's written types; 0 for a kind that NumPy lacks.
char kind_of(std::uint8_t code) {
  switch (code) {
    case 0:
      return 'i';
    case 1:
      return 'u';
    case 2:
      return 'f';
    case 5:
      return 'c';
    case 6:
      return 'b';
    default:
      return 0;
  }
}

/// An array that another library has given away in a capsule, described as NumPy wants it.
class DLPackArray {
 public:
  explicit DLPackArray(const py::object& capsule) {
    if (PyCapsule_IsValid(capsule.ptr(), versioned_name) != 0) {
      versioned_ = static_cast<Versioned*>(PyCapsule_GetPointer(capsule.ptr(), versioned_name));
      if (versioned_->major != 1) {
        throw Error("an array of DLPack " + std::to_string(versioned_->major) +
                    ": versions 0 and 1 are known");
      }
      tensor_ = &versioned_->tensor;
    } else if (PyCapsule_IsValid(capsule.ptr(), name) != 0) {
      managed_ = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
      tensor_ = &managed_->tensor;
    } else {
      throw Error("__dlpack__ returned no capsule of an array, or one that was used before");
    }
    if (tensor_->lanes != 1 || tensor_->bits == 0 || tensor_->bits % 8 != 0 ||
        kind_of(tensor_->code) == 0) {
      throw Error("an array whose elements NumPy lacks (DLPack type " +
                  std::to_string(tensor_->code) + ", " + std::to_string(tensor_->bits) + " bits, " +
                  std::to_string(tensor_->lanes) + " lanes)");
    }
    // From now on, this object deletes the array.
    PyCapsule_SetName(capsule.ptr(), versioned_ != nullptr ? used_versioned_name : used_name);
    owns_ = true;
  }
  DLPackArray(const DLPackArray&) = delete;
  DLPackArray& operator=(const DLPackArray&) = delete;
  ~DLPackArray() {
    if (!owns_) return;
    if (versioned_ != nullptr && versioned_->deleter != nullptr) versioned_->deleter(versioned_);
    if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
  }

  /// NumPy's `__array_interface__`.
  [[nodiscard]] py::dict interface() const {
    const auto dimensions = static_cast<std::size_t>(tensor_->dimensions);
    const auto size = static_cast<std::int64_t>(tensor_->bits / 8);
    py::tuple shape(dimensions);
    py::tuple strides(dimensions);
    std::int64_t stride = size;
    for (std::size_t k = dimensions; k-- > 0;) {
      shape[k] = tensor_->shape[k];
      strides[k] = tensor_->strides != nullptr ? tensor_->strides[k] * size : stride;
      stride *= tensor_->shape[k];
    }
    auto address = reinterpret_cast<std::uintptr_t>(tensor_->data) + tensor_->byte_offset;
    if (address == 0) address = 1;  // NumPy refuses 0, the address of an array without elements
    const bool read_only = versioned_ != nullptr && (versioned_->flags & Versioned::read_only) != 0;
    py::dict made;
    made["version"] = 3;
    made["shape"] = shape;
    made["strides"] = strides;
    made["typestr"] = std::string(size == 1         ? "|"
                                  : little_endian() ? "<"
                                                    : ">") +
                      kind_of(tensor_->code) + std::to_string(size);
    made["data"] = py::make_tuple(address, read_only);
    return made;
  }

 private:
  static constexpr const char* name = "dltensor";
  static constexpr const char* used_name = "used_dltensor";
  static constexpr const char* versioned_name = "dltensor_versioned";
  static constexpr const char* used_versioned_name = "used_dltensor_versioned";

  static bool little_endian() {
    const std::uint16_t one = 1;
    std::uint8_t first = 0;
    std::memcpy(&first, &one, 1);
    return first == 1;
  }

  Managed* managed_ = nullptr;  // one of both
  Versioned* versioned_ = nullptr;
  Tensor* tensor_ = nullptr;
  bool owns_ = false;
};

}  // namespace

void define_dlpack(py::module_& module) {
  py::class_<DLPackArray>(module, "DLPackArray")
      .def(py::init<py::object>())
      .def_property_readonly("__array_interface__", &DLPackArray::interface);
}

}  // namespace bracket::python
