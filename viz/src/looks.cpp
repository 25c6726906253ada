// SPDX-License-Identifier: MIT

#include "looks.hpp"

#include <algorithm>
#include <cstddef>

namespace bracket::viz {

namespace {

constexpr std::string_view sky = "#56b4e9";
constexpr std::string_view blue = "#0072b2";
constexpr std::string_view grey = "#999999";
constexpr std::string_view orange = "#e69f00";
constexpr std::string_view green = "#009e73";

constexpr ActivityLook looks[activities] = {
    {"fold", {"bar fold", sky}, {"bar fold critical", sky}, {"share fold", sky}},
    {"combine", {"bar join", blue}, {"bar join critical", blue}, {"share join", blue}},
    {"copy", {"bar copy", grey}, {"bar copy critical", grey}, {"share copy", grey}},
    {"compute", {"bar compute", sky}, {"bar compute critical", sky}, {"share compute", sky}},
    {"send", {"bar send", orange}, {"bar send critical", orange}, {"share send", orange}},
    {"receive", {"bar recv", green}, {"bar recv critical", green}, {"share recv", green}},
};

}  // namespace

const ActivityLook& look_of(Activity activity) { return looks[static_cast<std::size_t>(activity)]; }

double width_of_words(std::string_view text, double size) {
  // The widest font that usually takes Helvetica's place is DejaVu Sans: 0.64 em a digit.
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // the others continue a character
  });
  return static_cast<double>(characters) * size * 0.64;
}

void Legend::add(const Picture::Look& look, std::string_view words) {
  constexpr double sample = 14;
  const double width = sample + 5 + width_of_words(words, plain.size) + 12;
  if (at_.x > left_ && at_.x + width > right_) at_ = {left_, at_.y + 15};
  if (look.fill.empty()) {
    picture_.line({{at_.x, at_.y - 3.5}, {at_.x + sample, at_.y - 3.5}}, look);
  } else {
    picture_.rectangle({at_.x, at_.y - 8}, sample, 9, look);
  }
  picture_.words({at_.x + sample + 5, at_.y}, words, plain);
  at_.x += width;
}

}  // namespace bracket::viz
