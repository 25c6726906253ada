// SPDX-License-Identifier: MIT

#include <pybind11/numpy.h>

#include <memory>

#include "bracket/runtime/any_accumulator.hpp"
#include "module.hpp"

namespace bracket::python {

namespace {

/// `AnyAccumulator` for arrays whose type and layout the package has checked.
class PyAccumulator {
 public:
  PyAccumulator(Type type, Op op, const Settings& settings, Index first)
      : accumulator_(type, op, settings, first) {}

  void add(const py::array& elements) {
    const CallGuard guard(inside_, busy);
    const void* const array = elements.data();
    const Index count = elements.size();
    constexpr Index many = 10000;  // take longer than to release the lock
    if (count < many) return accumulator_.add(array, count);
    const py::gil_scoped_release released;
    accumulator_.add(array, count);
  }

  void add_other(const PyAccumulator& other) {
    const CallGuard guard(inside_, busy);
    if (&other != this && other.inside_) throw Busy(busy);
    accumulator_.add(other.accumulator_);
  }

  void reset(Index first) {
    const CallGuard guard(inside_, busy);
    accumulator_.reset(first);
  }

  [[nodiscard]] Index count() const { return accumulator_.held().size(); }

  void value(py::array& result) {
    const CallGuard guard(inside_, busy);
    accumulator_.value(result.mutable_data());
  }

  bool reduce(std::uintptr_t communicator, py::array& result) {
    const CallGuard guard(inside_, busy);
    void* const into = result.mutable_data();
    const py::gil_scoped_release released;
    return accumulator_.reduce(communicator_at(communicator), into);
  }

 private:
  static constexpr const char* busy = "an accumulator is used by two threads at once";

  AnyAccumulator accumulator_;
  bool inside_ = false;  // whether a thread is in a call
};

}  // namespace

void define_accumulator(py::module_& module) {
  py::class_<PyAccumulator>(module, "Accumulator")
      .def(py::init([](const std::string& type, const std::string& op, Index first,
                       const std::string& algorithm, bool widened, bool checked,
                       std::optional<Rank> root, const std::string& plan, int threads,
                       const std::string& kernel) {
        return std::make_unique<PyAccumulator>(
            type_named(type), op_named(op),
            make_settings(algorithm, widened, checked, root, plan, threads, kernel, {}), first);
      }))
      .def("add", &PyAccumulator::add)
      .def("add_other", &PyAccumulator::add_other)
      .def("reset", &PyAccumulator::reset)
      .def_property_readonly("count", &PyAccumulator::count)
      .def("value", [](PyAccumulator& self, py::array result) { self.value(result); })
      .def("reduce", [](PyAccumulator& self, std::uintptr_t communicator, py::array result) {
        return self.reduce(communicator, result);
      });
}

}  // namespace bracket::python
