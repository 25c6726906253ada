// SPDX-License-Identifier: MIT

#include "bracket/model/algorithm.hpp"

#include "bracket/model/order.hpp"
#include "support/catch.hpp"

namespace algorithm_test {

using namespace bracket;
using Catch::Contains;

TEST_CASE("an algorithm is an order or an arithmetic, and its written form gives it back") {
  struct Case {
    const char* written;
    const char* spec;
    const char* order;
    Arithmetic arithmetic;
    int parameter;
  };
  const Case cases[] = {
      {"tree", "tree", "tree", Arithmetic::plain, 0},
      {"chunked-tree:64", "chunked-tree:64", "chunked-tree:64", Arithmetic::plain, 0},
      {"chunked-tree:007", "chunked-tree:7", "chunked-tree:7", Arithmetic::plain, 0},
      {"sequential", "sequential", "sequential", Arithmetic::plain, 0},
      {"associative", "associative", "associative", Arithmetic::plain, 0},
      {"binned", "binned:3", "associative", Arithmetic::binned, 3},
      {"binned:1", "binned:1", "associative", Arithmetic::binned, 1},
      {"binned:8", "binned:8", "associative", Arithmetic::binned, 8},
      {"binned:3:40", "binned:3", "associative", Arithmetic::binned, 3},
      {"binned:4:08", "binned:4:8", "associative", Arithmetic::binned, 4},
      {"binned-exact", "binned-exact:3", "associative", Arithmetic::binned_exact, 3},
      {"binned-exact:2:50", "binned-exact:2:50", "associative", Arithmetic::binned_exact, 2},
      {"double-double", "double-double", "tree", Arithmetic::double_double, 0},
      {"stochastic", "stochastic", "tree", Arithmetic::stochastic, 0},
  };
  for (const Case& one : cases) {
    CAPTURE(one.written);
    const Algorithm made = make_algorithm(one.written);
    CHECK(made.spec() == one.spec);
    CHECK(made.order == one.order);
    CHECK(made.arithmetic == one.arithmetic);
    CHECK(made.parameter == one.parameter);
    CHECK(make_algorithm(made.spec()) == made);
    CHECK(make_order(made.order, 100).elements() == 100);
  }
  CHECK(Algorithm().spec() == "tree");
}

TEST_CASE("every order is an algorithm") {
  const auto rows = algorithms();
  REQUIRE(rows.size() == orders().size() + std::size(arithmetics));
  for (std::size_t i = 0; i < orders().size(); ++i) {
    CHECK(rows[i].entry.name == orders()[i].entry.name);
  }
}

TEST_CASE("errors and help name the fixed orders and the other arithmetics") {
  CHECK(alternatives({}).empty());
  const CatalogueEntry rows[] = {{"a", ":K", "", ""}, {"b", "", "", ""}, {"c", "[:L]", "", ""}};
  CHECK(alternatives(std::span(rows).first(1)) == "a:K");
  CHECK(alternatives(std::span(rows).first(2)) == "a:K or b");
  CHECK(alternatives(rows) == "a:K, b or c[:L]");
  for (const OrderEntry& row : orders()) {
    CHECK(Contains(std::string(row.entry.name)).match(fixed_orders()) == row.fixed);
  }
  for (const ArithmeticEntry& row : arithmetics) {
    CHECK_THAT(other_arithmetics(), Contains(std::string(row.entry.name)));
  }
}

TEST_CASE("algorithms that do not exist are refused") {
  const auto refused = [](const char* written, const char* words) {
    CHECK_THROWS_WITH(make_algorithm(written), Contains(words));
  };
  refused("", "''");
  refused(":3", "':3'");
  refused("kahan", "unknown algorithm 'kahan'; known: tree");
  refused("tree:2", "tree");
  refused("double-double:2", "double-double");
  refused("stochastic:3", "stochastic");
  refused("chunked-tree", "needs the chunk size");
  refused("chunked-tree:0", "chunk size K");
  refused("chunked-tree:64:1", "chunked-tree");
  refused("binned:0", "number of bins K");
  refused("binned:9", "'binned:9': the number of bins K must be at most 8");
  refused("binned:-1", "number of bins K");
  refused("binned:3:1", "binned");
  refused("binned:99999999999999999999", "number of bins K");
}

}  // namespace algorithm_test
