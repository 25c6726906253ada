// SPDX-License-Identifier: MIT

#include <cmath>
#include <filesystem>
#include <set>

#include "tools/input_files.hpp"
#include "tools/run/run_rows.hpp"

namespace run_inputs_mpi_test {

#if BRACKET_HAS_MPI

using namespace run_rows;
using Catch::Contains;

// Elements that `run` reads or makes up.

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

TEST_CASE("a file's name need not be text") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "\xFF.f64", raw_values<double>(values));
  check_sum(rows_of(cli(Words{"run", file} + few_runs)).at(0), tree_sum(values));
}

#endif

}  // namespace run_inputs_mpi_test
