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
  CHECK(drawn(distribution.with_rank_order({4, 2, 1, 0, 3})).clusters.size() == 5);
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

TEST_CASE("a tree too large to read is refused with what would fit") {
  using Catch::Contains;
  const auto refusal = [](Index elements, Rank ranks, const TreeDrawing& drawing) {
    try {
      tree_dot(make_order("tree", elements), lower_distribution(elements, ranks), drawing);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("drawn");
  };
  CHECK(refusal(128, 4, {}) == "drawn");
  CHECK_THAT(refusal(129, 4, {}), Contains("129 leaves") && Contains("128") && Contains("--depth"));
  CHECK(refusal(504850, 4, {{}, 128}) ==
        "the tree has 504850 leaves, more than the 128 that one picture may have: "
        "--depth 5 folds it to 101");
  CHECK(refusal(504850, 4, {5, 128}) == "drawn");
  CHECK_THAT(refusal(504850, 4, {6, 128}), Contains("level 6") && Contains("--depth 5"));
  CHECK_THAT(refusal(504850, 256, {}), Contains("fewer ranks"));
  CHECK_THAT(refusal(Index{1} << 62, 1, {}), Contains("--depth 6 folds it to 128"));
  CHECK_THAT(refusal(Index{1} << 62, 1, {60, 128}), Contains("--depth 6 folds it to 128"));
  CHECK_THAT(refusal(9, 3, {-1, 128}), Contains("depth") && Contains("-1"));
  CHECK_THAT(refusal(9, 3, {{}, 0}), Contains("at least 1 leaf"));
  CHECK_THROWS_WITH(
      tree_dot(make_order("sequential", Index{1} << 40), lower_distribution(Index{1} << 40, 3)),
      Contains("fewer ranks"));
  CHECK_THROWS_WITH(tree_dot(make_order("tree", 9), lower_distribution(10, 3)),
                    Contains("9 elements") && Contains("10"));
}

}  // namespace tree_dot_test
