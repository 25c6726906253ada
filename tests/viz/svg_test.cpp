// SPDX-License-Identifier: MIT

#include "bracket/viz/svg.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/viz/schedule_dot.hpp"
#include "bracket/viz/schedule_pictures.hpp"
#include "bracket/viz/tree_dot.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "viz/svg_reader.hpp"

namespace svg_test {

using namespace bracket;
using Catch::Contains;

namespace {

Index occurrences(const std::string& text, const std::string& part) {
  Index count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string tree_svg(const Distribution& distribution) {
  return render_svg(tree_dot(make_order("tree", distribution.elements()), distribution));
}

}  // namespace

TEST_CASE("a drawn tree has all its nodes, edges and boxes") {
  testing::property("SVG of trees", [] {
    const auto distribution = *testing::any_distribution(40, 9);
    const auto svg = tree_svg(distribution);
    RC_ASSERT(svg.starts_with("<?xml"));
    RC_ASSERT(svg.ends_with("</svg>\n"));
    RC_ASSERT(occurrences(svg, "class=\"node ") == 2 * distribution.elements() - 1);
    RC_ASSERT(occurrences(svg, "class=\"edge ") == 2 * distribution.elements() - 2);
    RC_ASSERT(occurrences(svg, "class=\"cluster\"") >=
              static_cast<Index>(distribution.occupied().size()));
  });
}

TEST_CASE("a drawn schedule has all its steps") {
  for (const char* plan : {"direct", "buffered", "aggregated"}) {
    const auto schedule = make_schedule(make_order("tree", 13), lower_distribution(13, 5),
                                        *make_plan(plan), {1, Collective::all_reduce});
    const auto cost = paper_cost(schedule, {});
    const auto svg = render_svg(schedule_dot(schedule, &cost));
    Index steps = 0;
    for (const auto& part : schedule.parts) steps += static_cast<Index>(part.steps().size());
    CHECK(occurrences(svg, "class=\"node ") == steps);
    CHECK(occurrences(svg, "class=\"edge message") == schedule.messages());
    CHECK_THAT(svg, Contains("critical path"));
  }
}

TEST_CASE("Graphviz renders pictures as PNG and PDF, with all of their shapes") {
  const auto schedule = make_schedule(make_order("tree", 1000), lower_distribution(1000, 7),
                                      *make_plan("direct"), Delivery::to_all());
  const auto times = paper_times(schedule, {});
  for (const auto& picture : {timeline_picture(schedule, times), matrix_picture(schedule, times),
                              levels_picture(schedule, times), overview_picture(schedule, times)}) {
    const std::string dot = picture.dot();
    CHECK(render_image(dot, "png").starts_with("\x89PNG"));
    CHECK(render_image(dot, "pdf").starts_with("%PDF"));
    // Each shape becomes one, and Graphviz draws a white page.
    const auto ours = testing::SvgReader::read(picture.svg());
    const auto theirs = testing::SvgReader::read(render_svg(dot));
    const auto count = [](const auto& elements, std::initializer_list<const char*> names) {
      Index all = 0;
      for (const auto& element : elements) {
        for (const char* const name : names) all += element.name == name ? 1 : 0;
      }
      return all;
    };
    Index words = 0;
    for (const auto& element : theirs) words += element.name == "text" ? 1 : 0;
    CHECK(words == count(ours, {"text"}));
    Index areas = 0;  // one path of ours has several
    for (const auto& element : ours) {
      if (element.name != "path") continue;
      areas += occurrences(element.attributes.at("d"), "M");
    }
    CHECK(count(theirs, {"polygon", "polyline"}) == count(ours, {"rect"}) + areas);
  }
  CHECK_THROWS_AS(render_image("digraph { a }", "nothing"), Error);
}

TEST_CASE("Graphviz draws the words of a picture where the picture has them") {
  Picture picture("words", 200, 100);
  picture.words({50, 60}, "a\"b <µs>", {10});
  const auto elements = testing::SvgReader::read(render_svg(picture.dot()));
  const auto& words = elements.back().name == "text"
                          ? elements.back()
                          : *std::find_if(elements.begin(), elements.end(),
                                          [](const auto& one) { return one.name == "text"; });
  CHECK(words.text == "a\"b <µs>");
  CHECK(std::abs(words.number("x") - 50) < 0.1);
  CHECK(std::abs(words.number("y") - (60 - 100)) < 0.1);
}

TEST_CASE("any plan name can be drawn") {
  auto schedule =
      make_schedule(make_order("tree", 9), lower_distribution(9, 3), *make_plan("direct"));
  schedule.plan = "a\"b\\<c>&\n\x01";
  CHECK_THAT(render_svg(schedule_dot(schedule)), Contains("a&quot;b\\&lt;c&gt;&amp;"));
  const auto picture = timeline_picture(schedule, paper_times(schedule, {}));
  CHECK_THAT(picture.svg(), Contains("a&quot;b\\&lt;c&gt;&amp;  ,"));
  CHECK_THAT(render_svg(picture.dot()), Contains("a&quot;b∖&lt;c&gt;&amp; "));
}

TEST_CASE("DOT that is not a graph is refused, and the next graph is drawn") {
  // Graphviz draws the boxes in any order, so two drawings of one graph may differ.
  const auto good = tree_svg(lower_distribution(9, 3)).size();
  for (const char* bad :
       {"", "hello", "digraph { a -> ", "digraph { a [label=\"open", "digraph { /* open",
        "digraph { a [label=<<B>open", "digraph { a [label=<<B>x>] }", "graph { a -> b }",
        "digraph { layout=nothing; a }", "digraph { layout=nop; a }", "digraph { a } }}",
        "digraph { a } digraph { b }"}) {
    INFO(bad);
    CHECK_THROWS_AS(render_svg(bad), Error);
    CHECK(tree_svg(lower_distribution(9, 3)).size() == good);
  }
}

TEST_CASE("Graphviz's words are in the message") {
  CHECK_THROWS_WITH(render_svg("digraph {\n  a -> ;\n}"),
                    Contains("syntax error in line 2 near ';'"));
  CHECK_THROWS_WITH(render_svg(""), Contains("holds no graph"));
  CHECK_THROWS_WITH(render_svg("digraph { a } digraph { b }"), Contains("more than one graph"));
  CHECK_THROWS_WITH(render_svg("digraph { layout=nothing; a }"), Contains("\"nothing\""));
}

TEST_CASE("threads take turns") {
  const auto good = tree_svg(lower_distribution(9, 3)).size();
  std::vector<std::size_t> sizes(4);
  std::vector<std::thread> threads;
  for (auto& size : sizes) {
    threads.emplace_back([&size] {
      for (int i = 0; i < 5; ++i) size = tree_svg(lower_distribution(9, 3)).size();
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(sizes == std::vector<std::size_t>(4, good));
}

}  // namespace svg_test
