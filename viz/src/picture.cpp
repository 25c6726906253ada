// SPDX-License-Identifier: MIT

#include "bracket/viz/picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bracket {

namespace {

std::int64_t tenths(double length) { return std::llround(length * 10); }

bool same(const Picture::Look& left, const Picture::Look& right) {
  return left.name == right.name && left.fill == right.fill && left.stroke == right.stroke &&
         left.width == right.width;
}

bool same(const Picture::Font& left, const Picture::Font& right) {
  return left.size == right.size && left.bold == right.bold && left.anchor == right.anchor &&
         left.colour == right.colour;
}

/// Position of `value` in `known`, where it is added if it is new.
template <class Value>
std::uint32_t place_of(std::vector<Value>& known, const Value& value) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Value& one) { return same(one, value); });
  const auto place = static_cast<std::uint32_t>(found - known.begin());
  if (found == known.end()) known.push_back(value);
  return place;
}

}  // namespace

Picture::Picture(std::string title, double width, double height)
    : title_(std::move(title)), width_(width), height_(height) {}

void Picture::rectangle(Point corner, double width, double height, const Look& look,
                        std::string tooltip) {
  const double right = corner.x + std::max(width, thinnest);
  const double low = corner.y + height;
  add(Kind::rectangle, {{corner, {right, low}}}, look, std::move(tooltip));
}

void Picture::areas(const Contours& contours, const Look& look, std::string tooltip) {
  add(Kind::areas, contours, look, std::move(tooltip));
}

void Picture::line(const std::vector<Point>& points, const Look& look, std::string tooltip) {
  lines({points}, look, std::move(tooltip));
}

void Picture::lines(const Contours& contours, const Look& look, std::string tooltip) {
  add(Kind::line, contours, look, std::move(tooltip));
}

void Picture::words(Point at, std::string_view text, const Font& font) {
  add(Kind::words, {{at}}, {}, std::string(text));
  shapes_.back().look = place_of(fonts_, font);
}

void Picture::add(Kind kind, const Contours& contours, const Look& look, std::string tooltip) {
  Shape shape{kind, kind == Kind::words ? 0 : place_of(looks_, look),
              static_cast<std::uint32_t>(ends_.size()), 0, std::move(tooltip)};
  for (const auto& contour : contours) {
    for (const Point& point : contour) points_.push_back({tenths(point.x), tenths(point.y)});
    ends_.push_back(static_cast<std::uint32_t>(points_.size()));
  }
  shape.last = static_cast<std::uint32_t>(ends_.size());
  shapes_.push_back(std::move(shape));
}

std::vector<std::vector<Picture::Tenths>> Picture::contours(const Shape& shape) const {
  std::vector<std::vector<Tenths>> all;
  for (std::uint32_t i = shape.first; i < shape.last; ++i) {
    const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1];
    all.emplace_back(points_.begin() + begin, points_.begin() + ends_[i]);
  }
  return all;
}

}  // namespace bracket
