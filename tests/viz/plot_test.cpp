// SPDX-License-Identifier: MIT

#include "bracket/viz/plot.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace plot_test {

using namespace bracket::viz;
using Catch::Contains;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& all) {
  std::vector<std::string> lines;
  std::istringstream in(all);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

Plot plot_of(std::vector<PlotPoint> points) {
  Plot plot{.title = "t"};
  plot.series.push_back({.name = "s", .points = std::move(points)});
  return plot;
}

}  // namespace

TEST_CASE("numbers at ticks have their units") {
  struct Case {
    PlotUnit unit;
    double number;
    const char* text;
  };
  for (const auto& [unit, number, expected] :
       {Case{PlotUnit::seconds, 2.5e-6, "2.5 µs"}, Case{PlotUnit::seconds, 0.9999999999e-3, "1 ms"},
        Case{PlotUnit::seconds, 3e-10, "0.3 ns"}, Case{PlotUnit::seconds, 0, "0 s"},
        Case{PlotUnit::seconds, 1200, "1200 s"}, Case{PlotUnit::bytes, 65536, "64 KiB"},
        Case{PlotUnit::bytes, 8, "8 B"}, Case{PlotUnit::bytes, 0x1p26, "64 MiB"},
        Case{PlotUnit::number, 504850, "504 850"}, Case{PlotUnit::number, 1024, "1024"},
        Case{PlotUnit::number, 1e12, "1e12"}, Case{PlotUnit::number, 0.25, "0.25"},
        Case{PlotUnit::number, 1e-7, "1e-7"}, Case{PlotUnit::share, -0.12, "-12 %"}}) {
    CHECK(tick_text(unit, number) == expected);
  }
}

TEST_CASE("numbers suit a logarithm if they are positive and far apart") {
  CHECK(suit_logarithm({1, 10, no_number}));
  CHECK(!suit_logarithm({1, 9.9}));
  CHECK(!suit_logarithm({0, 1, 100}));
  CHECK(!suit_logarithm({}));
}

TEST_CASE("points that an axis cannot show are left out, and the note counts them") {
  Plot plot = plot_of({{1, 1}, {no_number, 1}, {1, infinity}, {2, 0}, {3, -1}, {4, 2}});
  plot.y.logarithmic = true;
  plot = fit(plot, 100);
  REQUIRE(plot.series.size() == 1);
  REQUIRE(plot.series[0].points.size() == 2);
  CHECK(plot.series[0].points[1].x == 4);
  CHECK_THAT(plot.note, Catch::StartsWith("4 values are left out"));
  CHECK(drawable(plot));
  CHECK(!drawable(fit(plot_of({{infinity, 1}}), 100)));
  CHECK(!drawable(fit(Plot{}, 100)));
}

TEST_CASE("a plot keeps at most the given number of points, at equal distances") {
  bracket::testing::property("thinning", [] {
    const auto count = *rc::gen::inRange<std::size_t>(0, 400);
    const auto most = *rc::gen::inRange<std::size_t>(1, 100);
    std::vector<PlotPoint> points;
    for (std::size_t i = 0; i < count; ++i) points.push_back({static_cast<double>(i), 1});
    const Plot plot = fit(plot_of(points), most);
    if (count == 0) {
      RC_ASSERT(!drawable(plot));
      return;
    }
    const auto& kept = plot.series.at(0).points;
    RC_ASSERT(kept.size() <= most);
    RC_ASSERT(kept.size() * 2 > std::min(count, most));
    const double step = kept.size() > 1 ? kept[1].x : 1;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      RC_ASSERT(kept[i].x == step * static_cast<double>(i));
    }
    RC_ASSERT(plot.note.empty() == (count <= most));
  });
}

TEST_CASE("a heat map keeps whole lines and columns") {
  Plot plot;
  for (std::size_t i = 0; i < 100; ++i) {
    plot.x.names.push_back(std::to_string(i));
    plot.y.names.push_back(std::to_string(i));
    for (std::size_t k = 0; k < 100; ++k) plot.cells.push_back({i, k, double(100 * i + k)});
  }
  plot = fit(plot, 900);
  CHECK(plot.cells.size() == plot.x.names.size() * plot.y.names.size());
  CHECK(plot.cells.size() <= 900);
  CHECK(plot.cells.size() > 200);
  for (const PlotCell& cell : plot.cells) {
    CHECK(cell.value ==
          100 * std::stod(plot.x.names.at(cell.x)) + std::stod(plot.y.names.at(cell.y)));
  }
}

