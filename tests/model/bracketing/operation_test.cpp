// SPDX-License-Identifier: MIT

#include "bracket/model/operation.hpp"

#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace operation_test {

using namespace bracket;

TEST_CASE("an operation's written form has an arithmetic, flags, an operator and a type") {
  CHECK(Operation{}.spec() == "sum/float64");
  CHECK(make_operation("sum/float64") == Operation{});
  CHECK(make_operation("binned").spec() == "binned:3/sum/float64");
  CHECK(make_operation("complex64/widened").spec() == "widened/sum/complex64");
  CHECK(make_operation("double-double/products").spec() == "double-double/products/sum/float64");
  for (const char* spec : {"maximum-location/float32", "checked/product/int64", "digest/uint32",
                           "binned:8/sum/complex128", "widened/minimum/float32",
                           "squares/sum/float64", "checked/squares/sum/int32"}) {
    CHECK(make_operation(spec).spec() == spec);
    CHECK(make_operation(make_operation(spec).spec()) == make_operation(spec));
  }
  CHECK(make_operation("binned/maximum").spec() == "maximum/float64");
  for (const char* name : {"irreproducible", "accumulate"}) {
    const Operation baseline = make_operation(name);
    CHECK(baseline.spec() == std::string(name) + "/sum/float64");
    CHECK(make_operation(baseline.spec()) == baseline);
    CHECK(baseline.value_bytes() == 8);
    CHECK(baseline.flops() == 1);
    const Operation of_squares = make_operation(std::string(name) + "/squares");
    CHECK(of_squares.spec() == std::string(name) + "/squares/sum/float64");
    CHECK(of_squares.flops() == 2);
  }
  const Operation exact = make_operation("products/binned-exact:2:30");
  CHECK(exact.spec() == "binned-exact:2:30/products/sum/float64");
  CHECK(exact.value_bytes() == 40);
  CHECK(exact.flops() == 2 * 6 + 2);
  CHECK(make_operation("binned-exact:2").flops() == 6);
  // The order does not change the time.
  CHECK(Operation{make_algorithm("chunked-tree:64")}.spec() == "sum/float64");
}

TEST_CASE("an operation that makes no sense is refused with the reason") {
  const auto refused = [](const char* spec, const char* words) {
    CAPTURE(spec);
    CHECK_THROWS_WITH(make_operation(spec), Catch::Contains(words));
  };
  refused("binned/int32", "is for floats, not for int32");
  refused("double-double/maximum", "is for sums");
  refused("binned:3:7", "width of bins W must be at least 8");
  refused("binned-exact:3:51", "width of bins W must be at most 50");
  refused("binned:3:40:1", "takes at most 2 parameter(s)");
  refused("binned-exact/products/complex64", "products of complex64 are rounded");
  refused("minimum/complex64", "complex numbers have no minimum");
  refused("widened/float64", "widened is for float32");
  refused("widened/digest/float32", "covers the elements as they are");
  refused("checked/float64", "checked is for integers");
  refused("checked/products/product/int32", "a field of products has a sum");
  refused("sequential", "'sequential' is no algorithm other than an order");
  refused("summe", "'summe' is no algorithm");
  refused("binned:x", "'x' is not a whole number");
  refused("float32/int32", "the type is given twice");
  refused("sum/sum", "the operator is given twice");
  refused("binned/binned:4", "the algorithm is given twice");
  refused("accumulate/binned", "the algorithm is given twice");
  refused("accumulate/float32", "accumulate is a sum of float64");
  refused("irreproducible/maximum", "irreproducible is a sum of float64");
  refused("products/squares/float64", "the kind of terms is given twice");
  refused("checked/int32/checked", "the word checked is given twice");
  refused("", "'' is no algorithm");
  refused("sum/", "'' is no algorithm");
  refused("/", "'' is no algorithm");
  Operation open{make_algorithm("associative")};
  CHECK_THROWS_WITH(open.check(), Catch::Contains("depend on the bracketing"));
  open.op = Op::maximum;
  open.check();
  open.op = Op::sum;
  open.type = Type::int32;
  open.check();
}

TEST_CASE("results that do not depend on the bracketing") {
  for (const char* spec : {"int32", "product/uint64", "maximum/float32", "minimum-location",
                           "digest/complex64", "binned:1", "binned/complex128", "accumulate"}) {
    CHECK(make_operation(spec).associative());
  }
  for (const char* spec : {"float64", "product/float32", "complex64", "double-double"}) {
    CHECK_FALSE(make_operation(spec).associative());
  }
}

TEST_CASE("bytes of partials and elements") {
  const auto bytes = [](const char* spec) {
    const Operation operation = make_operation(spec);
    return std::pair(operation.value_bytes(), operation.element_bytes());
  };
  using Bytes = std::pair<Index, Index>;
  CHECK(bytes("float64") == Bytes{8, 8});
  CHECK(bytes("float32") == Bytes{4, 4});
  CHECK(bytes("widened/float32") == Bytes{8, 4});
  CHECK(bytes("binned:1") == Bytes{24, 8});
  CHECK(bytes("binned/float32") == Bytes{56, 4});
  CHECK(bytes("binned/complex128") == Bytes{112, 16});
  CHECK(bytes("double-double") == Bytes{16, 8});
  CHECK(bytes("stochastic/complex128") == Bytes{96, 16});
  CHECK(bytes("binned/maximum") == Bytes{8, 8});
  CHECK(bytes("checked/int32") == Bytes{16, 4});
  CHECK(bytes("checked/minimum/int32") == Bytes{4, 4});
  CHECK(bytes("checked/products/int32") == Bytes{24, 8});
  CHECK(bytes("products/float64") == Bytes{8, 16});
  CHECK(bytes("squares/float64") == Bytes{8, 8});
  CHECK(bytes("checked/squares/int32") == Bytes{24, 4});
  CHECK(bytes("minimum-location/float32") == Bytes{16, 4});
  CHECK(bytes("digest/complex64") == Bytes{16, 8});
}

}  // namespace operation_test
