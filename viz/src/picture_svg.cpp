// SPDX-License-Identifier: MIT

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "bracket/viz/picture.hpp"
#include "escapes.hpp"

namespace bracket {

namespace {

/// Appends tenths as a decimal number, such as 12 or -0.5.
void append(std::string& out, std::int64_t tenths) {
  if (tenths < 0) out += '-';
  char digits[24];
  const auto whole = std::to_chars(std::begin(digits), std::end(digits), std::abs(tenths) / 10);
  out.append(digits, whole.ptr);
  if (tenths % 10 == 0) return;
  out += '.';
  out += static_cast<char>('0' + std::abs(tenths) % 10);
}

void append(std::string& out, std::string_view name, std::int64_t tenths) {
  out.append(" ").append(name).append("=\"");
  append(out, tenths);
  out += '"';
}

std::int64_t tenths_of(double length) { return std::llround(length * 10); }

std::string rule_of(const Picture::Look& look) {
  std::string selector(look.name);
  std::replace(selector.begin(), selector.end(), ' ', '.');
  const auto colour = [](std::string_view given) {
    return given.empty() ? std::string("none") : std::string(given);
  };
  std::string rule = '.' + selector + "{fill:" + colour(look.fill) +
                     ";stroke:" + colour(look.stroke) + ";stroke-width:";
  append(rule, tenths_of(look.width));
  return rule + "}\n";
}

std::string_view name_of(Picture::Anchor anchor) {
  return anchor == Picture::Anchor::middle ? "middle" : "end";
}

}  // namespace

/// Commands of a path, with differences: they are shorter than places.
std::string Picture::path(const Shape& shape) const {
  std::string out;
  for (const auto& contour : contours(shape)) {
    Tenths last;
    bool first = true;
    for (const Tenths& point : contour) {
      const Tenths step{point.x - last.x, point.y - last.y};
      if (first) {
        out += 'M';
        append(out, point.x);
        out += ' ';
        append(out, point.y);
      } else if (step.y == 0) {
        out += 'h';
        append(out, step.x);
      } else if (step.x == 0) {
        out += 'v';
        append(out, step.y);
      } else {
        out += 'l';
        append(out, step.x);
        out += ' ';
        append(out, step.y);
      }
      last = point;
      first = false;
    }
    if (shape.kind == Kind::areas) out += 'z';
  }
  return out;
}

void Picture::append_svg(std::string& out, const Shape& shape) const {
  if (shape.kind == Kind::words) {
    const Font& font = fonts_[shape.look];
    const Tenths at = points_[ends_[shape.first] - 1];
    out += "<text";
    append(out, "x", at.x);
    append(out, "y", at.y);
    append(out, "font-size", tenths_of(font.size));
    if (font.bold) out += " font-weight=\"bold\"";
    if (font.anchor != Anchor::start) {
      out.append(" text-anchor=\"").append(name_of(font.anchor)).append("\"");
    }
    out.append(" fill=\"").append(font.colour).append("\">");
    out.append(viz::html(shape.text)).append("</text>\n");
    return;
  }
  const std::string_view element = shape.kind == Kind::rectangle ? "rect" : "path";
  out.append("<").append(element).append(" class=\"").append(looks_[shape.look].name).append("\"");
  if (shape.kind == Kind::rectangle) {
    const Tenths low = points_[ends_[shape.first] - 2];
    const Tenths high = points_[ends_[shape.first] - 1];
    append(out, "x", low.x);
    append(out, "y", low.y);
    append(out, "width", high.x - low.x);
    append(out, "height", high.y - low.y);
  } else {
    out.append(" d=\"").append(path(shape)).append("\"");
  }
  if (shape.text.empty()) {
    out += "/>\n";
  } else {
    out.append("><title>").append(viz::html(shape.text)).append("</title></");
    out.append(element).append(">\n");
  }
}

std::string Picture::svg() const {
  std::string size;
  append(size, tenths_of(width_));
  std::string down;
  append(down, tenths_of(height_));
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "pt\" height=\"" + down +
         "pt\" viewBox=\"0 0 " + size + ' ' + down + "\" font-family=\"Helvetica,sans-serif\">\n";
  out += "<title>" + viz::html(title_) + "</title>\n<style>\n";
  for (const Look& look : looks_) out += rule_of(look);
  out += "</style>\n<rect width=\"" + size + "\" height=\"" + down + "\" fill=\"white\"/>\n";
  for (const Shape& shape : shapes_) append_svg(out, shape);
  return out + "</svg>\n";
}

}  // namespace bracket
