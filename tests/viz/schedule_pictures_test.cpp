// SPDX-License-Identifier: MIT

#include "bracket/viz/schedule_pictures.hpp"

#include <map>
#include <set>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "looks.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "viz/any_schedule.hpp"
#include "viz/svg_reader.hpp"

namespace schedule_pictures_test {

using namespace bracket;
using testing::any_schedule;
using testing::numbers_in;
using testing::of_class;
using testing::SvgElement;

namespace {

using Elements = std::vector<SvgElement>;
using Draw = Picture (*)(const Schedule&, const ScheduleTimes&);
constexpr Draw all_pictures[] = {timeline_picture, matrix_picture, levels_picture,
                                 overview_picture};

Schedule schedule_of(Index elements, Rank ranks, const std::string& plan, Delivery delivery = {}) {
  return make_schedule(make_order("tree", elements), upper_distribution(elements, ranks),
                       *make_plan(plan), delivery);
}

Elements drawn(Draw draw, const Schedule& schedule, const Machine& machine = {}) {
  return testing::SvgReader::read(draw(schedule, paper_times(schedule, machine)).svg());
}

/// Bytes of all messages, the obvious way.
long long bytes_of(const Schedule& schedule) {
  long long bytes = 0;
  for (const RankPart& part : schedule.parts) {
    for (const Step& step : part.steps()) {
      if (step.kind == StepKind::send) bytes += 8 * part.values(step);
    }
  }
  return bytes;
}

/// The place of each send in the longest chain of messages, found by relaxing until nothing
/// changes. The keys are the rank and the step.
std::map<std::pair<Rank, std::size_t>, long long> levels_of(const Schedule& schedule) {
  const ScheduleGraph graph(schedule);
  std::map<std::pair<Rank, std::size_t>, long long> levels;
  for (bool changed = true; changed;) {
    changed = false;
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      long long behind = 0;
      const auto& steps = schedule.parts[static_cast<std::size_t>(rank)].steps();
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind == StepKind::send) {
          long long& level = levels[{rank, i}];
          changed = changed || level != behind + 1;
          level = behind + 1;
        } else if (steps[i].kind == StepKind::recv) {
          const auto sent = graph.place(graph.partner(graph.id(rank, i)));
          behind = std::max(behind, levels[{sent.rank, sent.step}]);
        }
      }
    }
  }
  return levels;
}

