// SPDX-License-Identifier: MIT

#include "bracket/model/element.hpp"

#include <complex>
#include <cstdint>

#include "support/catch.hpp"

namespace element_test {

using namespace bracket;
using Catch::Contains;

TEST_CASE("types have their names, sizes and kinds") {
  struct Case {
    Type type;
    const char* name;
    std::size_t bytes;
    bool integer;
  };
  const Case cases[] = {
      {Type::int32, "int32", sizeof(std::int32_t), true},
      {Type::int64, "int64", sizeof(std::int64_t), true},
      {Type::float32, "float32", sizeof(float), false},
      {Type::float64, "float64", sizeof(double), false},
      {Type::complex64, "complex64", sizeof(std::complex<float>), false},
      {Type::complex128, "complex128", sizeof(std::complex<double>), false},
      {Type::uint32, "uint32", sizeof(std::uint32_t), true},
      {Type::uint64, "uint64", sizeof(std::uint64_t), true},
  };
  CHECK(types().size() == std::size(cases));
  for (const Case& one : cases) {
    CAPTURE(one.name);
    CHECK(name_of(one.type) == one.name);
    CHECK(type_named(one.name) == one.type);
    CHECK(bytes_of(one.type) == one.bytes);
    CHECK(is_integer(one.type) == one.integer);
  }
}

TEST_CASE("operators have their names") {
  const std::pair<Op, const char*> cases[] = {{Op::sum, "sum"},
                                              {Op::product, "product"},
                                              {Op::minimum, "minimum"},
                                              {Op::maximum, "maximum"},
                                              {Op::minimum_location, "minimum-location"},
                                              {Op::maximum_location, "maximum-location"},
                                              {Op::digest, "digest"}};
  CHECK(operators().size() == std::size(cases));
  for (const auto& [op, name] : cases) {
    CHECK(name_of(op) == name);
    CHECK(op_named(name) == op);
  }
}

TEST_CASE("types and operators that do not exist are refused") {
  CHECK_THROWS_WITH(type_named("x"), Contains("unknown type 'x'; known: int32, int64, float32"));
  CHECK_THROWS_WITH(op_named(""), Contains("unknown operator ''; known: sum, product, minimum"));
  CHECK_THROWS_WITH(name_of(static_cast<Type>(8)), "there is no type of number 8");
  CHECK_THROWS_WITH(bytes_of(static_cast<Type>(255)), "there is no type of number 255");
  CHECK_THROWS_WITH(is_integer(static_cast<Type>(8)), "there is no type of number 8");
  CHECK_THROWS_WITH(name_of(static_cast<Op>(77)), "there is no operator of number 77");
}

}  // namespace element_test
