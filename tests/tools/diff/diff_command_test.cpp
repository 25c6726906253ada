// SPDX-License-Identifier: MIT

#include "record/trace_bytes.hpp"
#include "tools/cli.hpp"

namespace diff_command_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

/// Writes a run of one rank that reduces a number, and returns its folder.
std::string run_of(const Scratch& scratch, const std::string& name, double number) {
  TraceBytes file(0, 1);
  file.reduction({.input = {number}, .output = {number}});
  file.end(1'000'000);
  const Bytes& bytes = file.bytes();
  const auto folder = scratch.path() / name;
  std::filesystem::create_directory(folder);
  make_file(folder / "rank-0.trace", {bytes.begin(), bytes.end()});
  return folder.string();
}

}  // namespace

TEST_CASE("diff counts more ulps than an integer with a sign can") {
  const Scratch scratch;
  const auto a = run_of(scratch, "a", 0x1p5);
  const auto b = run_of(scratch, "b", -0x1p5);
  // The numbers from 0 to 2^5, and from 0 to -2^5.
  constexpr std::uint64_t ulps = 2 * ((std::uint64_t{1023} + 5) << 52);
  const auto words = cli({"diff", a, b});
  CHECK(words.code == 1);
  CHECK_THAT(words.out, Contains(", " + std::to_string(ulps) + " ulps"));
  CHECK(Json::parse(cli({"diff", a, b, "--json"}).out).at("ulps") == ulps);
}

TEST_CASE("diff says that a folder has no trace") {
  const Scratch scratch;
  const auto a = run_of(scratch, "a", 1);
  const auto empty = scratch.path() / "empty";
  std::filesystem::create_directory(empty);
  check_refused({"diff", a, empty.string()}, "no rank of the program called MPI_Init");
}

}  // namespace diff_command_test
