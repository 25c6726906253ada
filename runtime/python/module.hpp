// SPDX-License-Identifier: MIT

#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bracket/runtime/mpi.hpp"
#include "bracket/runtime/settings.hpp"
#include "bracket/support/error.hpp"

/// What the parts of the extension share.
namespace bracket::python {

namespace py = pybind11;

/// The communicator at the address of mpi4py's handle.
inline MPI_Comm communicator_at(std::uintptr_t address) {
  return *reinterpret_cast<MPI_Comm*>(address);
}

inline Settings make_settings(const std::string& algorithm, bool widened, bool checked,
                              std::optional<Rank> root, const std::string& plan, int threads,
                              const std::string& kernel, const std::string& memory) {
  Settings settings;
  settings.algorithm = algorithm;
  settings.widened = widened;
  settings.checked = checked;
  settings.root = root;
  settings.plan = plan;
  settings.threads = threads;
  settings.kernel = kernel;
  settings.memory = memory;
  return settings;
}

/// The error if another thread is in a call, which goes on. `AnyReducer` has the same message; this
/// class differs from errors that end a run.
class Busy : public Error {
 public:
  using Error::Error;
};

/// Admits one call at a time. Constructed and destroyed with the interpreter's lock, which may be
/// released in between.
class CallGuard {
 public:
  CallGuard(bool& inside, const char* words) : inside_(inside) {
    if (inside_) throw Busy(words);
    inside_ = true;
  }
  ~CallGuard() { inside_ = false; }
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

 private:
  bool& inside_;
};

/// Adds the class of accumulators to the module.
void define_accumulator(py::module_& module);

/// Adds the class of arrays that other libraries give away in capsules of DLPack.
void define_dlpack(py::module_& module);

}  // namespace bracket::python
