// SPDX-License-Identifier: MIT

#include "bracket/viz/document.hpp"

#include "bracket/support/text.hpp"
#include "page_style.hpp"
#include "utf8.hpp"

namespace bracket::viz {

namespace {

/// Writes an element with a text; nothing for an empty text.
std::string element(std::string_view name, std::string_view words,
                    std::string_view attributes = "") {
  if (words.empty()) return "";
  return text('<', name, attributes, '>', html_text(words), "</", name, ">\n");
}

/// Longest cell of a table on one line, in bytes.
constexpr std::size_t longest_line = 36;

std::string note(std::string_view words) { return element("p", words, " class=\"note\""); }

std::string html(const Figure& figure) {
  return text("<figure>\n", element("figcaption", figure.title), figure.svg, note(figure.note),
              "</figure>\n");
}

std::string html(const PageTable& table) {
  if (table.headings.empty()) return "";
  const auto kind = [&](std::size_t column) {
    return column < table.numeric.size() && table.numeric[column] ? " class=\"number\"" : "";
  };
  std::string all = "<div>\n<div class=\"table\" tabindex=\"0\">\n<table>\n<thead><tr>";
  for (std::size_t c = 0; c < table.headings.size(); ++c) {
    all += text("<th scope=\"col\"", kind(c), ">", html_text(table.headings[c]), "</th>");
  }
  all += "</tr></thead>\n<tbody>\n";
  for (const auto& line : table.lines) {
    all += "<tr>";
    for (std::size_t c = 0; c < line.size(); ++c) {
      const bool wraps = line[c].size() > longest_line;
      all += text("<td", wraps ? " class=\"long\"" : kind(c), ">", html_text(line[c]), "</td>");
    }
    all += "</tr>\n";
  }
  return all + "</tbody>\n</table>\n</div>\n" + note(table.note) + "</div>\n";
}

std::string html(const PageSection& section) {
  std::string all = "<section>\n" + element("h2", section.title);
  for (const std::string& sentence : section.sentences) all += element("p", sentence);
  const std::string table = html(section.table);
  // The table is beside the first figure, and the others follow in two columns.
  std::string beside;
  for (const Figure& figure : section.figures) {
    beside += html(figure);
    if (&figure == &section.figures.front()) beside += table;
  }
  if (section.figures.empty()) beside = table;
  if (!beside.empty()) all += text("<div class=\"beside\">\n", beside, "</div>\n");
  if (!section.csv.empty()) {
    all += text("<details>\n<summary>The rows as comma-separated values</summary>\n",
                note(section.csv_note), "<pre tabindex=\"0\">", html_text(section.csv),
                "</pre>\n</details>\n");
  }
  return all + "</section>\n";
}

}  // namespace

std::string html_text(std::string_view words) {
  std::string all;
  all.reserve(words.size());
  while (!words.empty()) {
    const std::size_t size = character_size(words);
    const auto c = static_cast<unsigned char>(words.front());
    if (size > 1) {
      all += words.substr(0, size);
    } else if (size == 0 || (c < ' ' && c != '\n' && c != '\t') || c == 0x7f) {
      all += "\ufffd";
    } else if (c == '&') {
      all += "&amp;";
    } else if (c == '<') {
      all += "&lt;";
    } else if (c == '>') {
      all += "&gt;";
    } else if (c == '"') {
      all += "&quot;";
    } else {
      all += words.front();
    }
    words.remove_prefix(size == 0 ? 1 : size);
  }
  return all;
}

std::string html(const Page& page) {
  std::string all = text(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing is loaded: a file name or a label cannot become a request or a script.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n",
      element("title", page.title), "<style>\n", page_style(),
      "</style>\n</head>\n<body>\n<header>\n", element("h1", page.title),
      element("pre", page.command, " class=\"command\" tabindex=\"0\""));
  if (!page.facts.empty()) {
    all += "<dl>\n";
    for (const auto& [name, value] : page.facts) {
      all += text("<dt>", html_text(name), "</dt><dd>", html_text(value), "</dd>\n");
    }
    all += "</dl>\n";
  }
  all += "</header>\n<main>\n";
  for (const PageSection& section : page.sections) all += html(section);
  return all + "</main>\n</body>\n</html>\n";
}

}  // namespace bracket::viz
