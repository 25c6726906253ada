// SPDX-License-Identifier: MIT

#include "bracket/model/order.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace order_test {

using namespace bracket;

namespace {

/// All brackets of N elements in chunks, built from the definition: each chunk element by element,
/// then the chunks level by level (thesis, chapter 2, with chunks in place of elements). Each
/// bracket has the join that yields it. Uses no index arithmetic.
struct NaiveOrder {
  Index chunk;
  std::set<Range> brackets;
  std::set<std::pair<Range, Range>> joins;

  NaiveOrder(Index elements, Index chunk_size) : chunk(chunk_size) {
    std::vector<Range> level;
    for (Index x = 0; x < elements; ++x) {
      brackets.insert({x, x + 1});
      if (x % chunk == 0) {
        level.push_back({x, x + 1});
      } else {
        joins.insert({level.back(), {x, x + 1}});
        level.back().end = x + 1;
      }
      brackets.insert(level.back());
    }
    while (level.size() > 1) {
      std::vector<Range> above;
      for (std::size_t i = 0; i < level.size(); i += 2) {
        if (i + 1 == level.size()) {
          above.push_back(level[i]);
          continue;
        }
        joins.insert({level[i], level[i + 1]});
        above.push_back({level[i].begin, level[i + 1].end});
      }
      brackets.insert(above.begin(), above.end());
      level = std::move(above);
    }
  }

  /// Joins neighbours until no join is possible. Then the remaining elements of a chunk that began
  /// earlier become one run.
  [[nodiscard]] std::vector<Partial> frontier(Range range) const {
    std::vector<Range> values;
    for (Index x = range.begin; x < range.end; ++x) values.push_back({x, x + 1});
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        if (joins.contains({values[i], values[i + 1]})) {
          values[i].end = values[i + 1].end;
          values.erase(values.begin() + static_cast<std::ptrdiff_t>(i) + 1);
          changed = true;
          break;
        }
      }
    }
    return with_runs(values);
  }

  [[nodiscard]] std::vector<Partial> with_runs(const std::vector<Range>& values) const {
    std::vector<Partial> partials;
    for (const Range value : values) {
      const bool goes_on = value.begin % chunk != 0;
      const bool after_such = !partials.empty() && partials.back().range.begin % chunk != 0 &&
                              partials.back().range.end == value.begin;
      if (goes_on && after_such) {
        partials.back() = Partial::run_of({partials.back().range.begin, value.end});
      } else {
        partials.emplace_back(value);
      }
    }
    return partials;
  }
};

struct Case {
  std::string spec;
  Index chunk;
};

std::vector<Case> cases(Index elements) {
  return {{"tree", 1},
          {"chunked-tree:1", 1},
          {"chunked-tree:2", 2},
          {"chunked-tree:3", 3},
          {"chunked-tree:8", 8},
          {"chunked-tree:1000", 1000},
          {"sequential", elements}};
}

Index values_of(const std::vector<Partial>& partials) {
  Index count = 0;
  for (const Partial& partial : partials) count += partial.count();
  return count;
}

/// A random order with one bracketing.
Order any_fixed_order(Index elements) {
  const auto row = *rc::gen::suchThat(rc::gen::inRange<std::size_t>(0, orders().size()),
                                      [](std::size_t i) { return orders()[i].fixed; });
  const CatalogueEntry& entry = orders()[row].entry;
  const Index parameter = *rc::gen::inRange<Index>(1, 40);
  const std::string name(entry.name);
  return make_order(entry.parameters.empty() ? name : text(name, ':', parameter), elements);
}

}  // namespace

TEST_CASE("brackets, joins, splits and frontiers are those of the definition") {
  for (Index elements = 1; elements <= 30; ++elements) {
    for (const auto& [spec, chunk] : cases(elements)) {
      const auto order = make_order(spec, elements);
      const NaiveOrder naive(elements, chunk);
      for (Index b = 0; b < elements; ++b) {
        for (Index e = b + 1; e <= elements; ++e) {
          CAPTURE(spec, elements, b, e);
          CHECK(order.is_bracket({b, e}) == naive.brackets.contains({b, e}));
          CHECK(order.frontier({b, e}) == naive.frontier({b, e}));
          CHECK(values_of(order.frontier({b, e})) <= order.most_frontier_values());
          for (Index m = b + 1; m < e; ++m) {
            const bool joined = naive.joins.contains({{b, m}, {m, e}});
            CHECK(order.joinable(Range{b, m}, Range{m, e}) == joined);
            if (!joined) continue;
            CHECK(order.split({b, e}) == m);
            if (order.largest_bracket(m) == Range{m, e}) CHECK(order.left_partner(m) == b);
          }
        }
      }
      CHECK_FALSE(order.is_bracket({0, elements + 1}));
      CHECK_FALSE(order.is_bracket({1, 1}));
      CHECK_FALSE(order.is_bracket({-1, 1}));
    }
  }
}

TEST_CASE("a run joins what its chunk began with, nothing else") {
  const auto order = make_order("chunked-tree:8", 20);
  CHECK(order.joinable(Range{0, 3}, Partial::run_of({3, 8})));
  CHECK(order.joinable(Range{8, 9}, Partial::run_of({9, 12})));
  CHECK(order.joinable(Range{16, 18}, Partial::run_of({18, 20})));
  CHECK_FALSE(order.joinable(Range{0, 3}, Partial::run_of({4, 8})));
  CHECK_FALSE(order.joinable(Range{1, 3}, Partial::run_of({3, 8})));
  CHECK_FALSE(order.joinable(Range{0, 3}, Partial::run_of({3, 9})));
  CHECK_FALSE(order.joinable(Range{0, 8}, Partial::run_of({8, 10})));
  CHECK_FALSE(order.joinable(Partial::run_of({3, 5}), Range{5, 6}));
}

