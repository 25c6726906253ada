// SPDX-License-Identifier: MIT

#include "bracket/viz/tree_dot.hpp"

#include <set>

#include "bracket/model/messages.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "viz/dot_reader.hpp"

namespace tree_dot_test {

using namespace bracket;
using testing::count_of_class;
using testing::DotGraph;
using testing::is_a;

namespace {

DotGraph drawn(const Distribution& distribution, const TreeDrawing& drawing = {}) {
  const auto order = make_order("tree", distribution.elements());
  return testing::DotReader::read(tree_dot(order, distribution, drawing));
}

DotGraph drawn(const std::vector<Index>& counts, const TreeDrawing& drawing = {}) {
  return drawn(Distribution::from_counts(counts), drawing);
}

/// Labels of the nodes of class `word`.
std::multiset<std::string> labels(const DotGraph& graph, const std::string& word) {
  std::multiset<std::string> result;
  for (const auto& node : graph.nodes) {
    if (is_a(node.attributes, word)) result.insert(node.attributes.at("label"));
  }
  return result;
}

/// Bracket of a node, from its id n<begin>_<end>.
Range bracket_of(const testing::DotNode& node) {
  const auto bar = node.id.find('_');
  return {std::stoll(node.id.substr(1, bar - 1)), std::stoll(node.id.substr(bar + 1))};
}

std::pair<Index, Index> position_of(const testing::DotNode& node) {
  const std::string& pos = node.attributes.at("pos");
  return {std::stoll(pos), std::stoll(pos.substr(pos.find(',') + 1))};
}

std::vector<testing::DotNode> leaves_of(const DotGraph& graph) {
  std::vector<testing::DotNode> leaves;
  for (const auto& node : graph.nodes) {
    if (!is_a(node.attributes, "inner")) leaves.push_back(node);
  }
  return leaves;
}

}  // namespace

TEST_CASE("an order without a fixed bracketing has no tree") {
  CHECK_THROWS_WITH(tree_dot(make_order("associative", 9), lower_distribution(9, 3)),
                    Catch::Contains("no fixed bracketing"));
}

TEST_CASE("the trees of other orders have their brackets for nodes") {
  const auto tree_of = [](const char* spec) {
    const auto order = make_order(spec, 9);
    return testing::DotReader::read(tree_dot(order, lower_distribution(9, 3)));
  };
  CHECK(labels(tree_of("chunked-tree:3"), "inner") ==
        std::multiset<std::string>{"[0,2)", "[0,3)", "[0,6)", "[0,9)", "[3,5)", "[3,6)", "[6,8)",
                                   "[6,9)"});
  CHECK(labels(tree_of("sequential"), "inner") ==
        std::multiset<std::string>{"[0,2)", "[0,3)", "[0,4)", "[0,5)", "[0,6)", "[0,7)", "[0,8)",
                                   "[0,9)"});
}

//                 (0,4)
//          (0,3)
//    (0,2)       (4,2)
//  (0,1)  (2,1)  (4,1)  (6,1)
//  0  1   2   3  4   5  6   7  8
//  rank 0  |   rank 1  |  rank 2
TEST_CASE("the tree of the thesis's figure 2.2") {
  const auto graph = drawn({3, 3, 3});
  CHECK(labels(graph, "intersecting") ==
        std::multiset<std::string>{"(2,1)", "(4,2)", "(0,3)", "(0,4)"});
  CHECK(labels(graph, "outbound") == std::multiset<std::string>{"3", "(6,1)", "(4,2)", "8"});
  CHECK(labels(graph, "inner").size() == 8);
  CHECK(graph.node("n4_8").cluster == "cluster_rank1");
  CHECK(graph.node("n0_9").cluster == "cluster_rank0");
  CHECK(graph.clusters.at("cluster_rank2").at("label") == "rank 2\n[6,9)");
}

TEST_CASE("the tree of the thesis's figure 3.3") {
  const auto graph = drawn({3, 3});
  CHECK(labels(graph, "intersecting") == std::multiset<std::string>{"(2,1)", "(0,3)"});
  CHECK(labels(graph, "outbound") == std::multiset<std::string>{"3", "(4,1)"});
}

TEST_CASE("each PE-intersecting node has one outbound subtree root and one edge between ranks") {
  testing::property("marks", [] {
    const auto distribution = *testing::any_distribution(128, 20);
    const auto graph = drawn(distribution);
    const Index messages = message_count(distribution);
    RC_ASSERT(count_of_class(graph.nodes, "intersecting") == messages);
    RC_ASSERT(count_of_class(graph.nodes, "outbound") == messages);
    RC_ASSERT(count_of_class(graph.edges, "between") == messages);
    RC_ASSERT(graph.edges.size() + 1 == graph.nodes.size());
    for (const auto& edge : graph.edges) {
      const bool between = graph.node(edge.from).cluster != graph.node(edge.to).cluster;
      RC_ASSERT(is_a(edge.attributes, "between") == between);
    }
  });
}

TEST_CASE("every element is in the box of its rank, in order, at the bottom") {
  testing::property("boxes", [] {
    const auto distribution = *testing::any_distribution(128, 20);
    const auto leaves = leaves_of(drawn(distribution));
    RC_ASSERT(static_cast<Index>(leaves.size()) == distribution.elements());
    Index x = -1;
    for (Index element = 0; element < distribution.elements(); ++element) {
      const auto& leaf = leaves[static_cast<std::size_t>(element)];
      RC_ASSERT(leaf.attributes.at("label") == text(element));
      RC_ASSERT(leaf.cluster == text("cluster_rank", distribution.owner(element)));
      RC_ASSERT(position_of(leaf).first > x);
      RC_ASSERT(position_of(leaf).second == 0);
      x = position_of(leaf).first;
    }
  });
}

TEST_CASE("a node stands above its halves, its left half in its own column") {
  testing::property("places", [] {
    const auto graph = drawn(*testing::any_distribution(64, 9));
    for (const auto& edge : graph.edges) {
      const auto& parent = graph.node(edge.from);
      const auto& child = graph.node(edge.to);
      RC_ASSERT(position_of(parent).second > position_of(child).second);
      const bool left = bracket_of(parent).begin == bracket_of(child).begin;
      RC_ASSERT((position_of(parent).first == position_of(child).first) == left);
    }
  });
}

TEST_CASE("a folded tree holds every element once and every mark") {
  testing::property("folding", [] {
    const auto distribution = *testing::any_distribution(1000000, 6);
    const Index depth = *rc::gen::inRange<Index>(0, 5);
    const auto graph = drawn(distribution, {depth, 1000});
    Index behind = 0;
    for (const auto& leaf : leaves_of(graph)) {
      const Range bracket = bracket_of(leaf);
      RC_ASSERT(bracket.begin == behind);
      behind = bracket.end;
      RC_ASSERT(distribution.owner(bracket.begin) == distribution.owner(bracket.end - 1));
      const bool folded = is_a(leaf.attributes, "folded");
      RC_ASSERT(folded == (bracket.size() > 1));
      const std::string& label = leaf.attributes.at("label");
      if (folded) RC_ASSERT(label.ends_with(text("\nn = ", bracket.size())));
    }
    RC_ASSERT(behind == distribution.elements());
    RC_ASSERT(count_of_class(graph.nodes, "intersecting") == message_count(distribution));
  });
}

TEST_CASE("brackets of one rank are folded below the depth, not above") {
  const auto one_rank = [](Index depth) { return drawn({4096}, {depth, 128}); };
  CHECK(leaves_of(one_rank(0)).size() == 2);
  CHECK(leaves_of(one_rank(3)).size() == 16);
  CHECK(leaves_of(one_rank(6)).size() == 128);
  CHECK(drawn({16}, {100, 128}).nodes.size() == drawn({16}).nodes.size());
}

TEST_CASE("the smallest trees") {
  CHECK(drawn({1}).nodes.size() == 1);
  CHECK(drawn({1}).edges.empty());
  CHECK(drawn({2}, {0, 2}).nodes.size() == 3);
}

TEST_CASE("empty ranks side by side share a box that says so") {
  const auto graph = drawn({1, 0, 1, 0, 0, 0, 1, 0});
  std::vector<std::string> boxes;
  for (const auto& [name, attributes] : graph.clusters) boxes.push_back(attributes.at("label"));
  CHECK(boxes == std::vector<std::string>{"rank 0\n[0,1)", "rank 1\nempty", "rank 2\n[1,2)",
                                          "ranks 3 to 5\nempty", "rank 6\n[2,3)", "rank 7\nempty"});
}

TEST_CASE("the boxes stand in element order, whoever holds the elements") {
  const auto distribution = Distribution::from_counts(std::vector<Index>{2, 0, 0, 3, 0});
  const auto graph = drawn(distribution.with_rank_order({4, 1, 2, 0, 3}));
  CHECK(graph.node("n0_1").cluster == "cluster_rank4");
  CHECK(graph.node("n1_2").cluster == "cluster_rank4");
  CHECK(graph.node("n4_5").cluster == "cluster_rank0");
  CHECK(graph.clusters.size() == 4);
  CHECK(graph.clusters.at("cluster_rank4").at("label") == "rank 4\n[0,2)");
  CHECK(graph.clusters.at("cluster_rank1").at("label") == "ranks 1 to 2\nempty");
  CHECK(graph.clusters.at("cluster_rank0").at("label") == "rank 0\n[2,5)");
  CHECK(graph.clusters.at("cluster_rank3").at("label") == "rank 3\nempty");
  // Ranks 2 and 1 are side by side.
  CHECK(drawn(distribution.with_rank_order({4, 2, 1, 0, 3})).clusters.size() == 4);
}

TEST_CASE("another order is drawn with ranges") {
  const auto order = make_order("sequential", 6);
  const auto distribution = lower_distribution(6, 2);
  const auto graph = testing::DotReader::read(tree_dot(order, distribution));
  CHECK(labels(graph, "inner") ==
        std::multiset<std::string>{"[0,2)", "[0,3)", "[0,4)", "[0,5)", "[0,6)"});
  CHECK(count_of_class(graph.nodes, "intersecting") == 3);
  CHECK_THAT(graph.attributes.at("label"), Catch::Contains("order sequential, N = 6"));
}

TEST_CASE("without a depth, the depth is the largest with few enough leaves") {
  const auto title = [](const DotGraph& graph) { return graph.attributes.at("label"); };
  const auto levels = [&](const DotGraph& graph) {
    const auto words = title(graph);
    const auto at = words.find("more than ");
    return at == std::string::npos ? -1 : std::stoi(words.substr(at + 10));
  };
  const auto all = drawn({128});
  CHECK(leaves_of(all).size() == 128);
  CHECK(levels(all) == -1);
  // Half of the leaves, since folded leaves are wide.
  CHECK(leaves_of(drawn({129})).size() == 33);
  const auto folded = drawn({4096});
  CHECK(leaves_of(folded).size() == 64);
  CHECK(levels(folded) == 5);
  CHECK_THAT(title(folded), Catch::Contains("subtrees of one rank more than 5 levels"));
  CHECK(leaves_of(drawn({Index{1} << 62})).size() == 64);
  // Depth 5 would have 101 leaves.
  const auto four = drawn(lower_distribution(504850, 4));
  CHECK(leaves_of(four).size() <= 64);
  CHECK(levels(four) >= 0);
  CHECK(leaves_of(drawn(lower_distribution(504850, 4), {levels(four) + 1, 1024})).size() > 64);
}

TEST_CASE("a depth is kept while there are few enough leaves, and lowered beyond") {
  const auto at = [](Index depth, Index most) {
    return drawn(lower_distribution(504850, 4), {depth, most});
  };
  CHECK(leaves_of(at(5, 128)).size() == 101);
  CHECK(leaves_of(at(60, 128)).size() == 101);
  CHECK(leaves_of(at(6, 1024)).size() > 128);
  const auto title = at(60, 128).attributes.at("label");
  CHECK_THAT(title,
             Catch::Contains("more than 5 levels below the root; depth 60 has more than 128"));
}

TEST_CASE("in a tree of many ranks, groups of ranks are folded and tell what is inside") {
  testing::property("groups", [] {
    const auto distribution = *testing::any_distribution(100000, 300);
    const Index most = *rc::gen::inRange<Index>(1, 200);
    const auto order =
        make_order(*rc::gen::element<std::string>("tree", "chunked-tree:7", "sequential"),
                   distribution.elements());
    const auto graph = testing::DotReader::read(tree_dot(order, distribution, {{}, most}));
    Index behind = 0;
    Index inside = 0;
    for (const auto& leaf : leaves_of(graph)) {
      const Range bracket = bracket_of(leaf);
      RC_ASSERT(bracket.begin == behind);
      behind = bracket.end;
      const bool local = distribution.owner(bracket.begin) == distribution.owner(bracket.end - 1);
      RC_ASSERT(is_a(leaf.attributes, "group") == !local);
      RC_ASSERT(is_a(leaf.attributes, "folded") == (bracket.size() > 1));
      if (local) continue;
      const std::string& tooltip = leaf.attributes.at("tooltip");
      inside += std::stoll(tooltip.substr(tooltip.rfind(' ')));
    }
    RC_ASSERT(behind == distribution.elements());
    RC_ASSERT(static_cast<Index>(leaves_of(graph).size()) <= most);
    // Each joint of the tree whose halves begin on distinct ranks, the obvious way.
    Index intersecting = 0;
    for (Index x = 1; x < distribution.elements(); ++x) {
      const Index left = order.left_partner(x);
      if (distribution.owner(x) != distribution.owner(left)) ++intersecting;
    }
    RC_ASSERT(count_of_class(graph.nodes, "intersecting") + inside == intersecting);
    if (order.chunk_size() == 1) RC_ASSERT(intersecting == message_count(distribution));
  });
}

TEST_CASE("the groups and boxes of many ranks name them") {
  const auto graph = drawn(lower_distribution(504850, 256));
  CHECK(leaves_of(graph).size() == 32);
  CHECK(graph.clusters.size() == 32);
  CHECK(graph.clusters.at("cluster_rank0").at("label") == "ranks 0\nto 7");
  const auto distribution = lower_distribution(504850, 256);
  Index inside = 0;
  for (Index x = 1; x < 16384; ++x) {
    if (distribution.owner(x) != distribution.owner(x & (x - 1))) ++inside;
  }
  CHECK(graph.node("n0_16384").attributes.at("label") ==
        text("ranks 0\nto 8\n[0,\n16384)\nn = 16384\n", inside, " inside"));
  const auto rank_order = [] {
    std::vector<Rank> ranks(256);
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<Rank>(i * 17 % 256);
    return ranks;
  }();
  const auto mixed = drawn(lower_distribution(504850, 256).with_rank_order(rank_order));
  CHECK(mixed.clusters.at("cluster_rank0").at("label") == "8 ranks");
  CHECK(leaves_of(mixed).size() == 32);
}

TEST_CASE("no size is too large for a tree") {
  for (const char* order_spec : {"tree", "chunked-tree:1000", "sequential"}) {
    for (const Index elements : {Index{1} << 40, Index{1} << 62}) {
      for (const Rank ranks : {1, 3, 1000, 100000}) {
        CAPTURE(order_spec, elements, ranks);
        const auto order = make_order(order_spec, elements);
        const auto distribution = upper_distribution(elements, ranks);
        CHECK(tree_dot(order, distribution).size() < 200000);
        CHECK(tree_dot(order, distribution, {0, 1024}).size() < 2000000);
      }
    }
  }
  const auto empty = drawn(power2_distribution(5, 100000));
  CHECK(empty.clusters.size() == 2);
  CHECK(leaves_of(drawn({1, 1}, {{}, 1})).size() == 1);
}

TEST_CASE("a tree that cannot be is refused") {
  using Catch::Contains;
  const auto order = make_order("tree", 9);
  CHECK_THROWS_WITH(tree_dot(order, lower_distribution(9, 3), {-1, 128}),
                    Contains("depth") && Contains("-1"));
  CHECK_THROWS_WITH(tree_dot(order, lower_distribution(9, 3), {{}, 0}),
                    Contains("at least 1 leaf"));
  CHECK_THROWS_WITH(tree_dot(order, lower_distribution(10, 3)),
                    Contains("9 elements") && Contains("10"));
}

}  // namespace tree_dot_test
