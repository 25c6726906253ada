#include "tools/cli.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "bracket/runtime/kernel.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "tools/input_files.hpp"

namespace run_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words few_runs{"--json", "--repetitions", "2", "--warm-up", "1"};
constexpr std::size_t N = 1237;
const std::vector<double> values = hostile_elements(Hostile::cancelling, N, 7);

std::string bits_text(double value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(bits(value)));
  return text;
}

void check_sum(const Json& row, double sum) {
  CHECK(row.at("result_bits") == bits_text(sum));
  CHECK(bits(row.at("result").get<double>()) == bits(sum));
  CHECK(bits(std::strtod(row.at("result_hex").get<std::string>().c_str(), nullptr)) == bits(sum));
}

}  // namespace

TEST_CASE("run gives the same bits on any number of ranks, and sends what is proven") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "the values.binpsllh", binpsllh_file(values));
  const std::string plans = "direct,buffered,buffered:2:8,aggregated:3";
  const std::string distributions = "lower,upper,power2,optimized:0.2";
  for (const int p : {1, 2, 3, 5}) {
    CAPTURE(p);
    const Words ranks{"-p", std::to_string(p)};
    const Words elements{"-N", std::to_string(N)};
    const Words which{"--plan", plans, "--distribution", distributions};
    const auto rows = rows_of(cli_on(p, Words{"run", file} + which + few_runs));
    REQUIRE(rows.size() == 16);
#if BRACKET_HAS_SIMGRID
    const auto simulated = rows_of(cli(Words{"simulate", "--json"} + elements + ranks + which));
    REQUIRE(simulated.size() == 16);
#endif
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto plan = rows[i].at("plan").get<std::string>();
      const auto distribution = rows[i].at("distribution").get<std::string>();
      CAPTURE(plan, distribution);
      seen.insert({plan, distribution});
      check_sum(rows[i], tree_sum(values));
      CHECK(rows[i].at("elements") == N);
      CHECK(rows[i].at("ranks") == p);
      CHECK(rows[i].at("repetitions") == 2);
      CHECK(rows[i].at("measured_seconds") > 0);
      CHECK(rows[i].at("measured_low_seconds") <= rows[i].at("measured_high_seconds"));
      const auto proven =
          rows_of(cli(Words{"verify", "--json", "--plan", plan, "--distribution", distribution} +
                      elements + ranks));
      CHECK(rows[i].at("messages") == proven.at(0).at("messages"));
#if BRACKET_HAS_SIMGRID
      CHECK(simulated[i].at("plan") == plan);
      CHECK(simulated[i].at("distribution") == distribution);
      CHECK(rows[i].at("messages") == simulated[i].at("simulated_messages"));
#endif
    }
    CHECK(seen.size() == 16);
  }
}

TEST_CASE("run reads every kind of file") {
  const Scratch scratch;
  Setting there;
  there.directory = scratch.path();
  make_file(scratch.path() / "x.npy", npy_file<double>(values));
  make_file(scratch.path() / "x.f64", raw_values<double>(values));
  make_file(scratch.path() / "x.binpsllh", binpsllh_file(values));
  for (const auto* name : {"x.npy", "x.f64", "x.binpsllh"}) {
    CAPTURE(name);
    const auto rows = rows_of(cli(Words{"run", name} + few_runs, there));
    check_sum(rows.at(0), tree_sum(values));
    CHECK(rows.at(0).at("input") == name);
  }
  std::vector<float> narrow;
  for (std::size_t i = 0; i < N; ++i) narrow.push_back(static_cast<float>(i) * 0.1f);
  make_file(scratch.path() / "narrow.npy", npy_file<float>(narrow));
  const auto rows = rows_of(cli_on(2, Words{"run", "narrow.npy"} + few_runs, there));
  check_sum(rows.at(0), tree_sum(std::vector<double>(narrow.begin(), narrow.end())));
}

