// SPDX-License-Identifier: MIT

#include "bracket/runtime/program.hpp"

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace program_test {

using namespace bracket;
using namespace bracket::runtime;

namespace {

constexpr Range held{4, 9};
constexpr Range nothing{0, 0};

}  // namespace

TEST_CASE("names become slots and offsets") {
  RankPart part;
  part.fold({4, 8});
  part.recv(2, {{Partial(Range{9, 10}), Partial(Range{10, 12})}});
  part.fold({8, 9});
  part.join(Range{8, 9}, Range{9, 10});
  part.send(0, {{Partial(Range{4, 8}), Partial(Range{8, 10}), Partial(Range{10, 12})}});
  part.send(1, {{Partial(Range{4, 8})}});
  const Program program(part, {held, 16}, nothing);
  const auto& steps = program.instructions();
  REQUIRE(steps.size() == 9);
  CHECK(steps[0].action == Program::Action::fold_own);
  CHECK(steps[0].offset == 0);
  CHECK(steps[0].count == 4);
  CHECK(steps[2].offset == 4);
  CHECK(steps[2].count == 1);
  REQUIRE(program.receives().size() == 1);
  CHECK(program.receives()[0].count == 2);
  REQUIRE(program.sends().size() == 2);
  for (std::size_t i = 4; i < 7; ++i) CHECK(steps[i].action == Program::Action::copy_slots);
  CHECK(program.sends()[0].first == steps[4].target);  // not contiguous, so copied side by side
  CHECK(program.sends()[1].first == steps[0].target);  // sent in place
  CHECK(program.slots() == 4 + 1 + 3);
}

TEST_CASE("instructions name the next message, and folds their neighbours") {
  RankPart part;
  part.fold({4, 6});
  part.fold({6, 7});
  part.fold({8, 9});
  part.fold({7, 8});
  part.join(Range{4, 6}, Range{6, 7});
  part.send(0, {{Partial(Range{4, 7})}});
  part.fold({4, 5});
  part.send(0, {{Partial(Range{4, 5})}});
  part.fold({5, 6});
  const Program program(part, {held, 16}, nothing);
  std::vector<std::size_t> ends;
  std::vector<std::size_t> neighbours;
  for (const auto& step : program.instructions()) {
    ends.push_back(step.end);
    neighbours.push_back(step.neighbours);
  }
  CHECK(ends == std::vector<std::size_t>{5, 5, 5, 5, 5, 0, 7, 0, 9});
  CHECK(neighbours == std::vector<std::size_t>{2, 1, 1, 1, 0, 0, 1, 0, 1});
}

TEST_CASE("folds of different items are no neighbours") {
  RankPart part(3);
  part.fold(Partial(Range{4, 6}).over({0, 1}));
  part.fold(Partial(Range{6, 8}).over({1, 2}));
  part.fold(Partial(Range{8, 9}).over({1, 2}));
  part.fold(Partial(Range{4, 9}).over({0, 3}));
  const Program program(part, {held, 16}, nothing);
  std::vector<std::size_t> neighbours;
  for (const auto& step : program.instructions()) neighbours.push_back(step.neighbours);
  CHECK(neighbours == std::vector<std::size_t>{1, 2, 1, 0});
}

TEST_CASE("partials that were received side by side are sent on without a copy") {
  RankPart part;
  part.recv(2, {{Partial(Range{9, 10}), Partial(Range{10, 12})}});
  part.send(0, {{Partial(Range{9, 10}), Partial(Range{10, 12})}});
  const Program program(part, {held, 16}, nothing);
  CHECK(program.instructions().size() == 2);
  CHECK(program.sends()[0].first == program.receives()[0].first);
}

TEST_CASE("gathered elements are received where they are folded") {
  RankPart part;
  part.recv(0, {{Partial::run_of({0, 4})}});
  part.recv(2, {{Partial::run_of({9, 16})}});
  part.fold({0, 16});
  const Program program(part, {held, 16}, {0, 1});
  const auto& steps = program.instructions();
  REQUIRE(steps.size() == 4);  // both messages, a copy of this rank's elements, the fold
  CHECK(steps[2].action == Program::Action::copy_own);
  CHECK(steps[2].count == 5);
  CHECK(steps[3].action == Program::Action::fold_slots);
  CHECK(program.receives()[0].first == steps[3].right);
  CHECK(program.receives()[1].first == steps[3].right + 9);
  CHECK(program.result() == steps[3].target);
}

TEST_CASE("slots that a message may still need are not handed out again") {
  // The run arrives, is passed on and arrives again; then it is folded.
  RankPart part;
  part.recv(0, {{Partial::run_of({0, 4})}});
  part.send(1, {{Partial::run_of({0, 4})}});
  part.recv(0, {{Partial::run_of({0, 4})}});
  part.fold({0, 4});
  part.recv(2, {{Partial(Range{0, 16})}});
  part.recv(2, {{Partial(Range{0, 16})}});
  const Program program(part, {held, 16}, {0, 1});
  const auto& receives = program.receives();
  CHECK(program.sends()[0].first == receives[0].first);
  CHECK(receives[1].first != receives[0].first);
  CHECK(receives[2].first != receives[3].first);
}

TEST_CASE("a run joins the value that it goes on from, whatever pieces it came in") {
  RankPart part;
  part.fold({4, 9});
  part.recv(2, {{Partial::run_of({9, 12})}});
  part.recv(3, {{Partial(Range{12, 13})}});
  part.join(Range{4, 9}, Partial::run_of({9, 13}));
  const Program program(part, {held, 16}, nothing);
  const auto& last = program.instructions().back();
  CHECK(last.action == Program::Action::extend);
  CHECK(last.count == 4);
}

TEST_CASE("the result is found where the schedule puts it") {
  const auto schedule = make_schedule(make_order("tree", 9), make_distribution("lower", 9, 2),
                                      *make_plan("direct"), Delivery::to(1));
  const Program program(schedule.parts[1], {{5, 9}, 9}, {0, 1});
  REQUIRE(program.receives().size() == 1);
  CHECK(program.result() == program.receives()[0].first);
  RankPart silent;
  silent.fold({4, 8});
  CHECK_THROWS_WITH(Program(silent, {held, 16}, {0, 1}), Catch::Contains("no step yields [0,16)"));
}

TEST_CASE("a part that uses what it does not have is refused") {
  RankPart part;
  part.send(0, {{Partial(Range{4, 8})}});
  CHECK_THROWS_WITH(Program(part, {held, 16}, nothing), Catch::Contains("[4,8)"));
  RankPart foreign;
  foreign.fold({0, 4});
  CHECK_THROWS_WITH(Program(foreign, {held, 16}, nothing),
                    Catch::Contains("no step yields the element 0"));
}

TEST_CASE("items of a vector lie side by side, halves of the result make up the whole") {
  // One vector of 10 items. The rank sends the upper half and receives the lower half. Both halves
  // of the result meet in one place.
  const Partial own(Range{4, 5});
  const Partial other(Range{5, 6});
  const Partial result(Range{4, 6});
  RankPart part(10);
  part.fold(own);
  part.send(1, {{own.over({5, 10})}});
  part.recv(1, {{other.over({0, 5})}});
  part.join(own.over({0, 5}), other.over({0, 5}));
  part.recv(1, {{result.over({5, 10})}});
  const Program program(part, {{4, 5}, 16}, nothing);
  const auto& steps = program.instructions();
  REQUIRE(steps.size() == 5);
  CHECK(program.sends()[0].first == steps[0].target + 5);  // sent in place
  CHECK(program.sends()[0].count == 5);
  CHECK(steps[3].left == steps[0].target);
  CHECK(steps[3].items == 5);

  RankPart two(10);
  two.recv(1, {{Partial(Range{0, 2}).over({5, 10})}});
  two.recv(1, {{Partial(Range{0, 2}).over({0, 5})}});
  const Program whole(two, {nothing, 2}, {0, 10});
  CHECK(whole.instructions().size() == 2);  // no copies
  CHECK(whole.result() == whole.receives()[1].first);
  CHECK(whole.receives()[0].first == whole.result() + 5);
}

TEST_CASE("items that lie apart are put side by side before they leave together") {
  RankPart part(10);
  part.recv(1, {{Partial(Range{8, 9}).over({0, 5}), Partial(Range{8, 9}).over({7, 10})}});
  part.recv(1, {{Partial(Range{8, 9}).over({5, 7})}});
  part.send(2, {{Partial(Range{8, 9})}});
  const Program program(part, {held, 16}, nothing);
  Index copied = 0;
  for (const auto& step : program.instructions()) {
    if (step.action == Program::Action::copy_slots) copied += step.count * step.items;
  }
  CHECK(copied == 10);
  CHECK(program.sends()[0].count == 10);
}

TEST_CASE("some items of received elements are taken out from among the others") {
  RankPart part(10);
  part.recv(1, {{Partial::run_of({10, 13})}});
  part.send(2, {{Partial::run_of({10, 13}).over({2, 6})}});
  const Program program(part, {held, 16}, nothing);
  const auto& steps = program.instructions();
  REQUIRE(steps.size() == 3);
  CHECK(steps[1].action == Program::Action::copy_slots);
  CHECK(steps[1].target == program.sends()[0].first);
  CHECK(steps[1].right == program.receives()[0].first + 2);
  CHECK(steps[1].count == 3);
  CHECK(steps[1].items == 4);
  CHECK(steps[1].stride == 10);
}

}  // namespace program_test
