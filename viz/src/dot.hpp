// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bracket/model/distribution.hpp"

/// What the drawings share.
namespace bracket::viz::dot {

/// Name and value; values are written as they are meant and quoted by the writer.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

inline constexpr const char* ink = "#424242";        ///< outlines and edges
inline constexpr const char* faint_ink = "#9e9e9e";  ///< what matters less
inline constexpr const char* alarm = "#b71c1c";      ///< PE-intersecting, critical

/// A colour and what it means.
struct LegendEntry {
  std::string colour;
  std::string text;
};

/// A point of the picture, in points (1/72 inch), y upwards.
struct Point {
  Index x = 0;
  Index y = 0;
};

/// As Graphviz reads it: `x,y`.
std::string text_of(Point point);

/// A rank's box, or that of empty ranks side by side, in points. The label stands in its middle
/// at the height `label_y`.
struct Box {
  Point low;
  Point high;
  Index label_y = 0;
};

/// Writes one statement a line, indented by subgraph. The pictures say where their nodes are:
/// Graphviz's own layout keeps neither the ranks nor the elements in order.
class Writer {
 public:
  /// Opens the digraph, laid out by `engine`: "nop" (edges are routed around the nodes or, if not
  /// `routed`, straight) or "nop2" (edges have their own `pos`). `titles` and `legend` stand above
  /// the picture.
  Writer(std::string_view engine, std::span<const std::string> titles,
         std::span<const LegendEntry> legend, bool routed = true);

  /// Attributes of what follows: `of` is "graph", "node" or "edge".
  void defaults(std::string_view of, const Attributes& attributes);

  void node(std::string_view id, Point centre, const Attributes& attributes);
  void edge(std::string_view from, std::string_view to, const Attributes& attributes);

  /// A box around the nodes up to `close_box`.
  void open_box(Rank first, std::string_view label, const Box& box);
  void close_box();

  /// Closes the digraph and gives its text.
  std::string finish();

 private:
  void line(std::string_view statement);
  std::string text_;
  int depth_ = 0;
};

/// Ranks `first` to `last` with what each of them holds, as they are called in a picture:
/// "rank 3", "ranks 3 to 5" and a second line.
std::string rank_label(Rank first, Rank last, Range held);

/// Enough width for the longest line of `label`, and its height, in points.
Index width_of(std::string_view label);
Index height_of(std::string_view label);

}  // namespace bracket::viz::dot