/// Whether any two texts overlap, with the character widths of DejaVu Sans, the widest usual font.
bool words_overlap(const Elements& elements) {
  struct Box {
    double left, right, top, bottom;
  };
  std::vector<Box> boxes;
  for (const SvgElement& element : elements) {
    if (element.name != "text") continue;
    const double size = element.number("font-size");
    if (size < 9) return true;
    const double width = viz::width_of_words(element.text, size) * 0.97;
    double left = element.number("x");
    if (const auto anchor = element.attributes.find("text-anchor");
        anchor != element.attributes.end()) {
      left -= anchor->second == "middle" ? width / 2 : width;
    }
    const double base = element.number("y");
    boxes.push_back({left, left + width, base - 0.75 * size, base + 0.2 * size});
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (boxes[i].left < boxes[j].right && boxes[j].left < boxes[i].right &&
          boxes[i].top < boxes[j].bottom && boxes[j].top < boxes[i].bottom) {
        UNSCOPED_INFO(boxes[i].left << ' ' << boxes[i].bottom << ", " << boxes[j].left << ' '
                                    << boxes[j].bottom);
        return true;
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("a timeline has a bar for each step, in the row of its rank, in order of time") {
  testing::property("bars", [] {
    const auto schedule = any_schedule();
    const auto cost = paper_cost(schedule, {});
    const auto picture = drawn(timeline_picture, schedule);
    // The legend has one, too.
    RC_ASSERT(of_class(picture, "row").size() == schedule.parts.size() + 1);
    Index steps = 0;
    for (const RankPart& part : schedule.parts) steps += static_cast<Index>(part.steps().size());
    RC_PRE(steps <= 1500);
    std::map<std::string, Index> counts;
    for (const RankPart& part : schedule.parts) {
      for (const Step& step : part.steps()) ++counts[std::string(name_of(step.kind))];
    }
    // The legend has one bar of each kind.
    for (const auto& [kind, count] : counts) {
      RC_ASSERT(static_cast<Index>(of_class(picture, kind).size()) == count + 1);
    }
    double right = 0;
    long long before = -1;
    double top = 0;
    Index bars = 0;
    for (const SvgElement& bar : of_class(picture, "bar")) {
      if (bar.tooltip.empty()) continue;  // in the legend
      ++bars;
      const long long rank = numbers_in(bar.tooltip).front();
      RC_ASSERT(rank >= before);
      if (rank != before) right = 0;
      RC_ASSERT((rank == before) == (bar.number("y") == top));
      RC_ASSERT(bar.number("x") + 0.11 >= right);
      before = rank;
      top = bar.number("y");
      right = bar.number("x") + bar.number("width") - Picture::thinnest;
    }
    RC_ASSERT(bars == steps);
    const auto critical = static_cast<Index>(cost.critical_path.size());
    const auto paths = of_class(picture, "path");
    // The path itself is critical, and the sample in the legend.
    const Index extra = critical == 0 ? 0 : 2;
    RC_ASSERT(static_cast<Index>(of_class(picture, "critical").size()) == critical + extra);
    if (critical > 0) {
      RC_ASSERT(numbers_in(paths.back().tooltip).front() == critical);
    }
  });
}

TEST_CASE("a timeline of few messages has a line for each, forwards in time") {
  testing::property("messages", [] {
    const auto schedule = any_schedule(60, 6);
    const auto lines = of_class(drawn(timeline_picture, schedule), "message");
    if (schedule.messages() > 150) {
      RC_ASSERT(lines.empty());
      return;
    }
    RC_ASSERT(static_cast<Index>(lines.size()) == schedule.messages());
    long long bytes = 0;
    for (const SvgElement& line : lines) {
      const auto numbers = numbers_in(line.tooltip);
      RC_ASSERT(numbers.size() == 3u);
      RC_ASSERT(numbers[0] != numbers[1]);
      bytes += numbers[2];
      // The first command goes down or to the right, never back.
      const std::string& d = line.attributes.at("d");
      RC_ASSERT(d.find("h-") == std::string::npos);
      RC_ASSERT(d.find("l-") == std::string::npos || d.find("l-0.1 ") != std::string::npos);
    }
    RC_ASSERT(bytes == bytes_of(schedule));
  });
}

TEST_CASE("the cells of a matrix have all messages and bytes, between groups of ranks") {
  testing::property("matrix", [] {
    const auto schedule =
        any_schedule(*rc::gen::element<Index>(50, 2000), *rc::gen::element<Rank>(12, 200));
    const auto picture = drawn(matrix_picture, schedule);
    Rank width = 1;
    for (const SvgElement& element : picture) {
      const auto at = element.text.find("ranks in groups of ");
      if (at != std::string::npos) width = std::stoi(element.text.substr(at + 19));
    }
    const auto name = [&](Rank rank) {
      const Rank first = rank / width * width;
      const Rank last = std::min(first + width, schedule.ranks()) - 1;
      return first == last ? text(first) : text(first, "–", last);
    };
    struct Sums {
      long long messages = 0;
      long long bytes = 0;
    };
    std::map<std::string, Sums> sums;
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      const auto& part = schedule.parts[static_cast<std::size_t>(rank)];
      for (const Step& step : part.steps()) {
        if (step.kind != StepKind::send) continue;
        Sums& cell = sums[name(rank) + " to " + name(step.peer)];
        ++cell.messages;
        cell.bytes += 8 * part.values(step);
      }
    }
    std::set<std::string> expected;
    for (const auto& [ranks, cell] : sums) {
      expected.insert(text(ranks, ": ", cell.messages,
                           cell.messages == 1 ? " message" : " messages", ", ", cell.bytes,
                           " bytes"));
    }
    std::set<std::string> found;
    for (const SvgElement& cell : of_class(picture, "cell")) {
      if (!cell.tooltip.empty()) found.insert(cell.tooltip);  // the scale of colours has none
    }
    RC_ASSERT(found == expected);
    RC_ASSERT(found.size() <= 3000u);
    if (schedule.ranks() <= 54) RC_ASSERT(width == 1);
  });
}

TEST_CASE("the levels have all messages and bytes, each at its place in the longest chain") {
  testing::property("levels", [] {
    const auto schedule = any_schedule(500, 40);
    const auto levels = of_class(drawn(levels_picture, schedule), "level");
    const auto expected = levels_of(schedule);
    long long highest = 0;
    for (const auto& [_, level] : expected) highest = std::max(highest, level);
    RC_ASSERT(levels.size() == static_cast<std::size_t>(std::min(highest, 64LL)));
    long long messages = 0;
    long long bytes = 0;
    long long next = 1;
    for (const SvgElement& row : levels) {
      const auto colon = row.tooltip.find(':');
      const auto named = numbers_in(row.tooltip.substr(0, colon));
      const auto amounts = numbers_in(row.tooltip.substr(colon));
      const long long last = named.back();
      RC_ASSERT(named.front() == next);
      next = last + 1;
      long long count = 0;
      std::set<Rank> active;
      for (const auto& [send, level] : expected) {
        if (level < named.front() || level > last) continue;
        ++count;
        active.insert(send.first);
        active.insert(
            schedule.parts[static_cast<std::size_t>(send.first)].steps()[send.second].peer);
      }
      RC_ASSERT(amounts[0] == count);
      RC_ASSERT(amounts[2] == static_cast<long long>(active.size()));
      messages += amounts[0];
      bytes += amounts[1];
    }
    RC_ASSERT(next == highest + 1);
    RC_ASSERT(messages == schedule.messages());
    RC_ASSERT(bytes == bytes_of(schedule));
  });
}

TEST_CASE("a butterfly has a level for each of its rounds") {
  const auto schedule = schedule_of(64, 64, "butterfly", Delivery::to_all());
  const auto levels = of_class(drawn(levels_picture, schedule), "level");
  REQUIRE(levels.size() == 6);
  for (const SvgElement& level : levels) {
    CHECK_THAT(level.tooltip,
               Catch::Contains(": 64 messages, ") && Catch::Contains(" 64 of 64 ranks, "));
  }
}

TEST_CASE("many ranks share rows that tell the share of each activity") {
  const auto schedule = schedule_of(504850, 256, "direct");
  const auto times = paper_times(schedule, {});
  const auto picture = testing::SvgReader::read(overview_picture(schedule, times).svg());
  std::set<Rank> visited;
  for (const std::size_t place : times.critical_path) visited.insert(times.busy[place].rank);
  long long next = 0;
  std::set<Rank> alone;
  for (const SvgElement& row : of_class(picture, "row")) {
    if (row.tooltip.empty()) continue;  // in the legend
    const auto ranks = numbers_in(row.tooltip);
    CHECK(ranks.front() == next);
    next = ranks.back() + 1;
    if (ranks.front() == ranks.back()) alone.insert(static_cast<Rank>(ranks.front()));
  }
  CHECK(next == 256);
  for (const Rank rank : visited) CHECK(alone.contains(rank));
  CHECK(of_class(picture, "share").size() > 40);
  CHECK(of_class(picture, "message").empty());
  CHECK(of_class(picture, "level").size() == 8);
  CHECK(of_class(picture, "cell").size() > 100);
}

TEST_CASE("a path that often changes its rank is drawn without the changes") {
  const auto path_of = [](Rank ranks) {
    const auto schedule = make_schedule(make_order("tree", 3000), upper_distribution(3000, ranks),
                                        *make_plan("ring"), Delivery::to_all(), 5000);
    return of_class(drawn(timeline_picture, schedule), "path").back();
  };
  CHECK_THAT(path_of(20).attributes.at("d"), Catch::Contains("l"));
  const auto many = path_of(300);
  CHECK(many.attributes.at("d").find_first_of("lv") == std::string::npos);
  CHECK(std::count(many.attributes.at("d").begin(), many.attributes.at("d").end(), 'M') > 100);
  CHECK_THAT(many.tooltip, Catch::StartsWith("critical path: "));
}

TEST_CASE("words of pictures are large enough and do not overlap") {
  const struct {
    Index elements;
    Rank ranks;
    const char* plan;
    Delivery delivery{};
  } cases[] = {{9, 3, "direct"},
               {1, 1, "direct"},
               {2, 90, "aggregated"},
               {504850, 24, "direct"},
               {504850, 100, "aggregated"},
               {504850, 256, "direct"},
               {21410970, 1280, "butterfly", Delivery::to_all()},
               {3000, 300, "ring", Delivery::to_all()},
               {100000, 70000, "binomial"}};
  for (const auto& [elements, ranks, plan, delivery] : cases) {
    CAPTURE(elements, ranks, plan);
    const auto made = schedule_of(elements, ranks, plan, delivery);
    for (const Draw draw : all_pictures) CHECK(!words_overlap(drawn(draw, made)));
  }
}

TEST_CASE("every schedule can be drawn in every way") {
  testing::property("hostile schedules", [] {
    const auto schedule =
        any_schedule(*rc::gen::element<Index>(1, 3, 2000), *rc::gen::element<Rank>(1, 150, 600));
    Machine machine;
    machine.seconds_per_addition = *rc::gen::element(0.0, 4e-9, 1.0);
    machine.latency = *rc::gen::element(0.0, 1e-6, 100.0);
    if (*rc::gen::arbitrary<bool>()) machine.overhead = machine.gap = machine.gap_per_byte = 0;
    for (const Draw draw : all_pictures) {
      const auto picture = draw(schedule, paper_times(schedule, machine));
      const std::string svg = picture.svg();
      RC_ASSERT(svg.size() < 600000u);
      const auto elements = testing::SvgReader::read(svg);
      for (const SvgElement& element : elements) {
        if (element.name != "rect" || element.attributes.count("x") == 0) continue;
        RC_ASSERT(element.number("x") >= 0);
        RC_ASSERT(element.number("x") + element.number("width") <= picture.width() + 1);
        RC_ASSERT(element.number("y") + element.number("height") <= picture.height());
      }
    }
  });
}

TEST_CASE("a million steps give pictures of some hundred kilobytes") {
  const auto schedule = schedule_of(50000000, 32768, "direct");
  const auto times = paper_times(schedule, {});
  REQUIRE(times.busy.size() > 900000);
  for (const Draw draw : all_pictures) {
    const std::string svg = draw(schedule, times).svg();
    CHECK(svg.size() > 5000);
    CHECK(svg.size() < 500000);
  }
}

TEST_CASE("times of another schedule are refused") {
  const auto schedule = schedule_of(100, 4, "direct");
  const auto refused = [&](ScheduleTimes times) {
    for (const Draw draw : all_pictures) {
      CHECK_THROWS_WITH(draw(schedule, times), Catch::Contains("belong to another schedule"));
    }
  };
  refused(paper_times(schedule_of(100, 5, "direct"), {}));
  auto times = paper_times(schedule, {});
  times.busy.front().rank = -1;
  refused(times);
  times = paper_times(schedule, {});
  std::swap(times.busy.front(), times.busy.back());
  refused(times);
  times = paper_times(schedule, {});
  times.critical_path.push_back(times.busy.size());
  refused(times);
  times = paper_times(schedule, {});
  times.busy.front().step = 100000;
  refused(times);
}

}  // namespace schedule_pictures_test
