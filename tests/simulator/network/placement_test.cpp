// SPDX-License-Identifier: MIT

#include "bracket/simulator/placement.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/scratch.hpp"

namespace placement_test {

using namespace bracket;
using Catch::Contains;
using Placed = std::vector<std::uint32_t>;

TEST_CASE("ranks fill node by node, or take turns") {
  const auto block = Placement::parse("block");
  const auto turns = Placement::parse("round-robin");
  CHECK(block.place(5, 2) == Placed{0, 0, 1, 1, 2});
  CHECK(turns.place(5, 2) == Placed{0, 1, 2, 0, 1});
  CHECK(block.place(3, 1) == Placed{0, 1, 2});
  CHECK(turns.place(1, 1000) == Placed{0});
  const Nodes uneven{{1, 3, 2}, {}};
  CHECK(block.place(6, uneven) == Placed{0, 1, 1, 1, 2, 2});
  CHECK(turns.place(6, uneven) == Placed{0, 1, 2, 1, 2, 1});
  CHECK(turns.place(4, uneven) == Placed{0, 1, 2, 1});
  for (const auto& placement : {block, turns}) {
    CHECK_THROWS_WITH(placement.place(7, uneven), Contains("6 core(s) on 3 node(s) for 7 ranks"));
    CHECK_THROWS_WITH(placement.place(1, Nodes{}), Contains("0 core(s) on 0 node(s)"));
    CHECK(placement.place(2, Nodes{{INT64_MAX, INT64_MAX}, {}}).size() == 2);
    CHECK(placement.nodes_for(9, INT64_MAX) == 1);
  }
}

TEST_CASE("no node takes more ranks than it has cores, and each has its fair number") {
  testing::property("by count", [] {
    const Nodes nodes{*rc::gen::container<std::vector<Index>>(rc::gen::inRange<Index>(0, 9)), {}};
    Index cores = 0;
    for (const Index here : nodes.cores) cores += here;
    const auto ranks = *rc::gen::inRange<Rank>(0, static_cast<Rank>(cores) + 1);
    for (const char* name : {"block", "round-robin"}) {
      const auto placed = Placement::parse(name).place(ranks, nodes);
      RC_ASSERT(placed.size() == static_cast<std::size_t>(ranks));
      std::vector<Index> taken(nodes.cores.size());
      for (const auto node : placed) ++taken.at(node);
      for (std::size_t node = 0; node < taken.size(); ++node) {
        RC_ASSERT(taken[node] <= nodes.cores[node]);
      }
    }
    // Round-robin: a node with a free core is at most one rank behind any other node.
    std::vector<Index> taken(nodes.cores.size());
    for (const auto node : Placement::parse("round-robin").place(ranks, nodes)) ++taken[node];
    for (std::size_t a = 0; a < taken.size(); ++a) {
      for (std::size_t b = 0; b < taken.size(); ++b) {
        RC_ASSERT(taken[a] == nodes.cores[a] || taken[a] + 1 >= taken[b]);
      }
    }
  });
}

TEST_CASE("ranks sit where a file says") {
  const testing::Scratch scratch;
  const auto file = [&](const char* content) {
    const auto path = (scratch.path() / "nodes.txt").string();
    support::write_file(path, content);
    return Placement::parse(path);
  };
  CHECK(file("2 0\n2\n").place(3, 2) == Placed{2, 0, 2});
  CHECK(file("2 0\n2\n").nodes_for(3, 2) == 3);
  const Nodes named{{1, 2}, {"left", "right"}};
  CHECK(file("right\nleft\nright").place(3, named) == Placed{1, 0, 1});
  CHECK_THROWS_WITH(file("right left left").place(3, named),
                    Contains("nodes.txt: rank 2 is one too many for 'left', which has 1 core(s)"));
  CHECK_THROWS_WITH(file("right up").place(2, named), Contains("rank 1 is placed on 'up'"));
  CHECK_THROWS_WITH(file("right").place(2, named), Contains("1 node(s) for 2 ranks"));
  CHECK_THROWS_WITH(file("0 a").place(2, 1), Contains("the node of rank 1: 'a'"));
  CHECK_THROWS_WITH(file("0 -1").place(2, 1), Contains("the node of rank 1 is -1"));
  CHECK_THROWS_WITH(file("0 99999999999").place(2, 1), Contains("is 99999999999"));
  CHECK_THROWS_WITH(file("0 0").place(2, 1), Contains("rank 1 is one too many"));
  CHECK_THROWS_WITH(file("0 \x1b[31m").place(2, named), Contains("placed on '0', which"));
  CHECK_THROWS_WITH(file("left \x1b[31m").place(2, named),
                    Contains("placed on '\\x1b[31m', which"));
  // Only nodes that occur need memory.
  CHECK(file("2147483646 0").place(2, 1) == Placed{2147483646, 0});
  CHECK_THROWS_WITH(file(" \n"), Contains("names no nodes"));
  CHECK_THROWS_WITH(Placement::parse("bloc"),
                    Contains("unknown placement 'bloc'; known: block, round-robin, FILE"));
  CHECK_THROWS_WITH(Placement::parse("none.txt"), Contains("none.txt: cannot be opened"));
}

}  // namespace placement_test
