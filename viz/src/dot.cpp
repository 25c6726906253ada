// SPDX-License-Identifier: MIT

#include "dot.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "escapes.hpp"

namespace bracket::viz::dot {

namespace {

constexpr Index font_size = 11;  // points

std::string quoted(std::string_view value) {
  std::string result = "\"";
  for (const char c : value) {
    if (c == '\n') {
      result += "\\n";
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += printable(c);
    }
  }
  return result += '"';
}

std::string list(const Attributes& attributes) {
  if (attributes.empty()) return "";
  std::string result = " [";
  for (const auto& [name, value] : attributes) {
    if (result.size() > 2) result += ", ";
    result.append(name).append("=").append(quoted(value));
  }
  return result += ']';
}

/// Titles and legend as one table: a graph has only one label.
std::string heading(std::span<const std::string> titles, std::span<const LegendEntry> legend) {
  std::string table = "<<TABLE BORDER=\"0\" CELLSPACING=\"2\">";
  bool first = true;
  for (const auto& title : titles) {
    const std::string words = html(title);
    table += "<TR><TD>" + (first ? "<B>" + words + "</B>" : words) + "</TD></TR>";
    first = false;
  }
  if (!legend.empty()) {
    table += "<TR><TD>";
    for (const auto& entry : legend) {
      table += text("<FONT COLOR=\"", entry.colour, "\">■</FONT> ", html(entry.text), "   ");
    }
    table += "</TD></TR>";
  }
  return table + "</TABLE>>";
}

}  // namespace

std::string text_of(Point point) { return text(point.x, ',', point.y); }

Writer::Writer(std::string_view engine, std::span<const std::string> titles,
               std::span<const LegendEntry> legend, bool routed) {
  text_ = "digraph bracket {\n";
  depth_ = 1;
  line(text("layout=", engine, ";"));
  line(text("splines=", routed ? "true;" : "line;"));
  line("outputorder=edgesfirst;");
  line("charset=\"UTF-8\";");
  line("fontname=\"Helvetica\";");
  line(text("fontsize=", font_size, ";"));
  line("labelloc=t;");
  line("label=" + heading(titles, legend) + ";");
  defaults("node", {{"fontname", "Helvetica"},
                    {"fontsize", text(font_size)},
                    {"style", "filled"},
                    {"fillcolor", "white"},
                    {"color", ink},
                    {"width", "0.3"},
                    {"height", "0.3"},
                    {"margin", "0.08,0.05"}});
  defaults("edge", {{"color", ink}, {"arrowsize", "0.7"}});
}

void Writer::defaults(std::string_view of, const Attributes& attributes) {
  line(std::string(of) + list(attributes) + ";");
}

void Writer::node(std::string_view id, Point centre, const Attributes& attributes) {
  Attributes placed{{"pos", text_of(centre)}};
  placed.insert(placed.end(), attributes.begin(), attributes.end());
  line(std::string(id) + list(placed) + ";");
}

void Writer::edge(std::string_view from, std::string_view to, const Attributes& attributes) {
  line(text(from, " -> ", to, list(attributes), ";"));
}

void Writer::open_box(Rank first, std::string_view label, const Box& box) {
  line(text("subgraph cluster_rank", first, " {"));
  ++depth_;
  defaults("graph", {{"label", std::string(label)},
                     {"bb", text_of(box.low) + ',' + text_of(box.high)},
                     {"lp", text_of({(box.low.x + box.high.x) / 2, box.label_y})},
                     {"style", "filled,rounded"},
                     {"fillcolor", "#f5f5f5"},
                     {"color", faint_ink}});
}

void Writer::close_box() {
  --depth_;
  line("}");
}

std::string Writer::finish() {
  text_ += "}\n";
  return std::move(text_);
}

void Writer::line(std::string_view statement) {
  text_.append(2 * static_cast<std::size_t>(depth_), ' ').append(statement).append("\n");
}

std::string rank_label(Rank first, Rank last, Range held) {
  std::string label = first == last ? text("rank ", first) : text("ranks ", first, " to ", last);
  return label + '\n' + (held.empty() ? "empty" : text(held));
}

Index width_of(std::string_view label) {
  // The widest font that usually takes Helvetica's place is DejaVu Sans: 0.64 em a digit.
  std::size_t longest = 0;
  while (!label.empty()) {
    const std::size_t end = std::min(label.find('\n'), label.size());
    longest = std::max(longest, end);
    label.remove_prefix(std::min(end + 1, label.size()));
  }
  return static_cast<Index>(longest) * font_size * 64 / 100 + 12;
}

Index height_of(std::string_view label) {
  const auto lines = std::count(label.begin(), label.end(), '\n') + 1;
  return lines * font_size * 13 / 10 + 8;
}

}  // namespace bracket::viz::dot
