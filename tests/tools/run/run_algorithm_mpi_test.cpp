// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>

#include "bracket/input/input.hpp"
#include "support/binned_reference.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "tools/input_files.hpp"
#include "tools/run/run_rows.hpp"

namespace run_algorithm_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;
using Catch::Contains;

// Tests of `run` with --algorithm, --op and --type.

namespace {

const Words few_runs{"--json", "--repetitions", "2", "--warm-up", "0"};
constexpr std::size_t N = 1237;

/// Last row of runs with these options on several rank counts, plans and distributions. All rows
/// must have the same result.
Json result_of(const std::string& file, const Words& options) {
  CAPTURE(file, options);
  std::set<std::string> seen;
  Json first;
  for (const int p : {BRACKET_TEST_CLI_RANKS}) {
    const Words ways = p % 2 == 0 ? Words{"--plan", "aggregated:2,butterfly", "--distribution",
                                          "lower,power2", "--all"}
                                  : Words{"--rank-order", "reversed", "--root", "0", "--threads=2"};
    const auto rows = rows_of(cli_on(p, Words{"run", file} + options + ways + few_runs));
    CHECK(rows.size() == (p % 2 == 0 ? 4 : 1));
    for (const Json& row : rows) {
      Json result;
      for (const auto& [key, value] : row.items()) {
        if (key.rfind("result", 0) == 0) result[key] = value;
      }
      seen.insert(result.dump());
      first = row;
    }
  }
  CHECK(seen.size() == 1);
  return first;
}

using run_rows::bits_text;

std::string bits_text(float value) {
  char text[11];
  std::snprintf(text, sizeof text, "0x%08X", static_cast<unsigned>(bits(value)));
  return text;
}

template <class Number>
void check_result(const Json& row, Number expected) {
  CAPTURE(row);
  CHECK(row.at("result_bits") == bits_text(expected));
  CHECK(row.at("result").get<double>() == static_cast<double>(expected));
  CHECK(std::strtod(row.at("result_hex").get<std::string>().c_str(), nullptr) ==
        static_cast<double>(expected));
}

double exact_sum(const std::vector<double>& elements) {
  Exact sum = 0;
  for (const double element : elements) sum += exact(element);
  return nearest(sum);
}

/// Whole multiples of 2^−20 below 2^20; most of them cancel. Every algorithm that promises more
/// digits than float64 gives their exact sum.
std::vector<double> cancelling_whole() {
  std::mt19937_64 random(11);
  std::vector<double> elements;
  for (std::size_t i = 0; i < N / 2; ++i) {
    const double large = std::ldexp(static_cast<double>(random() >> 24), -20);
    elements.push_back(large);
    elements.push_back(-large);
  }
  elements.push_back(std::ldexp(12345.0, -20));
  std::shuffle(elements.begin(), elements.end(), random);
  return elements;
}

}  // namespace

TEST_CASE("run sums in bins and in double-double to the exact sum, on any number of ranks") {
  const Scratch scratch;
  auto elements = cancelling_whole();
  const auto at = [&](const char* name) { return scratch.path() / name; };
  const auto file = make_file(at("x.binpsllh"), binpsllh_file(elements));
  const double sum = exact_sum(elements);
  REQUIRE(sum == std::ldexp(12345.0, -20));
  for (const auto* algorithm : {"binned", "binned:4", "double-double"}) {
    const Json row = result_of(file, {"--algorithm", algorithm});
    check_result(row, sum);
    CHECK(row.at("algorithm") == (algorithm == std::string("binned") ? "binned:3" : algorithm));
    CHECK(row.at("op") == "sum");
    CHECK(row.at("type") == "float64");
    CHECK(row.contains("kernel"));
    CHECK_FALSE(row.contains("order"));
  }
}

