// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/viz/document.hpp"
#include "bracket/viz/plot.hpp"
#include "inks.hpp"

namespace bracket::viz {

namespace {

void replace_all(std::string& words, std::string_view old, std::string_view now) {
  std::size_t at = words.find(old);
  if (at == std::string::npos) return;
  std::string all;
  std::size_t begin = 0;
  for (; at != std::string::npos; at = words.find(old, begin)) {
    all.append(words, begin, at - begin).append(now);
    begin = at + old.size();
  }
  words = all.append(words, begin);
}

/// Removes everything from `begin` to the next `end`, both included.
void remove_all(std::string& words, std::string_view begin, std::string_view end) {
  std::string all;
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = words.find(begin, from);
    const std::size_t stop = at == std::string::npos ? at : words.find(end, at);
    if (stop == std::string::npos) break;
    all.append(words, from, at - from);
    from = stop + end.size();
  }
  words = all.append(words, from);
}

/// A colour as gnuplot writes it: padded for lines, and tight for texts.
std::array<std::string, 2> in_svg(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    return std::stoi(std::string(colour.substr(at, 2)), nullptr, 16);
  };
  std::array<char, 32> padded{};
  std::snprintf(padded.data(), padded.size(), "rgb(%3d, %3d, %3d)", part(1), part(3), part(5));
  return {padded.data(), text("rgb(", part(1), ',', part(3), ',', part(5), ')')};
}

void use_inks(std::string& svg) {
  const auto use = [&](const std::string& colour, const std::string& now) {
    for (const char quote : {'\'', '"'}) {
      replace_all(svg, quote + colour + quote, text(quote, now, quote));
    }
  };
  const auto use_ink = [&](const Ink& ink) {
    for (const std::string& colour : in_svg(ink.light)) {
      use(colour, text("var(", ink.variable, ")"));
    }
  };
  use("black", "currentColor");
  for (const std::string& black : in_svg("#000000")) use(black, "currentColor");
  use("white", text("var(", page_ink.variable, ")"));
  use_ink(grid_ink);
  use_ink(quiet_ink);
  for (const Ink& ink : series_inks) use_ink(ink);
}

/// Removes groups without content: gnuplot writes one for each change of a line's style.
void drop_empty_groups(std::string& svg) {
  std::string all;
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = svg.find("<g ", from);
    if (at == std::string::npos) break;
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) break;
    const std::size_t next = svg.find_first_not_of(" \t\n", end + 1);
    all.append(svg, from, at - from);
    from = at;
    if (next != std::string::npos && svg.compare(next, 4, "</g>") == 0) {
      from = next + 4;
    } else {
      all.append(svg, at, end + 1 - at);
      from = end + 1;
    }
  }
  svg = all.append(svg, from);
}

}  // namespace

std::string page_svg(const std::string& svg, const std::string& name, const std::string& title) {
  const std::size_t begin = svg.find("<svg");
  const std::size_t open = begin == std::string::npos ? begin : svg.find('>', begin);
  const std::size_t end = svg.rfind("</svg>");
  const std::size_t box = svg.find("viewBox=\"", begin == std::string::npos ? 0 : begin);
  if (open == std::string::npos || end == std::string::npos || end < open || box > open) {
    throw Error(text(name, ": the plot is not an SVG document"));
  }
  const std::size_t box_end = svg.find('"', box + 9);
  const std::string view_box = svg.substr(box, box_end + 1 - box);
  std::string body = svg.substr(open + 1, end - open - 1);
  remove_all(body, "<title>", "</title>");
  remove_all(body, "<desc>", "</desc>");
  remove_all(body, "<filter", "</filter>");
  for (const char* const old : {"id='gp", "id=\"gp"}) {
    replace_all(body, old, text(std::string_view(old, 4), name, "-gp"));
  }
  replace_all(body, "href='#gp", text("href='#", name, "-gp"));
  replace_all(body, "id=\"gnuplot_canvas\"", text("id=\"", name, "-canvas\""));
  use_inks(body);
  drop_empty_groups(body);
  std::string lines;
  for (std::size_t from = 0; from < body.size();) {
    const std::size_t stop = std::min(body.find('\n', from), body.size());
    const std::size_t word = body.find_first_not_of(" \t", from);
    if (word < stop) lines.append(body, word, stop - word).append("\n");
    from = stop + 1;
  }
  return text("<svg ", view_box, " role=\"img\" aria-label=\"", html_text(title), "\">\n", lines,
              "</svg>\n");
}

}  // namespace bracket::viz
