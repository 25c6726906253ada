// SPDX-License-Identifier: MIT

#include "tune/rule_choice.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace rule_choice_test {

using bracket::tools::AlgorithmAtSize;
using bracket::tools::choose_algorithms;
using bracket::tools::MeasuredAlgorithm;
using bracket::tools::orders_of;
using Catch::Approx;
using Positions = std::vector<std::size_t>;

namespace {

/// An order that all items have, and a time in a narrow interval.
AlgorithmAtSize in_order(const char* order, double seconds) {
  return {true, order, seconds, 0.99 * seconds, 1.01 * seconds};
}

/// Several orders of items.
AlgorithmAtSize by_item(double seconds) {
  return {true, {}, seconds, 0.99 * seconds, 1.01 * seconds};
}

AlgorithmAtSize by_run(double seconds) {
  return {false, {}, seconds, 0.99 * seconds, 1.01 * seconds};
}

}  // namespace

TEST_CASE("the fastest algorithms with one order are chosen by size") {
  const std::vector<MeasuredAlgorithm> all{
      {"default", 0, false, {in_order("A", 1), in_order("A", 1), in_order("A", 6)}},
      {"x", 1, true, {in_order("A", 1), in_order("A", 2), in_order("A", 40)}},
      {"y", 2, true, {in_order("A", 3), in_order("A", 3), in_order("A", 10)}},
      {"ring", 3, true, {in_order("B", 0.5), by_item(0.5), by_item(5)}}};
  const auto choice = choose_algorithms(all, true);
  REQUIRE(choice);
  CHECK(choice->order == "A");
  CHECK(choice->chosen == Positions{1, 1, 2});
  // 1, 2 and 10 over 0.5, 0.5 and 5.
  CHECK(choice->slowdown == Approx(std::cbrt(2.0 * 4 * 2)));
  CHECK(orders_of(all) == std::vector<std::string>{"A", "B"});
  const auto any = choose_algorithms(all, false);
  REQUIRE(any);
  CHECK(any->order.empty());
  CHECK(any->chosen == Positions{3, 3, 3});
  CHECK(any->slowdown == Approx(1));
}

TEST_CASE("of two orders, that of the lowest slowdown is chosen") {
  const std::vector<MeasuredAlgorithm> all{{"slow", 1, true, {in_order("A", 1), in_order("A", 9)}},
                                           {"fast", 2, true, {in_order("B", 2), in_order("B", 3)}}};
  const auto choice = choose_algorithms(all, true);
  REQUIRE(choice);
  CHECK(choice->order == "B");
  CHECK(choice->chosen == Positions{1, 1});
  CHECK(choice->slowdown == Approx(std::sqrt(2.0)));
}

TEST_CASE("a rule is for lengths between two that have its order") {
  // The fast one has order A only at the first length, so it may change anywhere after it.
  const std::vector<MeasuredAlgorithm> all{
      {"changing", 1, true, {in_order("A", 1), in_order("B", 1)}},
      {"steady", 2, true, {in_order("A", 5), in_order("A", 5)}}};
  const auto choice = choose_algorithms(all, true);
  REQUIRE(choice);
  CHECK(choice->order == "A");
  CHECK(choice->chosen == Positions{1, 1});
}

TEST_CASE("an algorithm remains chosen while no other one is clearly faster") {
  const auto wide = [](double seconds) {
    return AlgorithmAtSize{true, "A", seconds, 0.8 * seconds, 1.2 * seconds};
  };
  // The last two lengths: intervals that do not overlap, and a disturbed measurement of y.
  const AlgorithmAtSize disturbed{true, "A", 4, 1, 9};
  const std::vector<MeasuredAlgorithm> all{{"x", 1, true, {wide(1), wide(2.1), wide(9), wide(3)}},
                                           {"y", 2, true, {wide(2), wide(2), wide(3), disturbed}}};
  const auto choice = choose_algorithms(all, true);
  REQUIRE(choice);
  CHECK(choice->chosen == Positions{0, 0, 1, 0});
}

TEST_CASE("without an order at all lengths there is no choice") {
  const std::vector<MeasuredAlgorithm> all{
      {"default", 0, false, {in_order("A", 1), in_order("A", 1)}},
      {"x", 1, true, {in_order("A", 1), in_order("B", 1)}},
      {"y", 2, true, {in_order("B", 1), by_run(1)}}};
  CHECK_FALSE(choose_algorithms(all, true));
  const auto any = choose_algorithms(all, false);
  REQUIRE(any);
  CHECK(any->chosen == Positions{1, 1});
  CHECK_FALSE(choose_algorithms({{"y", 2, true, {by_run(1)}}}, false));
}

}  // namespace rule_choice_test
