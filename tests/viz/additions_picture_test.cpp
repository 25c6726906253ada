// SPDX-License-Identifier: MIT

#include "bracket/viz/additions_picture.hpp"

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "viz/svg_reader.hpp"

namespace additions_picture_test {

using namespace bracket;

namespace {

RankedOrder order_of(const std::string& spec, std::vector<Rank> ranks) {
  const auto elements = static_cast<Index>(ranks.size());
  return {make_order(spec, elements), std::move(ranks)};
}

std::vector<std::string> ways_of(const std::vector<testing::SvgElement>& elements) {
  std::vector<std::string> ways;
  for (const auto& line : testing::of_class(elements, "addition")) {
    ways.push_back(line.attributes.at("d"));
  }
  return ways;
}

}  // namespace

TEST_CASE("each addition is drawn above its operands, with the ranks at the bottom") {
  const auto elements =
      testing::SvgReader::read(additions_picture(order_of("tree", {0, 2, 1, 3})).svg());
  // Ranks are 22 points apart, levels 30.
  CHECK(ways_of(elements) == std::vector<std::string>{"M23 102v-30h22v30", "M67 102v-30h22v30",
                                                      "M34 72v-30h44v30", "M56 42v-30"});
  std::vector<std::string> words;
  for (const auto& element : elements) {
    if (element.name == "text") words.push_back(element.text);
  }
  CHECK(words == std::vector<std::string>{"0", "2", "1", "3"});
}

TEST_CASE("an addition is drawn above the higher of its operands") {
  const auto elements =
      testing::SvgReader::read(additions_picture(order_of("sequential", {0, 1, 2})).svg());
  CHECK(ways_of(elements) ==
        std::vector<std::string>{"M23 102v-30h22v30", "M34 72v-30h33v60", "M50.5 42v-30"});
}

TEST_CASE("a long chain of additions has flat levels") {
  std::vector<Rank> ranks(256);
  for (Rank rank = 0; rank < 256; ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
  CHECK(additions_picture(order_of("sequential", ranks)).height() < 760);
  ranks.push_back(256);
  CHECK_THROWS_WITH(additions_picture(order_of("sequential", ranks)),
                    Catch::Contains("at most 256"));
}

}  // namespace additions_picture_test
