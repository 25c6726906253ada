// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bracket {

/// A drawing of rectangles, lines, areas and words, for pictures that are no graphs. Lengths are in
/// points (1/72 inch), x to the right and y down. Later shapes cover earlier ones.
class Picture {
 public:
  struct Point {
    double x = 0;
    double y = 0;
  };

  /// What shapes of one class look like. The name has one or more words, and is the attribute
  /// `class` of the shapes. All views must outlive the picture. An empty colour draws nothing.
  struct Look {
    std::string_view name;
    std::string_view fill{};
    std::string_view stroke{};
    double width = 1;  ///< of lines
  };

  enum class Anchor : std::uint8_t { start, middle, end };

  /// What words look like.
  struct Font {
    double size = 10;
    bool bold = false;
    Anchor anchor = Anchor::start;
    std::string_view colour = "#212121";
  };

  /// Lines of connected points.
  using Contours = std::vector<std::vector<Point>>;

  Picture(std::string title, double width, double height);

  /// Changes the height.
  void set_height(double height) { height_ = height; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

  /// Draws a rectangle, at least `thinnest` wide. The tooltip may be empty.
  void rectangle(Point corner, double width, double height, const Look& look,
                 std::string tooltip = {});

  /// Draws one shape of closed areas.
  void areas(const Contours& contours, const Look& look, std::string tooltip = {});

  /// Draws an open line, or one shape of several.
  void line(const std::vector<Point>& points, const Look& look, std::string tooltip = {});
  void lines(const Contours& contours, const Look& look, std::string tooltip = {});

  /// Draws one line of text with its baseline at `at`.
  void words(Point at, std::string_view text, const Font& font);

  /// The picture as an SVG document. Needs no library.
  [[nodiscard]] std::string svg() const;

  /// The picture as a graph in DOT whose background is the drawing, without classes and tooltips.
  /// Graphviz renders it.
  [[nodiscard]] std::string dot() const;

  /// Least width of a rectangle, so that it can be seen.
  static constexpr double thinnest = 0.4;

 private:
  enum class Kind : std::uint8_t { rectangle, areas, line, words };

  struct Shape {
    Kind kind = Kind::words;
    std::uint32_t look = 0;   // of words: in `fonts_`
    std::uint32_t first = 0;  // of its contours in `ends_`
    std::uint32_t last = 0;
    std::string text{};  // words or tooltip
  };

  /// A point in tenths of a point of the page, so that differences are exact.
  struct Tenths {
    std::int64_t x = 0;
    std::int64_t y = 0;
  };

  void add(Kind kind, const Contours& contours, const Look& look, std::string tooltip);
  [[nodiscard]] std::vector<std::vector<Tenths>> contours(const Shape& shape) const;
  [[nodiscard]] std::string path(const Shape& shape) const;
  void append_svg(std::string& out, const Shape& shape) const;
  void append_dot(std::string& out, const Shape& shape) const;

  std::string title_;
  double width_;
  double height_;
  std::vector<Look> looks_;
  std::vector<Font> fonts_;
  std::vector<Shape> shapes_;
  std::vector<Tenths> points_;
  std::vector<std::uint32_t> ends_;  // of contours, in `points_`
};

}  // namespace bracket