TEST_CASE("a row tells which elements it is of") {
  const Scratch scratch;
  auto others = values;
  std::swap(others[3], others[5]);
  const auto file =
      make_file(scratch.path() / "x.f64", raw_values(std::span<const double>(values)));
  const auto swapped =
      make_file(scratch.path() / "y.f64", raw_values(std::span<const double>(others)));
  const auto digests = [](int p, const Words& words) {
    std::set<std::string> seen;
    for (const Json& row : rows_of(cli_on(p, Words{"run"} + words + few_runs))) {
      seen.insert(row.at("elements_digest").get<std::string>());
    }
    return seen;
  };
  const auto expected = digests(1, {file});
  CHECK(expected.size() == 1);
  CHECK(expected.begin()->size() == 16);
  CHECK(digests(3, {file, "--distribution", "lower,optimized:0.2", "--plan", "native,direct",
                    "--all"}) == expected);
  CHECK(digests(3, {file, "--algorithm", "binned", "--rank-order", "reversed"}) == expected);
  CHECK(digests(2, {file, "--items", "1237"}) == expected);
  CHECK(digests(2, {swapped}) != expected);
  CHECK(digests(1, {file, "--type", "float32"}) != expected);

  const auto digest = [&](const std::string& of) {
    return rows_of(cli_on(2, Words{"run", of, "--op", "digest"} + few_runs)).at(0);
  };
  CHECK(digest(file).at("result_sequence") == *expected.begin());
  CHECK(digest(file).at("result_set") == digest(swapped).at("result_set"));
  CHECK(digest(file).at("result_sequence") != digest(swapped).at("result_sequence"));
  const auto told = cli({"run", file, "--op", "digest", "--repetitions", "1"});
  CHECK_THAT(told.out, Contains("digest of the sequence") && Contains(*expected.begin()));
}

TEST_CASE("ranks that read different inputs under one name do not sum a mixture unseen") {
  const Scratch scratch;
  const std::vector<double> fewer(values.begin(), values.end() - 1);
  auto others = values;
  others.back() = 1;
  for (const char* folder : {"a", "b", "c"}) {
    std::filesystem::create_directory(scratch.path() / folder);
  }
  make_file(scratch.path() / "a" / "x.npy", npy_file(std::span<const double>(values)));
  make_file(scratch.path() / "b" / "x.npy", npy_file(std::span<const double>(fewer)));
  make_file(scratch.path() / "c" / "x.npy", npy_file(std::span<const double>(others)));
  // Runs one rank in each of two folders.
  const auto in_folders = [&](const char* first, const char* second, const Words& options) {
    const auto part = [&](const char* folder) {
      return Words{BRACKET_MPIEXEC_NUMPROC_FLAG,
                   "1",
                   "-wdir",
                   (scratch.path() / folder).string(),
                   BRACKET_FRONT,
                   "run",
                   "x.npy"} +
             options + few_runs;
    };
    return run_process(Words{BRACKET_MPIEXEC} + part(first) + Words{":"} + part(second),
                       with_mpi({}));
  };
  for (const Words& options : {Words{}, Words{"--algorithm", "binned"}}) {
    check_refused(in_folders("a", "b", options), "the ranks read different inputs under one name");
    const auto digest = [&](const char* first, const char* second) {
      return rows_of(in_folders(first, second, options)).at(0).at("elements_digest");
    };
    CHECK(digest("a", "a") != digest("c", "c"));
    CHECK(digest("a", "c") == digest("c", "c"));  // only the last rank reads the part that differs
    CHECK(digest("c", "a") == digest("a", "a"));
  }
}

TEST_CASE("run hands elements that are no number through") {
  const Scratch scratch;
  for (const auto kind : {Hostile::negative_zeros, Hostile::subnormals}) {
    const auto elements = hostile_elements(kind, 100, 3);
    const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(elements));
    check_sum(rows_of(cli(Words{"run", file} + few_runs)).at(0), tree_sum(elements));
  }
  const std::vector<double> infinities{1, INFINITY, -INFINITY};
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(infinities));
  const auto rows = rows_of(cli(Words{"run", file} + few_runs));
  CHECK(rows.at(0).at("result_bits") == "0x7FF8000000000000");
  CHECK(rows.at(0).at("result").is_null());
  CHECK(rows.at(0).at("result_hex") == "nan");
  CHECK_THAT(cli({"run", file}).out, Contains("  nan  "));
  const std::vector<double> one{-INFINITY};
  CHECK_THAT(cli({"run", make_file(scratch.path() / "y.f64", raw_values<double>(one))}).out,
             Contains("  -inf  "));
}

