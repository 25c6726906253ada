// SPDX-License-Identifier: MIT

#include "common/mpi_library.hpp"

#include <array>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

struct MpiLibraryNames {
  MpiLibrary library;
  const char* name;
  const char* title;  // its description begins with this
};

constexpr std::array mpi_libraries{MpiLibraryNames{MpiLibrary::open_mpi, "openmpi", "Open MPI"},
                                   MpiLibraryNames{MpiLibrary::mpich, "mpich", "MPICH"}};

const MpiLibraryNames& names_of(MpiLibrary library) {
  return mpi_libraries[static_cast<std::size_t>(library)];
}

}  // namespace

std::string name_of(MpiLibrary library) { return names_of(library).name; }

std::string title_of(MpiLibrary library) { return names_of(library).title; }

MpiLibrary mpi_library_named(const std::string& name, const std::string& option) {
  for (const MpiLibraryNames& row : mpi_libraries) {
    if (name == row.name) return row.library;
  }
  throw Error(text(option, ' ', excerpt(name), ": openmpi or mpich was expected"));
}

std::string mpich_device_variable(SumCollective collective) {
  switch (collective) {
    case SumCollective::all_reduce:
      return "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE";
    case SumCollective::reduce:
      return "MPIR_CVAR_REDUCE_DEVICE_COLLECTIVE";
    case SumCollective::reduce_scatter:
      return "MPIR_CVAR_REDUCE_SCATTER_DEVICE_COLLECTIVE";
    case SumCollective::scan:
      break;
  }
  throw Error("the algorithms of a scan cannot be chosen");
}

std::optional<MpiLibrary> mpi_library_of(const std::string& words) {
  for (const MpiLibraryNames& row : mpi_libraries) {
    if (words.starts_with(row.title)) return row.library;
  }
  return {};
}

}  // namespace bracket::tools