TEST_CASE("the numbers of a plot can be read back exactly") {
  bracket::testing::property("numbers", [] {
    const auto numbers = *rc::gen::container<std::vector<double>>(4, rc::gen::arbitrary<double>());
    Plot plot = plot_of({{numbers[0], numbers[1], {}, {numbers[2], numbers[3]}}});
    plot.series.push_back({.name = "a,\"b\"\n", .points = {{1, 2}}});
    const auto lines = lines_of(plot_csv(plot));
    RC_ASSERT(lines.size() == 3u);
    RC_ASSERT(lines[0] == "series,x,x_low,x_high,y,y_low,y_high,name");
    const auto cells = cells_of(lines[1]);
    const auto read = [&](std::size_t i) {
      return cells[i].empty() ? no_number : std::stod(cells[i]);
    };
    const auto same = [](double a, double b) {
      return a == b || (std::isnan(a) && !std::isfinite(b));
    };
    RC_ASSERT(cells[0] == "1");
    RC_ASSERT(same(read(1), numbers[0]));
    RC_ASSERT(cells[2].empty());
    RC_ASSERT(same(read(4), numbers[1]));
    RC_ASSERT(same(read(5), numbers[2]));
    RC_ASSERT(same(read(6), numbers[3]));
    RC_ASSERT(lines[2] == "2,1,,,2,,,\"a,\"\"b\"\" \"");
  });
}

TEST_CASE("gnuplot gets numbers that integers of 64 bits cannot hold with an exponent") {
  Plot plot = plot_of({{1, 9261706252939962208.0}});
  plot.y.logarithmic = true;
  const std::string commands = plot_script(plot, "p");
  CHECK_THAT(commands, Contains("set yrange [") && Contains("e+19]"));
}

TEST_CASE("names cannot leave their quotes in gnuplot's commands") {
  const std::string hostile = "'; system('x') `x`\n@x %d \"";
  Plot plot = plot_of({{0, 0}, {1, 1}});
  plot.title = hostile;
  plot.x.title = hostile;
  plot.y.names = {hostile, "b"};
  plot.series[0].name = hostile;
  plot.series.push_back({.name = "other", .points = {{1, 0}}});
  plot = fit(plot, 100);
  for (const std::string& script : {plot_script(plot, "n"), page_script(plot, "n")}) {
    for (const std::string& line : lines_of(script)) {
      if (line.find("system") == std::string::npos || line.front() == '1') continue;
      CAPTURE(line);
      CHECK_THAT(line, Contains("'''; system(''x'') `x` @x %"));
    }
    // The text of a tick is a format.
    CHECK_THAT(script, Contains("@x %%d \"' 0"));
  }
}

TEST_CASE("a name of a series is shortened in its middle, between characters") {
  std::string name;
  for (int i = 0; i < 60; ++i) name += "µ";
  Plot plot = plot_of({{1, 1}});
  plot.series[0].name = name + "\xff";
  const std::string kept = fit(plot, 10).series.at(0).name;
  CHECK(kept.size() == 22 * 2 + 20 * 2 + std::string("…\ufffd").size());
  CHECK_THAT(kept, Contains("µ…µ") && Catch::EndsWith("\ufffd"));
}

TEST_CASE("gnuplot's SVG takes the colours of the page and identifiers of its own") {
  const std::string drawn =
      "<?xml?>\n<svg \n viewBox=\"0 0 10 20\"\n xmlns=\"x\">\n<title>a</title>\n<desc>b</desc>\n"
      "<g id=\"gnuplot_canvas\">\n<g fill=\"none\">\n</g>\n<path id='gpPt0' stroke='black'/>\n"
      "<use xlink:href='#gpPt0' color='rgb(  0, 114, 178)'/>\n"
      "<g fill=\"rgb(0,0,0)\"><text>rgb(0,0,0)</text></g>\n</g>\n</svg>\n";
  CHECK(page_svg(drawn, "plot-1", "a \"b\" <c>") ==
        "<svg viewBox=\"0 0 10 20\" role=\"img\" aria-label=\"a &quot;b&quot; &lt;c&gt;\">\n"
        "<g id=\"plot-1-canvas\">\n<path id='plot-1-gpPt0' stroke='currentColor'/>\n"
        "<use xlink:href='#plot-1-gpPt0' color='var(--series-1)'/>\n"
        "<g fill=\"currentColor\"><text>rgb(0,0,0)</text></g>\n</g>\n</svg>\n");
  CHECK_THROWS_AS(page_svg("", "n", "t"), bracket::Error);
  CHECK_THROWS_AS(page_svg("<svg", "n", "t"), bracket::Error);
}

}  // namespace plot_test