TEST_CASE("run says where its ranks come from") {
  check_refused({"run", "--synthetic", "9", "-p", "2"}, "mpiexec -n 2 bracket run");
}

TEST_CASE("run makes elements up, the same for a seed on any number of ranks") {
  const auto sum_of = [](int p, const Words& input) {
    return rows_of(cli_on(p, Words{"run"} + input + few_runs)).at(0).at("result_bits");
  };
  const auto one = sum_of(1, {"--synthetic", "5000"});
  CHECK(sum_of(3, {"--synthetic", "5000"}) == one);
  CHECK(sum_of(1, {"--synthetic", "5000", "--seed", "1"}) == one);
  CHECK(sum_of(1, {"--synthetic", "5000", "--seed", "2"}) != one);
  CHECK(sum_of(1, {"--synthetic", "5001"}) != one);
}

TEST_CASE("run takes fewer elements than ranks, any root, and all") {
  const Scratch scratch;
  const std::vector<double> two{1e16, 1};
  const auto file = make_file(scratch.path() / "two.f64", raw_values<double>(two));
  for (const Words& delivery :
       {Words{"--root", "3"}, Words{"--all", "--distribution", "counts:0:1:0:1:0"}}) {
    const auto rows = rows_of(cli_on(
        5, Words{"run", file, "--plan", "direct,buffered,aggregated"} + delivery + few_runs));
    REQUIRE(rows.size() == 3);
    for (const auto& row : rows) check_sum(row, 1e16 + 1);
  }
}

TEST_CASE("run reduces vectors item by item, to one rank, to all or in blocks") {
  const Scratch scratch;
  constexpr std::size_t items = 7;
  const std::size_t elements = 30;
  const auto numbers = hostile_elements(Hostile::cancelling, elements * items, 3);
  const auto file = make_file(scratch.path() / "v.binpsllh", binpsllh_file(numbers));
  // FNV-1a with its published constants, over the bits of each item's sum.
  std::uint64_t digest = 0xCBF29CE484222325u;
  for (std::size_t item = 0; item < items; ++item) {
    std::vector<double> column;
    for (std::size_t x = 0; x < elements; ++x) column.push_back(numbers[x * items + item]);
    std::uint64_t sum = bits(tree_sum(column));
    for (int i = 0; i < 8; ++i, sum >>= 8) digest = (digest ^ (sum & 0xFF)) * 0x100000001B3u;
  }
  char expected[17];
  std::snprintf(expected, sizeof expected, "%016llx", static_cast<unsigned long long>(digest));
  const Words vectors{"run", file, "--items", "7", "--plan", "butterfly:2,elimination,aggregated"};
  for (const int p : {1, 3, 4}) {
    for (const char* const delivery : {"--root=0", "--all", "--scatter"}) {
      CAPTURE(p, delivery);
      const auto rows = rows_of(cli_on(p, vectors + Words{delivery} + few_runs));
      REQUIRE(rows.size() == 3);
      for (const auto& row : rows) {
        CHECK(row.at("result_digest") == expected);
        CHECK(row.at("elements") == elements);
        CHECK(row.at("items") == items);
        CHECK_FALSE(row.contains("result"));
      }
    }
  }
  const auto schedule = (scratch.path() / "s.json").string();
  REQUIRE(cli({"verify", "-N", "30", "-p", "3", "--items", "7", "--plan", "butterfly:2",
               "--scatter", "-o", schedule})
              .code == 0);
  const auto rows = rows_of(cli_on(3, Words{"run", file, "--schedule", schedule} + few_runs));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("result_digest") == expected);
  CHECK(rows[0].at("collective") == "reduce-scatter");

  check_refused({"run", file, "--items", "4"}, "210 numbers are no whole number of elements");
  check_refused({"run", file, "--items", "0"}, "--items must be at least 1");
  check_refused({"run", file, "--all", "--scatter"}, "--scatter");
  check_refused({"run", "--synthetic", "9", "--items", "3000000000"}, "takes at most 2147483647");
  check_refused({"run", "--synthetic", "9223372036854775807", "--items", "2"}, "too many");
}

