// SPDX-License-Identifier: MIT

#include "bracket/model/order_search.hpp"

#include <numeric>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/reference.hpp"

namespace order_search_test {

using namespace bracket;

namespace {

/// Additions in sequence: each adds two of the operands and the sums before it.
struct Additions {
  Rank operands;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;

  [[nodiscard]] double sum(std::span<const double> values) const {
    std::vector<double> all(values.begin(), values.end());
    for (const auto& [left, right] : pairs) all.push_back(all[left] + all[right]);
    return all.back();
  }

  [[nodiscard]] RankedOrder order() const {
    AdditionTree tree;
    std::vector<AdditionTree::Node> all;
    for (Rank rank = 0; rank < operands; ++rank) all.push_back(tree.operand(rank));
    for (const auto& [left, right] : pairs) all.push_back(tree.add(all[left], all[right]));
    return tree.order(all.back());
  }
};

/// Any two of the operands and sums that wait are added next.
Additions random_additions(Rank operands) {
  Additions additions{operands, {}};
  std::vector<std::size_t> waiting(static_cast<std::size_t>(operands));
  std::iota(waiting.begin(), waiting.end(), std::size_t{0});
  const bool deep = *rc::gen::arbitrary<bool>();
  std::size_t next = waiting.size();
  while (waiting.size() > 1) {
    const auto draw = [&] {
      const std::size_t at = *rc::gen::inRange<std::size_t>(0, waiting.size());
      const std::size_t drawn = waiting[at];
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
      return drawn;
    };
    std::size_t left = waiting.back();
    if (deep) {
      waiting.pop_back();
    } else {
      left = draw();
    }
    const std::size_t right = draw();
    additions.pairs.emplace_back(left, right);
    waiting.push_back(next++);
  }
  return additions;
}

}  // namespace

TEST_CASE("the additions of a sum are revealed from its results") {
  testing::property("any additions", [] {
    const Rank operands = *rc::gen::inRange<Rank>(1, 40);
    const Additions additions = random_additions(operands);
    const auto found = reveal_order(
        operands, [&](auto values) { return additions.sum(values); },
        static_cast<std::uint64_t>(operands));
    RC_ASSERT(found.has_value());
    RC_ASSERT(*found == additions.order());
    std::vector<double> numbers;
    for (Rank rank = 0; rank < operands; ++rank) {
      numbers.push_back(*rc::gen::inRange<int>(-1000, 1000) / 7.0);
    }
    RC_ASSERT(testing::bits(sum_in(*found, numbers)) == testing::bits(additions.sum(numbers)));
  });
}

// Worked out by hand.
TEST_CASE("sums of four operands have these orders") {
  const auto revealed = [](auto sum) {
    return describe(*reveal_order(4, [&](auto x) { return sum(x[0], x[1], x[2], x[3]); }));
  };
  CHECK(revealed([](double a, double b, double c, double d) { return a + b + c + d; }) ==
        "(((0+1)+2)+3)");
  CHECK(revealed([](double a, double b, double c, double d) { return (d + c) + (b + a); }) ==
        "((0+1)+(2+3))");
  CHECK(revealed([](double a, double b, double c, double d) { return d + c + b + a; }) ==
        "(0+(1+(2+3)))");
  CHECK(revealed([](double a, double b, double c, double d) { return (c + a) + (d + b); }) ==
        "((0+2)+(1+3))");
  const auto found = reveal_order(4, [](auto x) { return (x[2] + x[0]) + (x[3] + x[1]); });
  CHECK(found->order.spec() == "explicit:0:0:2");
  CHECK(found->ranks == std::vector<Rank>{0, 2, 1, 3});
}

TEST_CASE("one operand is its own sum") {
  const auto found = reveal_order(1, [](auto x) { return x[0]; });
  CHECK(describe(*found) == "0");
  CHECK(found->order.spec() == "explicit");
}

TEST_CASE("sums without a tree of additions are inconsistent") {
  const auto consistent = [](auto sum) { return reveal_order(6, sum).has_value(); };
  // An exact sum: nothing is lost.
  CHECK_FALSE(consistent([](auto) { return 4.0; }));
  CHECK_FALSE(consistent([](auto) { return 0.5; }));
  CHECK_FALSE(consistent([](auto) { return std::numeric_limits<double>::quiet_NaN(); }));
  // From the left and from the right, in turn.
  int calls = 0;
  CHECK_FALSE(consistent([&](auto x) {
    return calls++ % 2 == 0 ? std::accumulate(x.begin(), x.end(), 0.0)
                            : std::accumulate(x.rbegin(), x.rend(), 0.0);
  }));
}

TEST_CASE("64 operands take few probes") {
  const auto probes = [](const std::function<double(std::span<const double>)>& sum) {
    Index count = 0;
    CHECK(reveal_order(64, [&](auto x) {
      ++count;
      return sum(x);
    }));
    return count;
  };
  // (n / 2) log2 n by halves, about 2n from left to right.
  CHECK(probes([](auto x) { return testing::tree_sum(x); }) == 32 * 6);
  CHECK(probes([](auto x) { return std::accumulate(x.begin(), x.end(), 0.0); }) < 4 * 64);
  CHECK(probes([](auto x) { return std::accumulate(x.rbegin(), x.rend(), 0.0); }) < 4 * 64);
}

}  // namespace order_search_test
