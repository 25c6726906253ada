// SPDX-License-Identifier: MIT

#pragma once

#include <string>

namespace bracket {

/// Draws the graph `dot` with Graphviz, as an SVG document. Calls from several threads take turns.
/// Throws `Error`, with Graphviz's words, if `dot` is not one graph or cannot be drawn.
std::string render_svg(const std::string& dot);

/// The same in another format of Graphviz, such as "png" or "pdf".
std::string render_image(const std::string& dot, const char* format);

}  // namespace bracket