TEST_CASE("run gives a binned sum the same bits for any sequence of the elements") {
  const Scratch scratch;
  auto elements = hostile_elements(Hostile::uniform, N, 3);
  std::set<std::string> binned;
  std::set<std::string> tree;
  for (int i = 0; i < 3; ++i) {
    const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(elements));
    binned.insert(result_of(file, {"--algorithm", "binned"}).at("result_bits"));
    tree.insert(result_of(file, {"--algorithm", "tree"}).at("result_bits"));
    std::mt19937 random(static_cast<unsigned>(i));
    std::shuffle(elements.begin(), elements.end(), random);
  }
  CHECK(binned.size() == 1);
  CHECK(tree.size() > 1);
}

TEST_CASE("run reduces in the order that the algorithm or --order names") {
  const Scratch scratch;
  const auto elements = hostile_elements(Hostile::cancelling, N, 7);
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(elements));
  const auto sum = [&](std::size_t chunk) {
    return reduced(std::span<const double>(elements), chunk, std::plus<double>());
  };
  const Words op{"--op", "sum"};
  check_result(result_of(file, op), sum(1));
  check_result(result_of(file, {"--algorithm", "tree"}), sum(1));
  check_result(result_of(file, {"--algorithm", "chunked-tree:7"}), sum(7));
  check_result(result_of(file, {"--algorithm", "sequential"}), sum(N));
  check_result(result_of(file, {"--algorithm", "chunked-tree:7", "--order", "chunked-tree:7"}),
               sum(7));
  check_result(result_of(file, op + Words{"--order", "chunked-tree:64"}), sum(64));
  const Json row = result_of(file, op + Words{"--order", "sequential"});
  check_result(row, sum(N));
  CHECK(row.at("algorithm") == "sequential");
  const auto rows = rows_of(
      cli_on(3, Words{"run", file, "--plan", "direct,buffered,binomial,gather"} + op + few_runs));
  CHECK(rows.size() == 4);
  for (const Json& other : rows) check_result(other, sum(1));
  check_result(result_of(file, {"--algorithm", "double-double", "--order", "tree"}),
               exact_sum(elements));
}

TEST_CASE("run has the other operators, of float64 and of float32") {
  const Scratch scratch;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> near_one(0.5, 1.5);
  std::vector<double> elements(N);
  for (double& element : elements) element = near_one(random);
  elements[700] = elements[300] = 1.75;
  elements[900] = elements[1000] = -0.25;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(elements));
  const std::vector<float> narrow(elements.begin(), elements.end());
  const auto product = [](const auto& numbers) {
    using Number = typename std::decay_t<decltype(numbers)>::value_type;
    return reduced(std::span<const Number>(numbers), 1, std::multiplies<Number>());
  };
  check_result(result_of(file, {"--op", "product"}), product(elements));
  check_result(result_of(file, {"--op", "minimum"}), -0.25);
  check_result(result_of(file, {"--op", "maximum"}), 1.75);
  for (const auto* type : {"float64", "float32"}) {
    const Json least = result_of(file, {"--op", "minimum-location", "--type", type});
    CHECK(least.at("result") == -0.25);
    CHECK(least.at("result_index") == 900);
    const Json greatest = result_of(file, {"--op", "maximum-location", "--type", type});
    CHECK(greatest.at("result") == 1.75);
    CHECK(greatest.at("result_index") == 300);
  }
  const Words float32{"--type", "float32"};
  check_result(result_of(file, float32),
               reduced(std::span<const float>(narrow), 1, std::plus<float>()));
  check_result(result_of(file, float32 + Words{"--op", "product"}), product(narrow));
  const std::vector<double> wide(narrow.begin(), narrow.end());
  const Json widened = result_of(file, float32 + Words{"--widened"});
  check_result(widened, static_cast<float>(tree_sum(wide)));
  CHECK(widened.at("widened") == true);
  check_result(result_of(file, float32 + Words{"--algorithm", "binned"}),
               static_cast<float>(exact_sum(wide)));
  // The float32 numbers of the file are read unchanged.
  const auto npy = make_file(scratch.path() / "x.npy", npy_file<float>(narrow));
  check_result(result_of(npy, float32 + Words{"--op", "product"}), product(narrow));
}

