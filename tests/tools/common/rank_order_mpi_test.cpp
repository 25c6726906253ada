// SPDX-License-Identifier: MIT

#include "bracket/model/json.hpp"
#include "tools/cli.hpp"

namespace rank_order_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words ten_on_four{"-N", "10", "-p", "4", "--distribution", "counts:1:2:3:4"};
const Words turned{"--rank-order", "ranks:2:0:3:1"};

/// Schedule that `verify` writes.
Json written(const Scratch& scratch, const Words& asked) {
  const auto file = (scratch.path() / "s.json").string();
  REQUIRE(cli(Words{"verify", "-o", file} + asked).code == 0);
  return Json::parse(content_of(file));
}

}  // namespace

TEST_CASE("a schedule in another rank order is proven, written and proven again") {
  const Scratch scratch;
  const auto file = (scratch.path() / "s.json").string();
  for (const auto* plan : {"direct", "buffered", "aggregated", "binomial", "gather"}) {
    CAPTURE(plan);
    const auto schedule = written(scratch, ten_on_four + turned + Words{"--plan", plan});
    CHECK(schedule.at("boundaries") == Json{0, 1, 3, 6, 10});
    CHECK(schedule.at("rank_order") == Json{2, 0, 3, 1});
    CHECK(rows_of(cli({"verify", "--json", file})).at(0).at("digest_matches") == true);
  }
  // Rank 0 holds [1, 3); its first step folds the first of the two elements.
  const auto direct = written(scratch, ten_on_four + turned + Words{"--plan", "direct"});
  CHECK(direct.at("parts").at(0).at(0).at("fold") == Json{1, 2});
  CHECK_FALSE(written(scratch, ten_on_four).contains("rank_order"));
  CHECK_FALSE(
      written(scratch, ten_on_four + Words{"--rank-order", "identity"}).contains("rank_order"));
}

TEST_CASE("count says the rank order that was asked for") {
  const auto rows = rows_of(cli(Words{"count", "--json", "--plan", "direct"} + ten_on_four +
                                Words{"--rank-order", "reversed", "--root", "3"}));
  CHECK(rows.at(0).at("rank_order") == "reversed");
  // The root holds element 0.
  CHECK(rows.at(0).at("messages") == rows.at(0).at("direct_messages"));
  CHECK_FALSE(rows_of(cli(Words{"count", "--json"} + ten_on_four)).at(0).contains("rank_order"));
  const auto text = cli(Words{"count"} + ten_on_four + Words{"--rank-order", "reversed"});
  CHECK_THAT(text.out, Contains("rank order") && Contains("reversed"));
}

TEST_CASE("tune writes the rank order for others to read") {
  const Scratch scratch;
  const auto file = (scratch.path() / "d.json").string();
  const Words size{"-N", "100", "-p", "3"};
  REQUIRE(cli(Words{"tune", "-o", file} + turned + Words{"-N", "100", "-p", "4"}).code == 0);
  CHECK(Json::parse(content_of(file)).at("rank_order") == Json{2, 0, 3, 1});
  const Words from_file{"-N", "100", "-p", "4", "--distribution", file};
  CHECK(written(scratch, from_file).at("rank_order") == Json{2, 0, 3, 1});
  const Words reversed{"--rank-order", "reversed"};
  CHECK(written(scratch, from_file + reversed).at("rank_order") == Json{3, 2, 1, 0});
  REQUIRE(cli(Words{"tune", "-o", file} + size).code == 0);
  CHECK_FALSE(Json::parse(content_of(file)).contains("rank_order"));
}

TEST_CASE("draw puts the elements on the rank that holds them") {
  const auto tree = cli(Words{"draw"} + ten_on_four + turned);
  CHECK(tree.code == 0);
  CHECK_THAT(tree.out, Contains("\"rank 2\\n[0,1)\"") && Contains("\"rank 1\\n[6,10)\""));
  const auto schedule = cli(Words{"draw", "--plan", "direct"} + ten_on_four + turned);
  CHECK_THAT(schedule.out, Contains("\"rank 0\\n[1,3)\"") && Contains("\"rank 3\\n[3,6)\""));
}