TEST_CASE("run has the MPI library reduce, side by side with plans") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(values));
  const Words both{"run", file, "--plan", "butterfly,native"};
  for (const int p : {1, 2, 3}) {
    const auto rows = rows_of(cli_on(p, both + Words{"--all"} + few_runs));
    REQUIRE(rows.size() == 2);
    for (const auto& row : rows) check_sum(row, tree_sum(values));
    CHECK(rows[1].at("plan") == "native");
    CHECK(rows[1].at("measured_seconds") > 0);
    CHECK(rows[0].contains("messages"));
    CHECK_FALSE(rows[1].contains("messages"));
  }
  const auto table = cli_on(2, both + Words{"--all", "--repetitions", "2"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out, Contains("\nnative"));
  // Refused before any measurement.
  const auto late = cli_on(2, Words{"run", file, "--plan", "direct,native", "--json"});
  CHECK(late.code == 2);
  CHECK(late.out == "");
  for (const auto& [wrong, why] :
       {std::pair<Words, std::string>{{}, "the plan native leaves the result on every rank"},
        {{"--all", "--order", "sequential"}, "native makes no sense for the order sequential"}}) {
    const auto refused = cli_on(3, Words{"run", file, "--plan", "native", "--json"} + wrong);
    CHECK(refused.code == 2);
    CHECK(refused.out == "");
    CHECK(occurrences(refused.err, why) == 1);
  }
}

TEST_CASE("run takes a schedule and a distribution from files") {
  const Scratch scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  const auto file = make_file(at("x.f64"), raw_values<double>(values));
  const Words size{"-N", std::to_string(N), "-p", "3"};
  REQUIRE(cli(Words{"verify", "--plan", "aggregated:2", "-o", at("s.json")} + size).code == 0);
  REQUIRE(cli(Words{"tune", "-o", at("d.json")} + size).code == 0);
  const auto by_schedule =
      rows_of(cli_on(3, Words{"run", file, "--schedule", at("s.json")} + few_runs));
  check_sum(by_schedule.at(0), tree_sum(values));
  CHECK(by_schedule.at(0).at("plan") == "aggregated:2");
  CHECK(by_schedule.at(0).at("messages") == 2);
  const auto by_distribution =
      rows_of(cli_on(3, Words{"run", file, "--distribution", at("d.json")} + few_runs));
  check_sum(by_distribution.at(0), tree_sum(values));

  for (const Words& too_much :
       {Words{"--plan", "direct"}, Words{"--distribution", "upper"}, Words{"--order", "tree"},
        Words{"--root", "0"}, Words{"--all"}, Words{"--rank-order", "reversed"}}) {
    check_refused(Words{"run", file, "--schedule", at("s.json")} + too_much, "excludes");
  }
  check_refused({"run", file, "--schedule", at("s.json")}, "for 3 ranks, there are 1");
  check_refused({"run", "--synthetic", "9", "--schedule", at("s.json")}, "the input has 9");
  check_refused({"run", file, "--distribution", at("d.json")}, "p = 3");
  auto broken = Json::parse(content_of(at("s.json")));
  broken["parts"][1][0] = Json{{"fold", {0, 1}}};
  make_file(at("s.json"), broken.dump());
  const auto refused = cli_on(3, {"run", file, "--schedule", at("s.json")});
  CHECK(refused.code == 2);
  CHECK(refused.out == "");
  CHECK(occurrences(refused.err, "s.json: rank 1, step 0") == 1);
}