TEST_CASE("made-up integers are made-up numbers without their fractions") {
  std::vector<double> numbers(1000);
  bracket::input::synthetic_input(1000, 7)->read({0, 1000}, numbers);
  std::int64_t sum = 0;
  for (const double number : numbers) sum += static_cast<std::int64_t>(number * 2048);
  for (const int p : {1, 3}) {
    const auto ran =
        cli_on(p, Words{"run", "--synthetic", "1000", "--seed", "7", "--type", "int64"} + few_runs);
    CHECK(rows_of(ran).at(0).at("result") == sum);
  }
}

TEST_CASE("run reduces whole numbers as integers") {
  const Scratch scratch;
  std::vector<double> elements(N);
  std::mt19937_64 random(9);
  for (double& element : elements) {
    element = static_cast<double>(static_cast<std::int64_t>(random() % 2000001) - 1000000);
  }
  elements[0] = -0.0;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(elements));
  std::int64_t sum = 0;
  for (const double element : elements) sum += static_cast<std::int64_t>(element);
  for (const auto* type : {"int64", "int32"}) {
    for (const Words& with : {Words{}, Words{"--checked"}, Words{"--algorithm", "tree"}}) {
      const Json row = result_of(file, Words{"--type", type} + with);
      CHECK(row.at("result").dump() == std::to_string(sum));
      CHECK(row.at("algorithm") == (with.size() == 2 ? "tree" : "associative"));
      CHECK_FALSE(row.contains("result_bits"));
      CHECK_FALSE(row.contains("kernel"));
    }
    CHECK(result_of(file, {"--type", type, "--order", "associative"}).at("result") == sum);
    const auto least = std::min_element(elements.begin(), elements.end());
    const Json row = result_of(file, {"--type", type, "--op", "minimum-location"});
    CHECK(row.at("result") == static_cast<std::int64_t>(*least));
    CHECK(row.at("result_index") == least - elements.begin());
  }
  check_refused(cli_on(2, Words{"run", file, "--type", "uint32"}), "uint32 takes whole numbers");
  for (double& element : elements) element = std::abs(element);
  elements[1] = 4294967295;
  const auto positive = make_file(scratch.path() / "y.f64", raw_values<double>(elements));
  std::uint64_t total = 0;
  for (const double element : elements) total += static_cast<std::uint64_t>(element);
  CHECK(result_of(positive, {"--type", "uint64", "--checked"}).at("result") == total);
  CHECK(result_of(positive, {"--type", "uint32"}).at("result") ==
        static_cast<std::uint32_t>(total));
  const Json greatest = result_of(positive, {"--type", "uint32", "--op", "maximum-location"});
  CHECK(greatest.at("result") == 4294967295);
  CHECK(greatest.at("result_index") == 1);
  CHECK(cli_on(2, {"run", positive, "--type", "uint32", "--checked"}).code == 2);
  elements[1] = 4294967296;
  const auto beyond = make_file(scratch.path() / "z.f64", raw_values<double>(elements));
  check_refused(cli_on(2, Words{"run", beyond, "--type", "uint32"}),
                "element 1, at byte 8, is 4294967296");
  CHECK(rows_of(cli(Words{"run", "--synthetic", "9", "--type", "uint64"} + few_runs)).size() == 1);

  // 40! modulo 2^64, and the refusal of a product that does not fit.
  std::vector<double> factors(40);
  std::iota(factors.begin(), factors.end(), 1);
  const auto factorial = make_file(scratch.path() / "f.f64", raw_values<double>(factors));
  std::uint64_t product = 1;
  for (std::uint64_t i = 2; i <= 40; ++i) product *= i;
  const Words products{"--type", "int64", "--op", "product"};
  CHECK(result_of(factorial, products).at("result") == static_cast<std::int64_t>(product));
  for (const auto* to : {"--root=0", "--root=1", "--all"}) {
    const auto refused = cli_on(2, Words{"run", factorial, "--checked", to, "--json"} + products);
    CHECK(refused.code == 2);
    CHECK(refused.out == "");
    CHECK(occurrences(refused.err, "bracket: ") == 1);
    CHECK_THAT(refused.err, Contains("fit"));
  }
}

