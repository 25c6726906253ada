// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace smpi_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

#if BRACKET_HAS_SMPI

namespace {

Words on(int elements, int ranks, const std::string& engine) {
  return {"simulate", "-N",  std::to_string(elements), "-p", std::to_string(ranks), "--json",
          "--engine", engine};
}

double makespan(const Words& words) {
  return rows_of(cli(words)).at(0).at("simulated_seconds").get<double>();
}

}  // namespace

#if BRACKET_HAS_MPI
TEST_CASE("smpi: the bits of the real run") {
  for (const Words& what : {Words{}, Words{"--order", "chunked-tree:16"}, Words{"--items", "3"}}) {
    const auto real = rows_of(cli_on(4, Words{"run", "--synthetic", "50485", "--seed", "1",
                                              "--json", "--repetitions", "1"} +
                                            what))
                          .at(0);
    const char* const bits = what == Words{"--items", "3"} ? "result_digest" : "result_bits";
    for (const char* plan : {"direct", "buffered", "aggregated:3", "butterfly"}) {
      CAPTURE(plan);
      const auto row =
          rows_of(cli(on(50485, 256, "smpi") + what + Words{"--plan", plan, "--all"})).at(0);
      CHECK(row.at(bits) == real.at(bits));
    }
  }
}

TEST_CASE("smpi: the result of the real run by every operation") {
  for (const Words& what :
       {Words{"--algorithm", "binned"}, Words{"--algorithm", "double-double"},
        Words{"--type", "float32"}, Words{"--type", "float32", "--widened"},
        Words{"--type", "complex64", "--op", "product"}, Words{"--type", "int64", "--checked"},
        Words{"--op", "maximum-location"}, Words{"--op", "digest", "--type", "uint32"}}) {
    CAPTURE(what);
    const auto real = rows_of(cli_on(3, Words{"run", "--synthetic", "1237", "--seed", "1", "--json",
                                              "--repetitions", "1"} +
                                            what))
                          .at(0);
    const auto row = rows_of(cli(on(1237, 40, "smpi") + what)).at(0);
    int results = 0;
    for (const auto& [key, value] : real.items()) {
      if (!key.starts_with("result")) continue;
      CAPTURE(key);
      CHECK(row.at(key) == value);
      ++results;
    }
    CHECK(results > 0);
    CHECK(row.at("messages") == 39);
  }
}
#endif

TEST_CASE("smpi takes the times of the operation") {
  for (const Words& what : {Words{"--algorithm", "binned", "--all"}, Words{"--type", "float32"},
                            Words{"--type", "float32", "--items", "5"}}) {
    CAPTURE(what);
    CHECK(makespan(on(1000, 5, "smpi") + what) == Approx(makespan(on(1000, 5, "simgrid") + what)));
  }
  check_refused(on(8, 2, "smpi") + Words{"--algorithm", "binned", "--items", "3"},
                "need single numbers");
}

TEST_CASE("smpi: every rank may have nothing, or all") {
  for (const auto& [elements, ranks] : {std::pair{1, 1}, {1, 7}, {3, 16}, {100, 1}}) {
    CAPTURE(elements, ranks);
    const auto row = rows_of(cli(on(elements, ranks, "smpi") + Words{"--plan", "direct"})).at(0);
    const auto single = rows_of(cli(on(elements, 1, "smpi") + Words{"--plan", "gather"})).at(0);
    CHECK(row.at("result_bits") == single.at("result_bits"));
  }
}

TEST_CASE("smpi: what theory says of one message and of a shared link") {
  const auto alone = [](const char* option, const char* value) {
    Words words = on(2, 2, "smpi") + Words{"--plan", "direct"};
    for (const char* name : {"--latency", "--overhead", "--gap-per-byte", "--t-add"}) {
      words = words + Words{name, std::string(name) == option ? value : "0"};
    }
    return makespan(words);
  };
  CHECK(alone("", "") == Approx(0).margin(1e-12));
  CHECK(alone("--latency", "3e-6") == Approx(3e-6));
  CHECK(alone("--overhead", "3e-6") == Approx(6e-6));
  // A value of 8 bytes, of which the first is free.
  CHECK(alone("--gap-per-byte", "1e-6") == Approx(7e-6));
  CHECK(alone("--t-add", "3e-6") == Approx(3e-6));
  // Four such messages at the same time, over a link of 1 MB/s.
  CHECK(makespan(on(5, 5, "smpi") + Words{"--plan", "gather", "--latency", "0", "--overhead", "0",
                                          "--gap-per-byte", "0", "--t-add", "0", "--platform",
                                          "backbone:1e6"}) == Approx(28e-6));
}

TEST_CASE("smpi agrees with simgrid on any platform and plan") {
  for (const Words& where :
       {Words{}, Words{"--platform", "backbone:1e9", "--items", "1000"},
        Words{"--platform", "torus:8x8"}, Words{"--platform", "fat-tree:8x8:1x4"},
        Words{"--platform", "dragonfly:4x2x4x2"},
        Words{"--cores", "4", "--placement", "round-robin"},
        Words{"--cores", "4", "--node-latency", "1e-8", "--node-gap-per-byte", "1e-12"},
        Words{"--cores", "4", "--node-latency", "1e-5", "--platform", "torus:4x4"},
        Words{"--late", "exponential:1e-6", "--slow", "some:0.1:2", "--noise", "uniform:0:1"}}) {
    for (const char* plan : {"buffered", "butterfly"}) {
      CAPTURE(where, plan);
      const Words asked = where + Words{"--plan", plan, "--all"};
      const auto real = rows_of(cli(on(30000, 64, "smpi") + asked)).at(0);
      const auto replayed = rows_of(cli(on(30000, 64, "simgrid") + asked)).at(0);
      CHECK(real.at("simulated_messages") == replayed.at("simulated_messages"));
      CHECK(real.at("simulated_seconds").get<double>() ==
            Approx(replayed.at("simulated_seconds").get<double>()).epsilon(0.02));
    }
  }
}

TEST_CASE("smpi refuses what it cannot do") {
  check_refused(on(100, 64, "smpi") + Words{"--platform", "torus:4x4"}, "16 node(s)");
  check_refused(on(100, 4, "smpi") + Words{"--platform", "none.xml"}, "none.xml");
  check_refused(on(100, 4, "smpi") + Words{"--plan", "native"}, "native");
  check_refused(on(100, 4, "smpi") + Words{"--chrome-trace", "x.json"},
                "--chrome-trace requires --engine simgrid or loggops: smpi has no timeline");
}

#endif

}  // namespace smpi_test
