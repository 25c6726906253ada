// SPDX-License-Identifier: MIT

#pragma once

#include <string_view>

#include "bracket/model/range.hpp"

namespace bracket::input {

/// Length in bytes of a file's beginning that contains the header of any supported file.
inline constexpr Index npy_longest_head = 65536;

struct NpyHeader {
  Index data_offset = 0;  ///< bytes
  Index elements = 0;
  Index item_bytes = 0;  ///< 8 for float64, 4 for float32
};

/// Reads the header of the NPY format, versions 1 to 3 (numpy.lib.format), for a one-dimensional
/// little-endian array of float64 or float32. Throws `Error` without the file's name.
NpyHeader parse_npy_header(std::string_view head);

}  // namespace bracket::input
