// SPDX-License-Identifier: MIT

#include "bracket/viz/picture.hpp"

#include "support/catch.hpp"
#include "viz/dot_reader.hpp"
#include "viz/svg_reader.hpp"

namespace picture_test {

using namespace bracket;
using Catch::Contains;

namespace {

constexpr Picture::Look red{"stop now", "#ff0000"};
constexpr Picture::Look thin{"thin", {}, "#00ff00", 0.5};

Picture small() {
  Picture picture("a \"small\" <one> & \x01", 200, 100);
  picture.rectangle({10, 20.04}, 30, 40.25, red, "a tooltip & more");
  picture.rectangle({1, 2}, 0, 4, red);
  picture.line({{0, 0}, {10.5, 0}, {10.5, -5}, {20, 5}}, thin);
  picture.areas({{{0, 0}, {10, 0}, {10, 5}}, {{20, 0}, {30, 0}, {30, 5}}}, red);
  picture.words({50, 60}, "a\\b \"c\" <µs>", {12, true, Picture::Anchor::middle});
  return picture;
}

}  // namespace

TEST_CASE("a picture is SVG with the classes, places and tooltips of its shapes") {
  const auto elements = testing::SvgReader::read(small().svg());
  const auto& svg = elements.front();
  CHECK(svg.attributes.at("width") == "200pt");
  CHECK(svg.attributes.at("viewBox") == "0 0 200 100");
  CHECK(svg.tooltip == "a \"small\" <one> &  ");
  const auto rectangles = testing::of_class(elements, "stop");
  REQUIRE(rectangles.size() == 3);
  CHECK(rectangles[0].name == "rect");
  CHECK(rectangles[0].is_a("now"));
  CHECK(rectangles[0].number("x") == 10);
  CHECK(rectangles[0].number("y") == 20);
  CHECK(rectangles[0].number("width") == 30);
  CHECK(rectangles[0].number("height") == 40.3);
  CHECK(rectangles[0].tooltip == "a tooltip & more");
  // A rectangle without width is visible, too.
  CHECK(rectangles[1].number("width") == Picture::thinnest);
  CHECK(rectangles[1].tooltip.empty());
  CHECK(rectangles[2].attributes.at("d") == "M0 0h10v5zM20 0h10v5z");
  CHECK(testing::of_class(elements, "thin")[0].attributes.at("d") == "M0 0h10.5v-5l9.5 10");
  const auto& words = elements.back();
  CHECK(words.text == "a\\b \"c\" <µs>");
  CHECK(words.attributes.at("text-anchor") == "middle");
  CHECK(words.number("font-size") == 12);
  CHECK_THAT(small().svg(), Contains(".stop.now{fill:#ff0000;stroke:none;stroke-width:1}") &&
                                Contains(".thin{fill:none;stroke:#00ff00;stroke-width:0.5}"));
}

TEST_CASE("the same picture is DOT whose y axis points up") {
  const auto graph = testing::DotReader::read(small().dot());
  CHECK(graph.nodes.size() == 2);
  CHECK(graph.node("high").attributes.at("pos") == "200,100");
  const std::string& drawing = graph.attributes.at("_background");
  CHECK_THAT(drawing, Contains("C 7 -#ff0000 c 11 -transparent P 4 10 80 40 80 40 39.7 10 39.7 "));
  CHECK_THAT(drawing, Contains("S 17 -setlinewidth(0.5) L 4 0 100 10.5 100 10.5 105 20 95 "));
  // 15 bytes, since two characters have more than one.
  CHECK_THAT(drawing,
             Contains("F 12 9 -Helvetica t 1 ") && Contains("T 50 37.6 0 0 15 -a∖b \"c\" <µs> "));
}

TEST_CASE("an empty picture is a document") {
  const Picture empty("nothing", 10, 10);
  CHECK(testing::SvgReader::read(empty.svg()).size() == 4);
  CHECK(testing::DotReader::read(empty.dot()).nodes.size() == 2);
}

}  // namespace picture_test