TEST_CASE("run refuses numbers that are no integers, naming the first") {
  const Scratch scratch;
  const auto refuse = [&](std::vector<double> elements, const char* type, const std::string& what) {
    const auto file = make_file(scratch.path() / "x.binpsllh", binpsllh_file(elements));
    for (const auto* order : {"identity", "reversed"}) {
      const auto refused = cli_on(2, {"run", file, "--type", type, "--rank-order", order});
      CHECK(refused.code == 2);
      CHECK(refused.out == "");
      CHECK(occurrences(refused.err, "bracket: ") == 1);
      CHECK_THAT(refused.err, Contains("x.binpsllh: " + what));
    }
  };
  refuse({1, 2.5, 3, 4.5}, "int64", "element 1, at byte 16, is 2.5: int64 takes whole numbers");
  refuse({1, 2, 3, -NAN}, "int64", "element 3, at byte 32, is -nan");
  refuse({1, 2, 3, INFINITY}, "int32", "element 3, at byte 32, is inf");
  refuse({1, 0x1p63, 3}, "int64", "element 1, at byte 16, is 9.223372036854776e+18");
  refuse({1, 0x1p31, 3}, "int32", "element 1, at byte 16, is 2147483648");
  const std::vector<double> extremes{-0x1p63, 0};
  const auto fits = make_file(scratch.path() / "y.f64", raw_values<double>(extremes));
  CHECK(result_of(fits, {"--type", "int64"}).at("result").dump() == "-9223372036854775808");
}

TEST_CASE("run takes pairs of numbers for complex ones") {
  const Scratch scratch;
  std::vector<double> parts;
  std::vector<std::complex<double>> numbers;
  for (int i = 0; i < 10; ++i) {
    numbers.push_back({std::ldexp(i, -2), 3.0 - i});
    parts.insert(parts.end(), {numbers.back().real(), numbers.back().imag()});
  }
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(parts));
  // 45 / 4 and 30 − 45.
  for (const auto* algorithm : {"tree", "binned", "double-double"}) {
    const Json row = result_of(file, {"--type", "complex128", "--algorithm", algorithm});
    CHECK(row.at("result").dump() == "[11.25,-15.0]");
    CHECK(row.at("result_bits") == bits_text(11.25) + " " + bits_text(-15.0));
    CHECK(row.at("elements") == 10);
  }
  CHECK(result_of(file, {"--type", "complex64"}).at("result_bits") ==
        bits_text(11.25f) + " " + bits_text(-15.0f));
  const std::vector<double> two{1, 2, 3, 4};
  const auto pair = make_file(scratch.path() / "y.f64", raw_values<double>(two));
  // (1 + 2i) (3 + 4i)
  CHECK(result_of(pair, {"--type", "complex64", "--op", "product"}).at("result").dump() ==
        "[-5.0,10.0]");
  make_file(scratch.path() / "z.f64", raw_values<double>(std::span(two).first(3)));
  check_refused({"run", (scratch.path() / "z.f64").string(), "--type", "complex64"},
                "3 numbers are no whole number of elements");
}