// Plans that combine in pieces rely on this: every way to cut a range gives the same frontier.
TEST_CASE("joining frontiers is associative") {
  testing::property("three adjacent frontiers, joined left first or right first", [] {
    const Index elements = *rc::gen::inRange<Index>(1, 3000);
    const auto order = any_fixed_order(elements);
    auto cuts =
        *rc::gen::container<std::vector<Index>>(4, rc::gen::inRange<Index>(0, elements + 1));
    std::sort(cuts.begin(), cuts.end());
    const auto part = [&](std::size_t i) { return order.frontier({cuts[i], cuts[i + 1]}); };
    const auto join = [&](std::vector<Partial> left, const std::vector<Partial>& right) {
      std::vector<JoinPair> joins;
      append_to_frontier(order, left, right, joins);
      for (const auto& [l, r] : joins) RC_ASSERT(order.joinable(l, r));
      return left;
    };
    const auto whole = order.frontier({cuts[0], cuts[3]});
    RC_ASSERT(join(join(part(0), part(1)), part(2)) == whole);
    RC_ASSERT(join(part(0), join(part(1), part(2))) == whole);
  });
}

TEST_CASE("a frontier of the tree order has at most 2 ceil(log2 N) partials") {
  testing::property("length of a frontier", [] {
    const Index elements = *rc::gen::inRange<Index>(2, 100000);
    const Index begin = *rc::gen::inRange<Index>(0, elements);
    const Index end = *rc::gen::inRange<Index>(begin, elements + 1);
    Index levels = 0;
    while ((Index{1} << levels) < elements) ++levels;
    const auto frontier = make_order("tree", elements).frontier({begin, end});
    RC_ASSERT(static_cast<Index>(frontier.size()) <= 2 * levels);
  });
}

TEST_CASE("outbound brackets are those whose left partner lies before the range") {
  for (Index elements = 1; elements <= 30; ++elements) {
    for (const auto& [spec, chunk] : cases(elements)) {
      const auto order = make_order(spec, elements);
      const NaiveOrder naive(elements, chunk);
      for (Index b = 0; b < elements; ++b) {
        for (Index e = b; e <= elements; ++e) {
          std::vector<Range> expected;
          for (const auto& [left, right] : naive.joins) {
            if (b <= right.begin && right.begin < e && left.begin < b) expected.push_back(right);
          }
          std::sort(expected.begin(), expected.end());
          CAPTURE(spec, elements, b, e);
          CHECK(order.outbound({b, e}) == naive.with_runs(expected));
        }
      }
    }
  }
}

TEST_CASE("where the bracketing does not matter every range is a bracket") {
  const auto order = make_order("associative", 100);
  CHECK_FALSE(order.fixed());
  CHECK(order.is_bracket({3, 77}));
  CHECK(order.frontier({3, 77}) == std::vector<Partial>{Range{3, 77}});
  CHECK(order.joinable(Range{3, 77}, Range{77, 78}));
  CHECK_FALSE(order.joinable(Range{3, 77}, Range{78, 79}));
}

TEST_CASE("the largest element count does not overflow") {
  constexpr Index most = std::numeric_limits<Index>::max();
  const auto order = make_order("tree", most);
  CHECK(order.frontier({0, most}) == std::vector<Partial>{Range{0, most}});
  CHECK(order.frontier({1, most}).size() == 63);  // at 1, 2, 4 ... 2^62
  CHECK(order.split({0, most}) == Index{1} << 62);
  CHECK(order.joinable(Range{0, Index{1} << 62}, Range{Index{1} << 62, most}));
  const auto chunked = make_order("chunked-tree:9223372036854775807", most);
  CHECK(chunked.frontier({1, most}) == std::vector<Partial>{Partial::run_of({1, most})});
  CHECK(make_order("chunked-tree:1000", most).frontier({0, most}).size() == 1);
}

TEST_CASE("an order is a value that its written form and number of elements determine") {
  for (const OrderEntry& row : orders()) {
    const std::string spec = text(row.entry.name, row.entry.parameters.empty() ? "" : ":3");
    const Order order = make_order(spec, 9);
    CHECK(order.spec() == spec);
    CHECK(order.fixed() == row.fixed);
    CHECK(order.version() == row.version);
    CHECK(order.elements() == 9);
    const Order copy = order;
    CHECK(copy == make_order(spec, 9));
    CHECK(copy != make_order(spec, 10));
    CHECK((copy == make_order("tree", 9)) == (spec == "tree"));
  }
  CHECK(make_order("chunked-tree:3", 9) != make_order("chunked-tree:4", 9));
}

TEST_CASE("an order that cannot be made is refused by name") {
  CHECK_THROWS_WITH(make_order("forest", 5),
                    Catch::Contains("unknown order 'forest'") && Catch::Contains("tree"));
  CHECK_THROWS_AS(make_order("tree:2", 5), Error);
  CHECK_THROWS_WITH(make_order("chunked-tree", 5), Catch::Contains("needs the chunk size"));
  CHECK_THROWS_WITH(make_order("chunked-tree:0", 5), Catch::Contains("at least 1"));
  CHECK_THROWS_WITH(make_order("tree", 0), Catch::Contains("N >= 1"));
  CHECK_THROWS_AS(make_order("", 5), Error);
}

}  // namespace order_test
