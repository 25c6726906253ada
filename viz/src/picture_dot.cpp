// SPDX-License-Identifier: MIT

#include <cmath>

#include "bracket/support/text.hpp"
#include "bracket/viz/picture.hpp"
#include "escapes.hpp"

namespace bracket {

namespace {

/// Appends an operand with its number of bytes, as Graphviz's drawing commands have it.
void append_counted(std::string& out, std::string_view operand) {
  out.append(std::to_string(operand.size())).append(" -");
  for (const char c : operand) {
    if (c == '"') out += '\\';
    out += c;
  }
  out += ' ';
}

void append_colour(std::string& out, char command, std::string_view colour) {
  out.append(1, command).append(" ");
  append_counted(out, colour.empty() ? "transparent" : colour);
}

/// A quoted text of DOT keeps backslashes, and one before a quote would end it: another character
/// of that look replaces them.
std::string without_backslashes(std::string_view words) {
  std::string result;
  for (const char c : words) {
    if (c == '\\') {
      result += "∖";
    } else {
      result += viz::printable(c);
    }
  }
  return result;
}

}  // namespace

void Picture::append_dot(std::string& out, const Shape& shape) const {
  // The y axis of Graphviz points up.
  const auto append_point = [&](double x, double y) { out.append(text(x, ' ', height_ - y, ' ')); };
  if (shape.kind == Kind::words) {
    const Font& font = fonts_[shape.look];
    const Tenths at = points_[ends_[shape.first] - 1];
    const std::string words = without_backslashes(shape.text);
    out += text("F ", font.size, ' ');
    append_counted(out, "Helvetica");
    out += font.bold ? "t 1 " : "t 0 ";
    append_colour(out, 'c', font.colour);
    out += "T ";
    // Graphviz writes the baseline a fifth of the size above the given place.
    append_point(static_cast<double>(at.x) / 10, static_cast<double>(at.y) / 10 + font.size / 5);
    out += text(static_cast<int>(font.anchor) - 1, " 0 ");
    append_counted(out, words);
    return;
  }
  const Look& look = looks_[shape.look];
  append_colour(out, 'C', look.fill);
  append_colour(out, 'c', look.stroke);
  if (!look.stroke.empty()) {
    out += "S ";
    append_counted(out, text("setlinewidth(", look.width, ')'));
  }
  for (auto contour : contours(shape)) {
    if (shape.kind == Kind::rectangle) {
      const Tenths low = contour[0];
      const Tenths high = contour[1];
      contour = {low, {high.x, low.y}, high, {low.x, high.y}};
    }
    out.append(shape.kind == Kind::line ? "L " : "P ").append(std::to_string(contour.size()));
    out += ' ';
    for (const Tenths& point : contour) {
      append_point(static_cast<double>(point.x) / 10, static_cast<double>(point.y) / 10);
    }
  }
}

std::string Picture::dot() const {
  std::string out =
      "digraph bracket {\n  layout=nop2;\n  charset=\"UTF-8\";\n  pad=0;\n"
      "  node [shape=point, style=invis, width=0, height=0];\n  low [pos=\"0,0\"];\n";
  out += text("  high [pos=\"", width_, ',', height_, "\"];\n  _background=\"");
  for (const Shape& shape : shapes_) append_dot(out, shape);
  return out + "\";\n}\n";
}

}  // namespace bracket
