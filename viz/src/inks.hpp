// SPDX-License-Identifier: MIT

#pragma once

#include <array>
#include <string_view>

/// Colours of plots and of the pages around them.
namespace bracket::viz {

/// A colour with its variable in style sheets, on a light and on a dark page. Plots have the light
/// one, by which `page_svg` finds them.
struct Ink {
  std::string_view variable;
  std::string_view light;
  std::string_view dark;
};

inline constexpr Ink page_ink{"--page", "#ffffff", "#16181c"};
inline constexpr Ink text_ink{"--text", "#1c1e21", "#e4e6ea"};
inline constexpr Ink quiet_ink{"--quiet", "#5f6368", "#a4a9b0"};
inline constexpr Ink grid_ink{"--grid", "#d9dcdf", "#3a3f46"};
inline constexpr Ink panel_ink{"--panel", "#f4f5f7", "#20242a"};

/// Colours of series: those of Okabe and Ito, darkened or lightened until each has a contrast of at
/// least 3 to 1 with the page.
inline constexpr std::array<Ink, 8> series_inks{{
    {"--series-1", "#0072b2", "#56b4e9"},
    {"--series-2", "#d55e00", "#ff8c42"},
    {"--series-3", "#00805e", "#2bc79a"},
    {"--series-4", "#b3558f", "#e79ac6"},
    {"--series-5", "#8f6a00", "#e6b422"},
    {"--series-6", "#2a8fc4", "#a5d8f3"},
    {"--series-7", "#5b4fa8", "#b6adf2"},
    {"--series-8", "#6b6b6b", "#b9b9b9"},
}};

}  // namespace bracket::viz
