// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A page of figures and tables: one HTML file that needs no network and no JavaScript.
namespace bracket::viz {

/// A picture. `svg` is an SVG element for a page, from `page_svg` or another source. The page's
/// style sheet sets `currentColor`.
struct Figure {
  std::string title;
  std::string svg;
  std::string note{};  ///< sentences below the picture
};

/// A table of texts. All lines have as many cells as `headings`.
struct PageTable {
  std::vector<std::string> headings;
  std::vector<bool> numeric;  ///< of each column: whether its cells are aligned to the right
  std::vector<std::vector<std::string>> lines{};
  std::string note{};  ///< sentences below the table
};

/// A table with its figures, and its rows to copy.
struct PageSection {
  std::string title;
  std::vector<std::string> sentences{};  ///< paragraphs above the figures
  std::vector<Figure> figures{};
  PageTable table{};
  std::string csv{};       ///< comma-separated values; empty: none
  std::string csv_note{};  ///< sentences above them
};

struct Page {
  std::string title;
  std::string command{};                                     ///< as it can be pasted into a shell
  std::vector<std::pair<std::string, std::string>> facts{};  ///< names with their values
  std::vector<PageSection> sections{};
};

/// Writes a text for HTML: escapes its special characters, and replaces bytes that are not UTF-8
/// and characters that HTML does not allow.
std::string html_text(std::string_view words);

/// Writes the page as HTML. It follows the colour scheme of the browser, light or dark.
std::string html(const Page& page);

}  // namespace bracket::viz
