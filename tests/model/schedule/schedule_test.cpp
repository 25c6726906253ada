// SPDX-License-Identifier: MIT

#include "bracket/model/schedule.hpp"

#include <locale>
#include <unordered_set>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"

namespace schedule_test {

using namespace bracket;
using Catch::Contains;

namespace {

Schedule example(const char* plan = "direct", const char* distribution = "upper") {
  return make_schedule(make_order("tree", 13), make_distribution(distribution, 13, 3),
                       *make_plan(plan));
}

}  // namespace

TEST_CASE("schedules are values") {
  CHECK(example() == example());
  CHECK(example() != example("aggregated"));
  CHECK(example() != example("direct", "lower"));
  std::unordered_set<Schedule> set{example(), example(), example("aggregated")};
  CHECK(set.size() == 2);
}

TEST_CASE("equal schedules have equal digests, any change another") {
  const auto original = example();
  CHECK(digest(original) == digest(example()));
  CHECK(digest_text(original).size() == 16);
  auto changed = original;
  changed.delivery = Delivery::to_all();
  CHECK(digest(changed) != digest(original));
  changed = original;
  changed.parts[1].fold({4, 5});
  CHECK(digest(changed) != digest(original));
  changed = original;
  changed.order_version = 2;
  CHECK(digest(changed) != digest(original));
  changed = original;
  changed.items = 2;
  CHECK(digest(changed) != digest(original));
}

TEST_CASE("the fingerprint of a header is the digest of a schedule without parts") {
  const ScheduleHeader header = example();
  CHECK(digest(header) == digest(Schedule{header, {}}));
  CHECK(digest(header) != digest(example()));
  const auto order = make_order("tree", 13);
  const auto distribution = make_distribution("upper", 13, 3);
  CHECK(header == header_of({order, distribution, {}}, *make_plan("direct")));
  CHECK(header != header_of({order, distribution, {}}, *make_plan("aggregated")));
}

TEST_CASE("the rank order is in the digest, unless it is the identity") {
  const auto with = [](const std::vector<Rank>& ranks) {
    auto schedule = example();
    schedule.distribution = schedule.distribution.with_rank_order(ranks);
    return schedule;
  };
  CHECK(digest(with({0, 1, 2})) == digest(example()));
  CHECK(digest(with({1, 2, 0})) != digest(example()));
  CHECK(digest(with({1, 2, 0})) != digest(with({2, 0, 1})));
}

// This must not change between machines and compilers. An independent program computed it over the
// same fields, with FNV-1a and its published constants.
TEST_CASE("the digest of a schedule worked out elsewhere") {
  Schedule schedule{{"tree", 1, "", Distribution::from_boundaries({0, 1}), {}},
                    std::vector<RankPart>(1)};
  schedule.parts[0].fold({0, 1});
  CHECK(digest_text(schedule) == "a55356960a0a3b51");
  schedule.distribution = Distribution::from_boundaries({0, 1, 2}).with_rank_order({1, 0});
  schedule.parts.resize(2);
  CHECK(digest_text(schedule) == "4c938825f81de3c9");
}

TEST_CASE("steps print as one reads them") {
  RankPart part;
  part.fold({0, 4});
  part.recv(1, std::vector<Partial>{Range{4, 8}, Range{8, 9}});
  part.join(Range{0, 4}, Range{4, 8});
  part.send(2, std::vector<Partial>{Range{0, 8}});
  CHECK(describe(part, part.steps()[0]) == "fold [0,4)");
  CHECK(describe(part, part.steps()[1]) == "recv from 1: [4,8) [8,9)");
  CHECK(describe(part, part.steps()[2]) == "join [0,4) [4,8)");
  CHECK(describe(part, part.steps()[3]) == "send to 2: [0,8)");
  CHECK(part.result(part.steps()[2]) == Partial(Range{0, 8}).over({0, 1}));
  CHECK(part.messages() == 1);
  RankPart halved(10);
  halved.send(1, std::vector<Partial>{Partial(Range{0, 4}).over({5, 10}), Range{4, 5}});
  CHECK(describe(halved, halved.steps()[0]) == "send to 1: [0,4)@[5,10) [4,5)");
  CHECK(halved.values(halved.steps()[0]) == 15);
}

TEST_CASE("a step with a wrong number of operands is refused") {
  const std::vector<Partial> values{Range{0, 1}, Range{1, 2}, Range{2, 3}};
  const auto first = [&](std::size_t count) { return std::span(values).first(count); };
  RankPart part;
  for (const std::size_t count : {0u, 2u, 3u}) {
    CHECK_THROWS_WITH(part.add(StepKind::fold, -1, first(count)), Contains("takes 1 operand"));
  }
  for (const std::size_t count : {0u, 1u, 3u}) {
    CHECK_THROWS_WITH(part.add(StepKind::join, -1, first(count)), Contains("takes 2 operand"));
  }
  CHECK(part.steps().empty());
  CHECK(part.operands().empty());
  for (const std::size_t count : {0u, 1u, 3u}) part.add(StepKind::send, 1, first(count));
  CHECK(part.steps().size() == 3);
}

TEST_CASE("more operands than a step can point to are refused before they are read") {
  const Partial value(Range{0, 1});
  RankPart part;
  part.send(1, std::span(&value, 1));
  const std::span<const Partial> many(&value, (std::size_t{1} << 32) - 1);
  CHECK_THROWS_WITH(part.send(1, many), Contains("operands"));
  CHECK(part.steps().size() == 1);
}

namespace {

/// Groups digits, as the locales of many users do.
class Grouping : public std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
  char do_decimal_point() const override { return ','; }
};

/// Changes the global locale for the lifetime of the object.
class GlobalLocale {
 public:
  explicit GlobalLocale(const std::locale& locale) : before_(std::locale::global(locale)) {}
  ~GlobalLocale() { std::locale::global(before_); }
  GlobalLocale(const GlobalLocale&) = delete;
  GlobalLocale& operator=(const GlobalLocale&) = delete;

 private:
  std::locale before_;
};

}  // namespace

TEST_CASE("what is written does not depend on the global locale") {
  const std::string digits = digest_text(example());
  const GlobalLocale grouping(std::locale(std::locale::classic(), new Grouping));
  CHECK(text(1000000, ' ', 0.5) == "1000000 0.5");
  CHECK(make_plan("aggregated:1000")->spec() == "aggregated:1000");
  CHECK(digest_text(example()) == digits);
  RankPart part;
  part.fold({1000, 2000});
  CHECK(describe(part, part.steps()[0]) == "fold [1000,2000)");
}

}  // namespace schedule_test