TEST_CASE("every kernel is run on request, by option or environment, to the same bits") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(values));
  const auto help = cli({"run", "--help"}).out;
  for (const auto& kernel : bracket::kernels()) {
    const std::string name(kernel.name);
    CAPTURE(name);
    CHECK_THAT(help, Contains(name));
    const Words by_option = Words{"run", file, "--kernel", name} + few_runs;
    if (!kernel.supported()) {
      check_refused(by_option, "does not support");
      continue;
    }
    Setting setting;
    setting.environment = {{"BRACKET_KERNEL", name}};
    Setting other;
    other.environment = {{"BRACKET_KERNEL", "nonsense"}};
    for (const auto& outcome :
         {cli(by_option), cli(Words{"run", file} + few_runs, setting), cli(by_option, other)}) {
      const auto rows = rows_of(outcome);
      CHECK(rows.at(0).at("kernel") == name);
      check_sum(rows.at(0), tree_sum(values));
    }
  }
}

TEST_CASE("run tells people the sum in three ways and what it ran on") {
  const Scratch scratch;
  const std::vector<double> three{0.5, 0.25, 8};
  const auto file = make_file(scratch.path() / "x.f64", raw_values<double>(three));
  const auto outcome = cli({"run", file, "--repetitions", "3"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("3 elements (" + file + ") on 1 rank,") &&
                              Contains("time [us]") && Contains(" 8.75 ") &&
                              Contains("0x1.18p+3") && Contains("0x4021800000000000"));
}

TEST_CASE("rows come in the order of what is asked for, in whatever order it is measured") {
  const std::vector<Words> orders{{"direct", "aggregated", "binomial"},
                                  {"binomial", "direct", "aggregated"}};
  for (const Words& plans : orders) {
    const std::string list = plans[0] + "," + plans[1] + "," + plans[2];
    for (const Words& arithmetic : {Words{}, Words{"--algorithm", "double-double"}}) {
      const auto rows = rows_of(cli_on(2, Words{"run", "--synthetic", "1000", "--all",
                                                "--distribution", "upper,lower", "--plan", list} +
                                              few_runs + arithmetic));
      REQUIRE(rows.size() == 6);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("plan").get<std::string>().starts_with(plans[i % 3]));
        CHECK(rows[i].at("distribution") == (i < 3 ? "upper" : "lower"));
        CHECK(rows[i].at("result_bits") == rows[0].at("result_bits"));
        CHECK(rows[i].at("calls_per_sample") >= 1);
      }
    }
  }
  const auto cold = rows_of(cli(Words{"run", "--synthetic", "9", "--cold"} + few_runs)).at(0);
  CHECK(cold.at("cold") == true);
  CHECK(cold.at("calls_per_sample") == 1);
}

TEST_CASE("a file's name need not be text") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "\xFF.f64", raw_values<double>(values));
  check_sum(rows_of(cli(Words{"run", file} + few_runs)).at(0), tree_sum(values));
}

#endif

TEST_CASE(
    "threads change no bits, and bad numbers of them are refused before anything is printed") {
  const std::string count = "100000";  // enough for a rank to use its threads
  const auto bits_of = [&](const Words& with) {
    return rows_of(cli(Words{"run", "--synthetic", count} + few_runs + with))
        .at(0)
        .at("result_bits");
  };
  const auto alone = bits_of({});
  CHECK(bits_of({"--threads", "2"}) == alone);
  CHECK(bits_of({"--threads", "3", "--order", "tree"}) == alone);
  const auto bench = rows_of(cli({"bench", "-N", count, "--threads", "2", "--json", "--candidates",
                                  "butterfly", "--repetitions", "1"}));
  CHECK(bench.at(1).at("threads") == 2);
  CHECK(bench.at(1).at("result_bits") == alone);
  for (const char* const command : {"run", "bench"}) {
    const Words elements{command == std::string("run") ? "--synthetic" : "-N", "100"};
    check_refused(Words{command} + elements + Words{"--threads", "0"},
                  "--threads must be at least");
    check_refused(Words{command} + elements + Words{"--threads", "99999"}, "at most 4096");
  }
}

}  // namespace run_mpi_test
