// SPDX-License-Identifier: MIT

#include "own_operator.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#include "bracket/support/error.hpp"

namespace bracket::python {

namespace py = pybind11;

namespace {

constexpr std::size_t most_bytes = 256;

class PythonOperator final : public runtime::OwnOperator {
 public:
  PythonOperator(py::handle own, std::size_t element_bytes, const std::string& element_type)
      : OwnOperator(element_bytes, 1, element_type.c_str(), "operator of a Python program"),
        own_(own),
        type_(&element_type) {}

  [[nodiscard]] OwnOperator* copy() const override {
    return new PythonOperator(own_, bytes, *type_);
  }
  [[nodiscard]] bool callable() const override { return true; }

  void join(const void* left, const void* right, void* target) const override {
    call(target, "join", [&](const py::object& method) {
      return method(elements_at(left, 1), elements_at(right, 1));
    });
  }

  void fold(const runtime::OwnElements& elements, Index first, Index count, Index chunk,
            void* target) const override {
    // Python folds a block by calls over whole arrays: the larger, the fewer calls.
    std::byte room[runtime::own_block_bytes];
    const auto most =
        static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(sizeof room / bytes)));
    const auto result = fold_in_blocks<Value>(
        count, chunk, most,
        [&](Index from, Index size) {
          Value value;
          call(value.bytes, "fold", [&](const py::object& method) {
            return method(elements_at(elements.get(first + from, size, room), size), chunk);
          });
          return value;
        },
        [&](Value& value, Index from, Index size, bool begins) {
          const void* const more = elements.get(first + from, size, room);
          call(value.bytes, "extend", [&](const py::object& method) {
            return method(elements_at(value.bytes, begins ? 0 : 1), elements_at(more, size));
          });
        },
        [&](const Value& left, const Value& right) {
          Value value;
          join(left.bytes, right.bytes, value.bytes);
          return value;
        });
    std::memcpy(target, result.bytes, bytes);
  }

 private:
  struct Value {
    std::byte bytes[most_bytes]{};
  };

  /// The bytes of elements, which Python must not write.
  [[nodiscard]] py::memoryview elements_at(const void* place, Index count) const {
    return py::memoryview::from_memory(place, count * static_cast<Index>(bytes));
  }

  /// Writes the one element that `use` of a method returns.
  template <class Use>
  void call(void* target, const char* method, Use&& use) const {
    const py::gil_scoped_acquire acquired;
    std::string wrong;
    try {
      const auto result = use(own_.attr(method)).template cast<py::bytes>();
      std::memcpy(target, PyBytes_AS_STRING(result.ptr()), bytes);
    } catch (const py::error_already_set& raised) {
      wrong = words_of(raised);  // here, since the message needs the lock
    }
    if (!wrong.empty()) throw Error(wrong);
  }

  py::handle own_;
  const std::string* type_;
};

}  // namespace

std::string words_of(const py::error_already_set& raised) {
  const auto words = py::str(raised.value()).cast<std::string>();
  return words.empty() ? py::str(raised.type()).cast<std::string>() : words;
}

std::unique_ptr<runtime::OwnOperator> make_python_operator(py::handle own, std::size_t bytes,
                                                           const std::string& type) {
  return std::make_unique<PythonOperator>(own, bytes, type);
}

}  // namespace bracket::python
