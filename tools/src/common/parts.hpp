// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

namespace bracket::tools {

/// A part of the project that a build may lack.
struct Part {
  std::string name;  ///< `MPI runtime`
  std::string with;  ///< library or compiler that it is built with; empty if it is not built
};

/// Every part, as CMake found it, and the kernels that this processor supports.
std::vector<Part> parts();

/// The version and the parts, one on each line.
std::string version_text();

}  // namespace bracket::tools
