// SPDX-License-Identifier: MIT

#include "bracket/viz/additions_picture.hpp"

#include <algorithm>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr std::string_view ink = "currentColor";
constexpr Picture::Look branch{"addition", "", ink};
constexpr Picture::Font label{9, false, Picture::Anchor::middle, ink};
constexpr double column = 22;  // width of a rank
constexpr double margin = 12;
constexpr double least_width = 600;  // pages stretch pictures to their width
constexpr double most_height = 700;

/// Additions on the longest way from an operand to the value of a bracket.
Index levels_of(const Order& order, Range bracket) {
  if (bracket.size() == 1) return 0;
  const Index middle = order.split(bracket);
  return 1 + std::max(levels_of(order, {bracket.begin, middle}),
                      levels_of(order, {middle, bracket.end}));
}

class AdditionsDrawing {
 public:
  explicit AdditionsDrawing(const RankedOrder& order)
      : order_(order),
        all_{0, order.order.elements()},
        row_(std::min(30.0, most_height / static_cast<double>(levels_of(order.order, all_) + 1))),
        picture_("Additions",
                 std::max(least_width, 2 * margin + column * static_cast<double>(all_.size())), 0) {
  }

  Picture draw() {
    const auto levels = static_cast<double>(levels_of(order_.order, all_));
    bottom_ = margin + row_ * (levels + 1);
    picture_.set_height(bottom_ + 24);
    const Picture::Point top = draw(all_);
    picture_.line({top, {top.x, top.y - row_}}, branch);
    return std::move(picture_);
  }

 private:
  /// Draws the additions of a bracket. Returns the place of its value.
  Picture::Point draw(Range bracket) {
    if (bracket.size() == 1) {
      const double x = margin + column * (static_cast<double>(bracket.begin) + 0.5);
      picture_.words({x, bottom_ + 12}, text(order_.ranks[static_cast<std::size_t>(bracket.begin)]),
                     label);
      return {x, bottom_};
    }
    const Index middle = order_.order.split(bracket);
    const Picture::Point left = draw({bracket.begin, middle});
    const Picture::Point right = draw({middle, bracket.end});
    const double y = std::min(left.y, right.y) - row_;
    picture_.line({left, {left.x, y}, {right.x, y}, right}, branch,
                  text(bracket.size(), " operands"));
    return {(left.x + right.x) / 2, y};
  }

  const RankedOrder& order_;
  Range all_;
  double row_;  // height of a level
  double bottom_ = 0;
  Picture picture_;
};

}  // namespace

Picture additions_picture(const RankedOrder& order) {
  if (order.order.elements() > most_ranks_of_additions) {
    throw Error(text("a picture of the additions of ", order.order.elements(), " ranks: at most ",
                     most_ranks_of_additions, " are drawn"));
  }
  return AdditionsDrawing(order).draw();
}

}  // namespace bracket
