// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "bracket/viz/picture.hpp"

namespace bracket::viz {

/// What can be seen of a path across a picture, whose points go to the right, row by row: of all
/// points in half a point of width, the first, the highest, the lowest and the last. A path that
/// often changes its row would cover the picture: only its pieces in rows are kept then.
Picture::Contours path_lines(const std::vector<Picture::Point>& path);

}  // namespace bracket::viz