TEST_CASE("a rank order that cannot be is refused with what would be right") {
  const Scratch scratch;
  const auto output = (scratch.path() / "d.json").string();
  const Words size{"-N", "10", "-p", "3"};
  for (const auto& command : {Words{"count"}, Words{"verify"}, Words{"draw"},
                              Words{"tune", "-o", output}, Words{"compare", "--predict"}
#if BRACKET_HAS_SIMGRID
                              ,
                              Words{"simulate"}
#endif
       }) {
    const auto refused = [&](const std::string& rank_order, const std::string& what) {
      check_refused(command + size + Words{"--rank-order", rank_order}, what);
    };
    refused("sideways", "known: identity, reversed, random[:seed], ranks:r0:r1:...");
    refused("", "a name was expected");
    refused("ranks:0:1", "each of the ranks 0 to 2 once, not 2 ranks");
    refused("ranks:0:1:3", "they are 0 to 2");
    refused("ranks:0:1:1", "not rank 1 at positions 1 and 2");
    refused("random:x", "seed");
  }
  CHECK(names_in(scratch.path()).empty());
  // A file of `reveal` is for one number of ranks, also if they are in their sequence.
  const bracket::RankedOrder five{bracket::make_order("explicit:0:1:2:3", 5), {0, 1, 2, 3, 4}};
  const auto file = make_file(scratch.path() / "five.json", bracket::to_json(five).dump() + '\n');
  check_refused({"verify", "-N", "5", "-p", "4", "--order", file, "--rank-order", file},
                "rank 4 at position 4 for p = 4 ranks: they are 0 to 3");
  const auto taken = rows_of(
      cli({"verify", "-N", "5", "-p", "5", "--order", file, "--rank-order", file, "--json"}));
  CHECK(taken.at(0).at("ok") == true);
  CHECK_FALSE(taken[0].contains("rank_order"));
#if BRACKET_HAS_MPI
  check_refused({"run", "--synthetic", "9", "--rank-order", "ranks:1"}, "they are 0 to 0");
#endif
}

#if BRACKET_HAS_SIMGRID
TEST_CASE("simulate takes any rank order") {
  const auto makespan = [](const std::string& rank_order) {
    const auto rows = rows_of(cli(Words{"simulate", "--json", "--plan", "direct", "--all"} +
                                  ten_on_four + Words{"--rank-order", rank_order}));
    CHECK(rows.at(0).value("rank_order", "identity") == rank_order);
    CHECK(rows.at(0).at("simulated_messages") == rows.at(0).at("messages"));
    return rows.at(0).at("simulated_seconds").get<double>();
  };
  // On the built-in cluster all ranks are alike. Only the partners of the broadcast may change, but
  // not if every rank is shifted by one.
  CHECK(makespan("ranks:1:2:3:0") == Catch::Approx(makespan("identity")));
}
#endif

#if BRACKET_HAS_MPI

TEST_CASE("run gives the same bits in any rank order") {
  const auto sum_of = [](const Words& asked) {
    const Words run{"run", "--json", "--repetitions", "1", "--warm-up", "0", "--synthetic", "999"};
    const auto rows = rows_of(cli_on(4, run + Words{"--plan", "direct,aggregated,gather"} + asked));
    REQUIRE(rows.size() == 3);
    for (const auto& row : rows) CHECK(row.at("result_bits") == rows[0].at("result_bits"));
    return rows[0];
  };
  const auto plain = sum_of({});
  CHECK_FALSE(plain.contains("rank_order"));
  for (const auto* rank_order : {"reversed", "random:7", "ranks:2:0:3:1"}) {
    const auto row = sum_of({"--rank-order", rank_order});
    CHECK(row.at("result_bits") == plain.at("result_bits"));
    CHECK(row.at("rank_order") == rank_order);
  }
}

TEST_CASE("compare measures in the rank order asked for, and takes only what was measured in it") {
  const Scratch scratch;
  const Words size{"-N", "100", "-p", "2", "--plan", "direct", "--distribution", "upper"};
  const Words reversed{"--rank-order", "reversed"};
  const auto measured = rows_of(
      cli(Words{"compare", "--json", "--oversubscribe", "--repetitions", "1"} + size + reversed));
  CHECK_FALSE(measured.at(1).contains("plan"));
  CHECK(measured[0].at("rank_order") == "reversed");
  CHECK(measured[0].contains("measured_seconds"));
  CHECK(measured[0].contains("simgrid_seconds") == BRACKET_HAS_SIMGRID);
  const auto file = make_file(scratch.path() / "there.json", measured[0].dump() + "\n");
  const Words from_there{"compare", "--json", "--measured", file};
  CHECK(rows_of(cli(from_there + size + reversed)).at(0).at("measured_seconds") ==
        measured[0].at("measured_seconds"));
  check_refused(from_there + size, "no row is for N = 100");
}

#endif

}  // namespace rank_order_mpi_test
