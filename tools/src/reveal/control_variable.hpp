// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bracket/runtime/mpi.hpp"

namespace bracket::tools {

/// A control variable of the MPI library that holds one integer (MPI 4.0, section 15.3.6).
class ControlVariable {
 public:
  /// Throws `Error` if the library has no variable of this name.
  explicit ControlVariable(const std::string& name);
  ~ControlVariable();
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  [[nodiscard]] int value() const;

  /// Throws `Error` if the library refuses it.
  void set(int value) const;

  /// The values with names, by name. MPICH gives names only as text that describes the variable; of
  /// these, only the `wanted` names are found.
  [[nodiscard]] std::vector<std::pair<std::string, int>> named_values(
      std::span<const char* const> wanted) const;

 private:
  std::string name_;
  int index_ = 0;
  MPI_T_cvar_handle handle_{};
};

}  // namespace bracket::tools
