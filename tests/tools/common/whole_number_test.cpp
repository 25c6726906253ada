// SPDX-License-Identifier: MIT

#include "bracket/support/whole_number.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "bracket/model/range.hpp"
#include "bracket/support/error.hpp"
#include "support/property.hpp"
#include "tools/cli.hpp"

namespace whole_number_test {

using namespace bracket::testing;
using bracket::Index;
using Catch::Contains;

namespace {

constexpr Index most_index = std::numeric_limits<Index>::max();
constexpr Index least_index = std::numeric_limits<Index>::min();

Index parsed(const std::string& written) { return bracket::support::parse_count(written, "N"); }

std::string why_not(const std::string& written) {
  try {
    parsed(written);
  } catch (const bracket::Error& refusal) {
    return refusal.what();
  }
  return "";
}

/// `value` with a decimal point before its last `digits` digits.
std::string with_point(Index value, std::size_t digits) {
  std::string written = std::to_string(value);
  if (digits == 0) return written;
  if (written.size() <= digits) written.insert(0, digits + 1 - written.size(), '0');
  return written.insert(written.size() - digits, ".");
}

Index elements_of_count(const std::string& written) {
  return rows_of(cli({"count", "-N", written, "-p", "2", "--json"})).at(0).at("elements");
}

}  // namespace

TEST_CASE("whole numbers as people write them") {
  CHECK(parsed("1e6") == 1'000'000);
  CHECK(parsed("1E6") == 1'000'000);
  CHECK(parsed("1e+6") == 1'000'000);
  CHECK(parsed("2.5e3") == 2500);
  CHECK(parsed("2.50e1") == 25);
  CHECK(parsed("4000e-3") == 4);
  CHECK(parsed("10M") == 10'000'000);
  CHECK(parsed("1.5k") == 1500);
  CHECK(parsed("2G") == 2'000'000'000);
  CHECK(parsed("64Ki") == 65'536);
  CHECK(parsed("1.5Ki") == 1536);
  CHECK(parsed("3Mi") == 3 << 20);
  CHECK(parsed("4Gi") == Index{4} << 30);
  CHECK(parsed("010") == 10);
  CHECK(parsed("-1e3") == -1000);
  CHECK(parsed("0e999999999999999999999") == 0);
  CHECK(parsed("-0.0") == 0);
  CHECK(parsed("9223372036854775807") == most_index);
  CHECK(parsed("9.223372036854775807e18") == most_index);
  CHECK(parsed("-9223372036854775808") == least_index);
  CHECK(parsed("0.00000000000000000000000000000000000000000000000000001e53") == 1);
  CHECK(parsed("1" + std::string(400, '0') + "e-400") == 1);
}

TEST_CASE("what is no whole number is refused with what would be right") {
  for (const char* word : {"",
                           "-",
                           "+1",
                           "M",
                           "e6",
                           "1e",
                           "1e+",
                           ".5e1",
                           "5.e1",
                           "1.5",
                           "1e-3",
                           "0.9999k",
                           "1.0001Ki",
                           "10MM",
                           "10m",
                           "10K",
                           "10kk",
                           "1e3k",
                           "1e6.0",
                           "1.2.3k",
                           "1 M",
                           "1M ",
                           "1,000",
                           "1_000",
                           "nan",
                           "inf",
                           "-inf",
                           "0x10",
                           "1e-99999999999999999999",
                           "1i"}) {
    CAPTURE(word);
    CHECK(why_not(word) ==
          "N: '" + std::string(word) + "' is not a whole number, such as 1000000, 1e6, 1M or 64Ki");
  }
  CHECK_THAT(why_not("\xff"), Contains("N: '\\xff' is not a whole number"));
  for (const char* word : {"9223372036854775808", "9.3e18", "1e30", "1e99999999999999999999",
                           "10000000000G", "8589934592Gi", "123456789012345678901234567890.5"}) {
    CAPTURE(word);
    CHECK(why_not(word) ==
          "N: '" + std::string(word) + "' is out of range: at most 9223372036854775807");
  }
  for (const char* word : {"-9223372036854775809", "-9.3e18", "-1e30"}) {
    CHECK_THAT(why_not(word), Contains("is out of range: at least -9223372036854775808"));
  }
}

TEST_CASE("a number is the same in all the ways it can be written") {
  property("with an exponent", [](Index value) {
    const auto digits = *rc::gen::inRange<std::size_t>(0, 30);
    const std::string sign = value < 0 ? "-" : "";
    const Index size = value == least_index ? most_index : value < 0 ? -value : value;
    const std::string written = sign + with_point(size, digits) + "e" + std::to_string(digits);
    RC_ASSERT(parsed(written) == (value < 0 ? -size : size));
  });
  property("with a suffix", [] {
    const auto [suffix, factor] =
        *rc::gen::elementOf(std::vector<std::pair<std::string, Index>>{{"k", 1000},
                                                                       {"M", 1'000'000},
                                                                       {"G", 1'000'000'000},
                                                                       {"Ki", 1 << 10},
                                                                       {"Mi", 1 << 20},
                                                                       {"Gi", 1 << 30}});
    const auto count = *rc::gen::inRange<Index>(0, most_index / factor);
    RC_ASSERT(parsed(std::to_string(count) + suffix) == count * factor);
    // With k, three decimals still give a whole number, but a fourth digit does not.
    const auto part = *rc::gen::inRange<Index>(1, 1'000'000'000);
    if (factor % 1000 == 0) {
      const std::size_t digits = factor == 1000 ? 3 : factor == 1'000'000 ? 6 : 9;
      RC_ASSERT(parsed(with_point(part, digits) + suffix) == part);
      RC_ASSERT(why_not(with_point(part * 10 + 1, digits + 1) + suffix) != "");
    }
  });
}

TEST_CASE("any words are read or refused") {
  property("no other exception, no crash", [] {
    const auto written = *rc::gen::container<std::string>(
        rc::gen::element('0', '1', '9', '.', 'e', '+', '-', 'k', 'M', 'G', 'i'));
    const std::string why = why_not(written);
    if (why.empty()) RC_ASSERT(parsed(std::to_string(parsed(written))) == parsed(written));
  });
}

TEST_CASE("every option of whole numbers takes them") {
  CHECK(elements_of_count("1e6") == 1'000'000);
  CHECK(elements_of_count("10M") == 10'000'000);
  const auto row =
      rows_of(cli({"count", "-N", "1Mi", "-p", "1k", "--json", "--plan", "direct"})).at(0);
  CHECK(row.at("elements") == 1 << 20);
  CHECK(row.at("ranks") == 1000);
  CHECK(cli({"tune", "-N", "1k:1e4", "-p", "2"}).out ==
        cli({"tune", "-N", "1000:10000", "-p", "2"}).out);
  check_refused({"count", "-N", "1.5", "-p", "2"},
                "-N: '1.5' is not a whole number, such as 1000000, 1e6, 1M or 64Ki");
  check_refused({"count", "-N", "9", "-p", "3G"}, "-p: '3G' is out of range: at most 2147483647");
  check_refused({"count", "-N", "-1e3", "-p", "2"}, "N must be at least 1 element, not -1000");
  check_refused({"tune", "-N", "1k:10MM", "-p", "2"}, "-N: '10MM' is not a whole number");
}

TEST_CASE("sweeps of whole numbers take them") {
  const auto swept = [](const std::string& sweep) {
    std::vector<Index> values;
    for (const Json& row : rows_of(cli({"simulate", "--engine", "loggops", "-p", "3", "--t-add",
                                        "0", "--json", "--sweep", sweep}))) {
      values.push_back(row.at("elements"));
    }
    return values;
  };
  CHECK(swept("elements=1k,2.5e3,1Mi") == std::vector<Index>{1000, 2500, 1 << 20});
  CHECK(swept("N=1e3:1M:log:4") == std::vector<Index>{1000, 10'000, 100'000, 1'000'000});
  CHECK(swept("elements=1e3:1e4:log:3") == std::vector<Index>{1000, 3162, 10'000});
  CHECK(swept("elements=9007199254740992:9007199254740993:lin:2") ==
        std::vector<Index>{9007199254740992, 9007199254740993});
}

}  // namespace whole_number_test
