# SPDX-License-Identifier: MIT

# Finds SimGrid: the header simgrid/s4u.hpp and libsimgrid, also below SimGrid_ROOT.
#
# Sets SimGrid_FOUND and SimGrid_VERSION (major.minor.patch) and gives the imported target
# SimGrid::SimGrid. It sets no language standard and no flags.

find_path(SimGrid_INCLUDE_DIR NAMES simgrid/s4u.hpp)
find_library(SimGrid_LIBRARY NAMES simgrid)
mark_as_advanced(SimGrid_INCLUDE_DIR SimGrid_LIBRARY)

unset(SimGrid_VERSION)
if(SimGrid_INCLUDE_DIR AND EXISTS "${SimGrid_INCLUDE_DIR}/simgrid/version.h")
  file(STRINGS "${SimGrid_INCLUDE_DIR}/simgrid/version.h" SimGrid_VERSION_LINES
    REGEX "^#define SIMGRID_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    if(SimGrid_VERSION_LINES MATCHES "SIMGRID_VERSION_${part} +([0-9]+)")
      list(APPEND SimGrid_VERSION ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN SimGrid_VERSION "." SimGrid_VERSION)
  unset(SimGrid_VERSION_LINES)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SimGrid
  REQUIRED_VARS SimGrid_LIBRARY SimGrid_INCLUDE_DIR
  VERSION_VAR SimGrid_VERSION)

if(SimGrid_FOUND AND NOT TARGET SimGrid::SimGrid)
  add_library(SimGrid::SimGrid UNKNOWN IMPORTED)
  set_target_properties(SimGrid::SimGrid PROPERTIES
    IMPORTED_LOCATION "${SimGrid_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SimGrid_INCLUDE_DIR}")
endif()
