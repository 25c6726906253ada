// SPDX-License-Identifier: MIT

#pragma once

#include <string_view>

#include "bracket/viz/picture.hpp"
#include "bracket/viz/schedule_times.hpp"

/// What the pictures of time, messages and levels share. The colours of activities are from Okabe
/// and Ito's palette, which readers with any colour vision tell apart: computing is blue.
namespace bracket::viz {

inline constexpr std::string_view highlight = "#b71c1c";  ///< of the critical path

/// An activity's name in legends and tooltips, the looks of its bars, and of its areas in rows of
/// several ranks.
struct ActivityLook {
  std::string_view words;
  Picture::Look bar;
  Picture::Look critical;
  Picture::Look share;
};
const ActivityLook& look_of(Activity activity);

/// Fonts of headings, of plain words and of labels that end or stand in the middle at their place.
inline constexpr Picture::Font heading{14, true};
inline constexpr Picture::Font subheading{11.5, true};
inline constexpr Picture::Font plain{10};
inline constexpr Picture::Font centred{9, false, Picture::Anchor::middle};
inline constexpr Picture::Font to_the_right{9, false, Picture::Anchor::end};
inline constexpr Picture::Font critical_label{9, true, Picture::Anchor::end, highlight};

/// Enough width for one line of `text` of this size.
double width_of_words(std::string_view text, double size);

/// Draws entries of a legend side by side, and begins a new line where `right` is reached.
class Legend {
 public:
  Legend(Picture& picture, Picture::Point at, double right)
      : picture_(picture), left_(at.x), right_(right), at_(at) {}

  /// Draws an area of this look, or a line if it has no fill, and what it means.
  void add(const Picture::Look& look, std::string_view words);

  /// Where the next thing below the legend may begin.
  [[nodiscard]] double bottom() const { return at_.y + 16; }

 private:
  Picture& picture_;
  double left_;
  double right_;
  Picture::Point at_;
};

}  // namespace bracket::viz
