#include "bracket/viz/svg.hpp"

#include <thread>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/viz/schedule_dot.hpp"
#include "bracket/viz/tree_dot.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace svg_test {

using namespace bracket;
using Catch::Contains;

/// LeakSanitizer reads this. Graphviz does not free the labels of a graph whose nodes are placed,
/// and the font libraries do not free memory that they keep for the process. A graph that we do not
/// close is still found, since libcgraph allocates it.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libgvc\n"
         "leak:libgvplugin\n"
         "leak:libpango\n"
         "leak:libfontconfig\n"
         "leak:libcairo\n"
         "leak:libglib\n"
         "leak:libexpat\n";
}

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

TEST_CASE("any plan name can be drawn") {
  auto schedule =
      make_schedule(make_order("tree", 9), lower_distribution(9, 3), *make_plan("direct"));
  schedule.plan = "a\"b\\<c>&\n\x01";
  CHECK_THAT(render_svg(schedule_dot(schedule)), Contains("a&quot;b\\&lt;c&gt;&amp;"));
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
