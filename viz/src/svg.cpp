// SPDX-License-Identifier: MIT

#include "bracket/viz/svg.hpp"

#include <gvc.h>

#include <memory>
#include <mutex>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

/// Collects the errors of Graphviz. Graphviz reports through one function for the whole process, in
/// pieces: the severity, then the message. Warnings, such as a missing font, still leave a picture.
class Complaints {
 public:
  Complaints() : before_(agseterrf(&Complaints::add)) {
    words_.clear();
    agreseterrors();
  }
  ~Complaints() { agseterrf(before_); }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  [[nodiscard]] static bool any() { return !words_.empty(); }

  /// The errors on one line.
  [[nodiscard]] static std::string words() {
    std::string line;
    for (const char c : words_) {
      const bool space = c == '\n' || c == ' ';
      if (!space || (!line.empty() && line.back() != ' ')) line += space ? ' ' : c;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line.empty() ? "no reason given" : line;
  }

 private:
  static int add(char* piece) noexcept {
    const std::string_view words = piece;
    if (words == "Error" || words == "Warning") {
      listening_ = words == "Error";
    } else if (listening_ && words != ": ") {
      words_ += words;
    }
    return 0;
  }

  inline static std::string words_;
  inline static bool listening_ = false;
  agusererrf before_;
};

struct CloseContext {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
};
struct CloseGraph {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};
struct FreeRendering {
  void operator()(char* data) const { gvFreeRenderData(data); }
};

using Graph = std::unique_ptr<Agraph_t, CloseGraph>;

[[noreturn]] void refuse(std::string_view what) {
  throw Error(text("Graphviz ", what, ": ", Complaints::words()));
}

Graph read_graph(const std::string& dot) {
  char name[] = "DOT";
  agsetfile(name);  // name of the text in errors; resets the line count to 1
  Graph graph(agmemread(dot.c_str()));
  // The parser keeps unread text and would begin with it the next time.
  bool more = false;
  if (graph) {
    while (const Graph next{agmemread("")}) more = true;
  }
  if (Complaints::any()) refuse("cannot read the graph");
  if (!graph) throw Error("the DOT text holds no graph");
  if (more) throw Error("the DOT text holds more than one graph");
  return graph;
}

}  // namespace

std::string render_svg(const std::string& dot) { return render_image(dot, "svg"); }

std::string render_image(const std::string& dot, const char* format) {
  static std::mutex one_at_a_time;  // the state of its parser and errors is global
  const std::lock_guard lock(one_at_a_time);
  const Complaints complaints;
  // One context for all calls: the text layout remembers font names, which end with the context.
  static const std::unique_ptr<GVC_t, CloseContext> context(gvContext());
  if (!context) refuse("did not start");
  const Graph graph = read_graph(dot);
  if (gvLayout(context.get(), graph.get(), "dot") != 0) refuse("cannot lay out the graph");

  char* data = nullptr;
  unsigned int length = 0;
  const int failed = gvRenderData(context.get(), graph.get(), format, &data, &length);
  const std::unique_ptr<char, FreeRendering> rendering(data);
  gvFreeLayout(context.get(), graph.get());
  if (failed != 0 || data == nullptr || Complaints::any()) refuse("cannot draw the graph");
  return {data, length};
}

}  // namespace bracket
