// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>

#include "common/sum_collective.hpp"

namespace bracket::tools {

/// An MPI library that can be told which algorithms to use.
enum class MpiLibrary { open_mpi, mpich };

/// "openmpi" or "mpich", as users write it.
std::string name_of(MpiLibrary library);

/// "Open MPI" or "MPICH".
std::string title_of(MpiLibrary library);

/// Returns the library of this name. `option` names its option in errors. Throws `Error` for an
/// unknown one.
MpiLibrary mpi_library_named(const std::string& name, const std::string& option);

/// MPICH's variable by which the device (the code for a network) leaves a collective to the
/// algorithms that are chosen, if it is 0. Throws `Error` for a scan.
std::string mpich_device_variable(SumCollective collective);

/// The library that describes itself by these words; empty for another one.
std::optional<MpiLibrary> mpi_library_of(const std::string& words);

/// Name of the algorithm that stands for the library's own choice.
inline constexpr const char* default_algorithm = "default";

}  // namespace bracket::tools