TEST_CASE("run says what contradicts what") {
  const Words run{"run", "--synthetic", "9"};
  const auto refuse = [&](const Words& with, const std::string& what) {
    check_refused(run + with, what);
  };
  refuse({"--algorithm", "x"}, "unknown algorithm 'x'; known: tree");
  refuse({"--op", "x"}, "unknown operator 'x'; known: sum, product, minimum, maximum, minimum-loc");
  refuse({"--type", "x"}, "unknown type 'x'; known: int32, int64, float32, float64, complex64");
  refuse({"--algorithm", ""}, "''");
  refuse({"--algorithm", "chunked-tree"}, "as in chunked-tree:64");
  refuse({"--algorithm", "chunked-tree:0"}, "chunk size K");
  refuse({"--algorithm", "binned:0"}, "number of bins K");
  refuse({"--algorithm", "binned:9"}, "at most 8");
  refuse({"--algorithm", "tree:2"}, "tree");
  refuse({"--algorithm", "binned", "--type", "int64"}, "binned:3 is for floats, not for int64");
  refuse({"--algorithm", "associative"}, "the bits of the sum of float64 depend on the brack");
  refuse({"--algorithm", "binned", "--op", "product"},
         "is for sums, not for a product: take tree or chunked-tree");
  refuse({"--algorithm", "double-double", "--op", "minimum"}, "does not depend on the bracketing");
  refuse({"--type", "complex64", "--op", "minimum"}, "complex numbers have no minimum");
  refuse({"--widened"}, "widened is for float32 and complex64, not for float64");
  refuse({"--checked"}, "checked is for integers, not for float64");
  refuse({"--op", "sum", "--order", "associative"}, "--order associative: the bits depend on");
  refuse({"--algorithm", "tree", "--order", "sequential"},
         "--order sequential contradicts --algorithm tree");
  refuse({"--algorithm", "chunked-tree:3", "--order", "chunked-tree:4"}, "contradicts");
  refuse({"--algorithm", "binned", "--order", "tree"}, "contradicts --algorithm binned:3");
  refuse({"--algorithm", "double-double", "--order", "associative"}, "contradicts");
  refuse({"--op", "sum", "--order", "explicit:0:0:2:0:4:4:6:0"}, "an explicit order is for plain");
  refuse({"--op", "sum", "--scatter"}, "--scatter is for sums of float64 in an order");
  refuse({"--op", "sum", "--items", "3"}, "--items 3 is for sums of float64 in an order");
  refuse({"--op", "sum", "--schedule", "x.json"}, "--schedule is for sums of float64 in an order");
  refuse({"--op", "sum", "--all", "--plan", "native"}, "the plan native is for sums of float64");
  refuse({"--algorithm", "binned", "--plan", "direct"}, "choose a plan that carries frontiers");
  refuse({"--op", "sum", "--plan", "x"}, "unknown plan 'x'");
  refuse({"--algorithm", "accumulate", "--plan", "butterfly"}, "excludes plans other than native");
  refuse({"--algorithm", "accumulate", "--items", "3"}, "sums single numbers");
  refuse({"--algorithm", "accumulate", "--scatter"}, "--scatter: --algorithm accumulate sums");
  refuse({"--algorithm", "accumulate", "--schedule", "x.json"}, "x.json");
  refuse({"--algorithm", "accumulate", "--type", "float32"}, "accumulate is a sum of float64");
  refuse({"--op", "sum", "--root", "1"}, "root 1 is no rank");
  refuse({"--op", "sum", "--kernel", "x"}, "unknown kernel");
}

TEST_CASE("run tells people what was computed, and list what can be") {
  const Scratch scratch;
  const std::vector<double> three{0.5, 8, 0.25};
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(three));
  const auto outcome = cli({"run", file, "--repetitions", "3", "--op", "maximum-location"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("on 1 rank, maximum-location of float64 by tree, kernel ") &&
                              Contains(" 8.0 ") && Contains("index") && Contains("0x1p+3") &&
                              Contains("0x4020000000000000"));
  const Json list = Json::parse(cli({"list", "--json"}).out);
  for (const char* const type : {"int32", "int64", "float32", "float64", "complex64"}) {
    CHECK(list.at("types").dump().find(type) != std::string::npos);
  }
  // Every listed name is accepted.
  const auto plain = [](const Json& row) { return row.at("name").get<std::string>(); };
  const auto needs_parameter = [](const Json& row) {
    return row.at("parameters").get<std::string>().starts_with(':');
  };
  for (const Json& row : list.at("operators")) {
    CHECK(cli(Words{"run", file, "--op", plain(row)} + few_runs).code == 0);
  }
  for (const Json& row : list.at("algorithms")) {
    const std::string name = plain(row) + (needs_parameter(row) ? ":2" : "");
    const auto made =
        make_file(scratch.path() / "i.f64", raw_values<double>(std::span(three).subspan(1, 1)));
    const Words type{"--type", name == "associative" ? "int32" : "float32"};
    CHECK(cli(Words{"run", made, "--algorithm", name} + type + few_runs).code == 0);
  }
}

#endif

}  // namespace run_algorithm_mpi_test
