// SPDX-License-Identifier: MIT

#include "bracket/support/text.hpp"
#include "tools/cost/hand_made_run.hpp"

namespace cost_command_test {

using namespace bracket::testing;
using namespace bracket::testing::cost_runs;

TEST_CASE("cost replays a reduction with a late rank") {
  const Json row = cost(one_call(), {"--plan", "butterfly,aggregated"}).at(0);
  CHECK_THAT(row.at("recorded_seconds").get<double>(), is(12e-3));
  CHECK_THAT(row.at("reductions_seconds").get<double>(), is(8e-3));
  // Both send when they come: rank 0 ends at max(1, 3 + 1) + 0.5 ms, and 2 ms remain.
  CHECK_THAT(row.at("library_seconds").get<double>(), is(6.5e-3));
  CHECK_THAT(seconds_of(row, "butterfly:1024"), is(6.5e-3));
  // Rank 0 has the sum at 4.5 ms, and rank 1 gets it at 5.5 ms.
  CHECK_THAT(seconds_of(row, "aggregated:2"), is(7.5e-3));
  CHECK_THAT(row.at("plans").at(2).at("change_seconds").get<double>(), is(1e-3));
  CHECK_THAT(row.at("plans").at(2).at("change_percent").get<double>(), is(100.0 / 12));
  const Json& site = row.at("sites").at(0);
  CHECK(site.at("site") == "main+0x0 (app+0x0)");
  CHECK(site.at("calls") == 1);
  CHECK(site.at("input_bytes") == 16);
  CHECK_THAT(site.at("waiting_seconds").get<double>(), is(1e-3));
  CHECK_THAT(site.at("transfer_seconds").get<double>(), is(7e-3));
  CHECK_THAT(site.at("share").get<double>(), is(8.0 / 12));
  const Json& size = row.at("sizes").at(0);
  CHECK(size.at("plan") == "butterfly:1024");
  // Rank 1 comes at 3 ms, and rank 0 ends at 4.5 ms.
  CHECK_THAT(size.at("call_seconds").get<double>(), is(1.5e-3));
}

TEST_CASE("cost replays a run on more ranks") {
  const auto folder = one_call();
  const auto rows = cost(folder, {"-p", "2,4", "--plan", "butterfly"});
  CHECK_THAT(seconds_of(rows.at(0), "butterfly:1024"), is(6.5e-3));
  // Ranks 0 and 2 come at 0.5 ms, the others at 1.5 ms. Rank 0 has the sum of two at 3 ms and that
  // of four at 4.5 ms; 1 ms remains.
  CHECK(rows.at(1).at("ranks") == 4);
  CHECK_THAT(seconds_of(rows.at(1), "butterfly:1024"), is(5.5e-3));
  // With the recorded gaps: 4.5 ms, 6 ms, and 2 ms remain.
  const auto weak = cost(folder, {"-p", "4", "--scaling", "weak", "--plan", "butterfly"});
  CHECK_THAT(seconds_of(weak.at(0), "butterfly:1024"), is(8e-3));
}

TEST_CASE("cost leaves out a plan that takes far longer, unless it is asked for") {
  const auto folder = one_call();
  const auto row_on = [&](const std::string& ranks, const Words& options) {
    return rows_of(cli(Words{"cost", folder, "--json", "-p", ranks} + options)).at(0);
  };
  const auto has_ring = [](const Json& row) {
    return std::any_of(row.at("plans").begin(), row.at("plans").end(),
                       [](const Json& one) { return one.at("plan") == "ring:1024"; });
  };
  CHECK(has_ring(row_on("4", {})));
  bool left_out = false;
  for (const char* const ranks : {"16", "128", "1024"}) {
    CAPTURE(ranks);
    const Json row = row_on(ranks, {});
    const Json ring = row_on(ranks, {"--plan", "ring"});
    REQUIRE(has_ring(ring));
    if (has_ring(row)) {
      CHECK_FALSE(left_out);
      CHECK_THAT(seconds_of(row, "ring:1024"), is(seconds_of(ring, "ring:1024")));
      continue;
    }
    left_out = true;
    CHECK(seconds_of(ring, "ring:1024") > 10 * row.at("library_seconds").get<double>());
    CHECK(row.at("notes") == Json{"ring:1024 with tree is left out: it takes the run more than 10 "
                                  "times as long; --plan ring shows it"});
  }
  CHECK(left_out);
  // If all take far longer, there are rows all the same.
  const Json slow =
      rows_of(cli({"cost", folder, "--json", "--algorithm", "stochastic", "--t-add", "1"})).at(0);
  CHECK(slow.at("plans").size() > 1);
}

TEST_CASE("cost says that no plan suits an algorithm") {
  HandMade run;
  run.all_reduce({1 * ms, 1 * ms}, 2 * ms, {.input = {1, 2}, .output = {2, 4}});
  run.end(5 * ms);
  const auto folder = run.folder();
  const Json row = cost(folder, {"--algorithm", "tree,binned", "--plan", "direct"}).at(0);
  CHECK(row.at("plans").size() == 2);
  CHECK_THAT(row.at("notes").dump(), Catch::Contains("no plan with binned suits: direct with "));
  check_refused(Words{"cost", folder, "--algorithm", "binned", "--plan", "direct"},
                "no plan suits the reductions: direct with binned");
}

TEST_CASE("the recorder's time is taken from later gaps if it is longer than a gap") {
  HandMade run;
  run.all_reduce({1 * ms, 1 * ms}, 2 * ms, {.input = {1}, .output = {2}, .recording = 1'500'000});
  run.end(4 * ms);
  const Json row = cost(run.folder(), {"--plan", "butterfly"}).at(0);
  CHECK_THAT(row.at("recorder_seconds").get<double>(), is(1.5e-3));
  CHECK(row.at("notes").empty());
  // A message and an addition take 1.5 ms, and 1.5 ms of the last gap remain.
  CHECK_THAT(row.at("library_seconds").get<double>(), is(3e-3));
}

TEST_CASE(
    "cost says that threads reduce at the same time, and whether the recorder's time is known") {
  HandMade run;
  run.all_reduce({1 * ms, 1 * ms}, 2 * ms,
                 {.input = {1}, .output = {2}, .recording = 4'000'000'000});
  run.end(3 * ms);
  const Json row = cost(run.folder(), {"--plan", "butterfly"}).at(0);
  CHECK_THAT(row.at("recorder_seconds").get<double>(), is(2e-3));
  CHECK(row.at("notes") ==
        Json{"the recorder took more time than a rank had between its reductions: the file is "
             "wrong, or threads call MPI at the same time"});
  HandMade overlapping;
  for (std::size_t k = 0; k < 2; ++k) overlapping.rank(k).communicator({{0, 2}}, {0});
  overlapping.all_reduce({1 * ms, 1 * ms}, 4 * ms, {.input = {1}, .output = {2}});
  overlapping.all_reduce({2 * ms, 5 * ms}, 6 * ms,
                         {.input = {1}, .output = {2}, .communicator = 1});
  overlapping.end(7 * ms);
  CHECK(cost(overlapping.folder(), {"--plan", "butterfly"}).at(0).at("notes") ==
        Json{"on 1 rank, a reduction began before the one before it had ended: threads call MPI "
             "at the same time, which cost does not replay, so predictions are wrong"});
  CHECK_FALSE(cost(one_call(), {"--plan", "butterfly"}).at(0).contains("recorder_seconds"));
}

TEST_CASE("the recorder's time is in no predicted run") {
  HandMade run;
  run.all_reduce({1 * ms, 3 * ms}, 4 * ms, {.input = {1}, .output = {2}, .recording = 500'000});
  // A scan stays as it is.
  run.all_reduce({5 * ms, 5 * ms}, 5 * ms,
                 {.sequence = 1, .input = {1}, .call = format::call_scan, .recording = 1'000'000});
  run.all_reduce({8 * ms, 8 * ms}, 9 * ms,
                 {.sequence = 2, .input = {1}, .output = {2}, .recording = 1'000'000});
  run.end(10 * ms);
  const Json row = cost(run.folder(), {"--plan", "butterfly,aggregated"}).at(0);
  CHECK_THAT(row.at("recorded_seconds").get<double>(), is(10e-3));
  CHECK_THAT(row.at("recorder_seconds").get<double>(), is(2.5e-3));
  // Rank 0 ends the first call at max(0.5, 2.5 + 1) + 0.5 ms, rank 1 at 3 ms. Their gaps of 4 ms
  // have 2 ms of the recorder: they go on at 6 and 5 ms. Rank 1 gets the other value at 7 ms
  // and adds it; 1 ms remains.
  CHECK_THAT(seconds_of(row, "butterfly:1024"), is(8.5e-3));
  const Json& aggregated = row.at("plans").at(2);
  CHECK_THAT(aggregated.at("change_percent").get<double>(),
             is(100 * aggregated.at("change_seconds").get<double>() / 7.5e-3));
}

TEST_CASE("cost chooses a plan for each size, and leaves other reductions as recorded") {
  HandMade run;
  run.all_reduce({1 * ms, 1 * ms}, 2 * ms, {.sequence = 0, .input = {1}, .output = {2}});
  run.all_reduce({3 * ms, 3 * ms}, 4 * ms,
                 {.sequence = 1,
                  .input = {1},
                  .output = {2},
                  .site = 1,
                  .call = format::call_reduce,
                  .root = 1});
  run.all_reduce({5 * ms, 5 * ms}, 6 * ms,
                 {.sequence = 2, .input = {1}, .output = {2}, .call = format::call_scan});
  // Ranks that disagree about the number of items.
  run.rank(0).reduction({.sequence = 3, .input = {1}, .entry = 7 * ms, .completed = 8 * ms});
  run.rank(1).reduction({.sequence = 3, .input = {1, 2}, .entry = 7 * ms, .completed = 8 * ms});
  run.end(9 * ms);
  const auto folder = run.folder();
  const Json row = cost(folder, {"--plan", "butterfly,binomial"}).at(0);
  CHECK(row.at("sites").size() == 2);
  CHECK(row.at("sizes").size() == 2);
  CHECK(row.at("sizes").at(1).at("collective") == "reduce");
  CHECK(row.at("sizes").at(1).at("root") == 1);
  CHECK(row.at("notes") == Json{"1 reduction not replaced: different on its ranks",
                                "1 reduction not replaced: neither MPI_Allreduce nor MPI_Reduce"});
  // All-reduce: 1.5 ms by butterfly, 2.5 ms by binomial. Reduce: rank 1 has the sum after 1.5 ms by
  // both; rank 0 has sent at once by binomial. The gaps of 1 ms, 1 ms and 5 ms stay.
  CHECK_THAT(seconds_of(row, "cheapest"), is(10e-3));
  CHECK_THAT(row.at("library_seconds").get<double>(), is(10e-3));
}

TEST_CASE("cost says why the shortest calls do not make the shortest run") {
  HandMade run(4);
  run.all_reduce({1 * ms, 1 * ms, 1 * ms, 1 * ms}, 10 * ms, {.input = {1}, .output = {4}});
  run.rank(0).end(110 * ms);
  for (std::size_t rank = 1; rank < 4; ++rank) run.rank(rank).end(11 * ms);
  const std::string folder = run.folder();
  const auto row = cost(folder, {"--plan", "butterfly,aggregated:4"})[0];
  // Two rounds of a message and an addition, against one message, three additions and, for the
  // other ranks alone, a second message. Rank 0 ends last.
  CHECK_THAT(seconds_of(row, "butterfly:1024"), is(0.104));
  CHECK_THAT(seconds_of(row, "aggregated:4"), is(0.1035));
  CHECK(row.at("sizes")[0].at("plan") == "butterfly:1024");
  REQUIRE(row.at("notes").size() == 1);
  CHECK_THAT(row.at("notes")[0].get<std::string>(),
             Catch::StartsWith("the run is shortest with aggregated:4 and tree, although"));
  CHECK(cost(folder, {"--plan", "butterfly"})[0].at("notes").empty());
}

TEST_CASE("cost shows at most so many call sites, in rows as well") {
  HandMade run;
  run.all_reduce({1 * ms, 1 * ms}, 2 * ms, {.sequence = 0, .input = {1}, .output = {2}});
  run.all_reduce({3 * ms, 3 * ms}, 4 * ms, {.sequence = 1, .input = {1}, .output = {2}, .site = 1});
  run.end(12 * ms);
  const std::string folder = run.folder();
  CHECK(cost(folder, {})[0].at("sites").size() == 2);
  CHECK(cost(folder, {"--most", "1"})[0].at("sites").size() == 1);
}

TEST_CASE("cost says that there is nothing to replace") {
  HandMade run;
  run.end(12 * ms);
  const Json row = cost(run.folder(), {}).at(0);
  CHECK(row.at("notes") == Json{"no reduction of the run can be replaced, so no plan changes it"});
}

TEST_CASE("cost reads a trace that is cut") {
  HandMade run;
  run.all_reduce({1 * ms, 3 * ms}, 10 * ms, {.input = {1}, .output = {2}});
  run.rank(0).reduction({.sequence = 1, .input = {1}, .entry = 11 * ms, .completed = 12 * ms});
  run.rank(0).end(14 * ms);
  const Json row = cost(run.folder(), {"--plan", "butterfly"}).at(0);
  CHECK(row.at("notes") == Json{"1 reduction not replaced: not recorded on all ranks",
                                "the file of rank 1 is cut: its last calls are missing"});
  CHECK_THAT(row.at("recorded_seconds").get<double>(), is(14e-3));
  // Rank 0 ends 4 ms after its call, which ends at 4.5 ms.
  CHECK_THAT(seconds_of(row, "butterfly:1024"), is(8.5e-3));
}

TEST_CASE("smaller communicators stay, one for each block of the recorded ranks") {
  HandMade run(2);
  for (std::size_t k = 0; k < 2; ++k) run.rank(k).communicator({{static_cast<int>(k), 1}});
  run.rank(1).reduction({.input = {1}, .communicator = 1, .entry = 2 * ms, .completed = 3 * ms});
  run.end(5 * ms);
  const auto folder = run.folder();
  // A reduction on one rank takes no time.
  const auto row = cost(folder, {"-p", "4", "--scaling", "weak", "--plan", "butterfly"}).at(0);
  CHECK(row.at("sizes").at(0).at("ranks") == 1);
  CHECK(row.at("sizes").at(0).at("calls") == 2);
  CHECK_THAT(seconds_of(row, "butterfly:1024"), is(5e-3));
  check_refused({"cost", folder, "-p", "3"},
                "-p 3: a multiple of the recorded 2 ranks was expected");
}

TEST_CASE("cost takes the library's algorithm from a schedule") {
  Scratch scratch;
  const auto file = (scratch.path() / "library.json").string();
  REQUIRE(cli({"verify", "-N", "2", "-p", "2", "--all", "--order", "associative", "--plan",
               "aggregated", "-o", file})
              .code == 0);
  const auto folder = one_call();
  const auto row = cost(folder, {"--library", file, "--plan", "butterfly"}).at(0);
  CHECK_THAT(row.at("library_seconds").get<double>(), is(7.5e-3));
  REQUIRE(cli({"verify", "-N", "4", "-p", "2", "--all", "-o", file}).code == 0);
  check_refused({"cost", folder, "--library", file}, "4 elements on 2 ranks");
}

TEST_CASE("cost says where no file of --library suits a reduction, and which file suits none") {
  const Scratch scratch;
  // `reveal` writes such a schedule of an order that no plan with frontiers has.
  const auto file = (scratch.path() / "library.json").string();
  REQUIRE(
      cli({"verify", "-N", "2", "-p", "2", "--order", "explicit:0", "--plan", "direct", "-o", file})
          .code == 0);
  HandMade run;
  const Written reduce{.input = {1}, .output = {2}, .call = format::call_reduce, .root = 0};
  run.all_reduce({1 * ms, 1 * ms}, 2 * ms, reduce);
  Written longer = reduce;
  longer.sequence = 1;
  longer.input = longer.output = {1, 2, 3};
  run.all_reduce({3 * ms, 3 * ms}, 4 * ms, longer);
  run.end(5 * ms);
  const Words arguments{"--library", file, "--plan", "binomial"};
  const Json row = cost(run.folder(), arguments).at(0);
  CHECK(row.at("notes") == Json{"no file of --library suits the reductions of 1 size: they have "
                                "the messages of butterfly or binomial"});
  const Json other = cost(one_call(), arguments).at(0);
  CHECK(other.at("notes") == Json{"no file of --library suits the reductions of 1 size: they have "
                                  "the messages of butterfly or binomial",
                                  "--library " + file + ": suits no reduction that is replaced"});
}

TEST_CASE("the library's all-reduce and Bracket's runs have starts of their own") {
  Scratch scratch;
  const auto row_for = [&](const std::string& folder, const std::string& starts,
                           const std::string& messages = "") {
    const auto file =
        make_file(scratch.path() / "m.json",
                  R"({"format": "bracket-machine", "version": 2, "name": "m", "source": "made up",
        "latency_seconds": 1e-3, "overhead_seconds": 0, "gap_seconds": 0,
        "gap_seconds_per_byte": 0, "overhead_seconds_per_byte": 0, "seconds_per_addition": 1,
        "eager_bytes": null, )" +
                      messages + R"("work": {)" + starts +
                      R"(, "seconds_per_join": 5e-4, "folds": [{"elements": 1, "seconds": 0}]}})");
    return rows_of(cli({"cost", folder, "--json", "--machine", file, "--plan", "butterfly"})).at(0);
  };
  // Rank 0 gets the value of rank 1 at 3 + 1 + 1 ms, or at 3 + 3 + 1 ms. Then 0.5 and 2 ms remain.
  const Json row = row_for(one_call(), R"("start_seconds": 3e-3, "start_library_seconds": 1e-3)");
  CHECK_THAT(row.at("library_seconds").get<double>(), is(7.5e-3));
  CHECK_THAT(seconds_of(row, "butterfly:1024"), is(9.5e-3));
  // The library's messages may take 2 ms and those of a plan 1 ms.
  const auto messages = [](const char* key, const char* round_trip) {
    return bracket::text('"', key, R"(": [{"bytes": 8, "send_overhead_seconds": 1e-4,
                "receive_overhead_seconds": 1e-4, "gap_seconds": 1e-4, "round_trip_seconds": )",
                         round_trip, "}],");
  };
  const Json two = row_for(one_call(), R"("start_seconds": 3e-3, "start_library_seconds": 1e-3)",
                           messages("messages", "2e-3") + messages("library_messages", "4e-3"));
  CHECK_THAT(two.at("library_seconds").get<double>(), is(8.5e-3));
  CHECK_THAT(seconds_of(two, "butterfly:1024"), is(9.5e-3));
  // Not after a barrier.
  const Json other = row_for(
      one_call(),
      R"("start_seconds": 3e-3, "start_in_program_seconds": 2e-3, "start_library_seconds": 1e-3)");
  CHECK_THAT(other.at("library_seconds").get<double>(), is(7.5e-3));
  CHECK_THAT(seconds_of(other, "butterfly:1024"), is(8.5e-3));
  // The start of a reduce is shorter by as much, but not below 0.
  HandMade run;
  run.all_reduce({1 * ms, 3 * ms}, 10 * ms,
                 {.input = {1}, .output = {2}, .call = format::call_reduce, .root = 0});
  run.end(12 * ms);
  const auto reduced_with = [&](const std::string& start_reduce) {
    return seconds_of(
        row_for(run.folder(), R"("start_seconds": 3e-3, "start_in_program_seconds": 2e-3,
                               "start_library_seconds": 1e-3, "start_reduce_seconds": )" +
                                  start_reduce),
        "butterfly:1024");
  };
  CHECK_THAT(reduced_with("4e-3"), is(9.5e-3));
  CHECK_THAT(reduced_with("1e-3"), is(6.5e-3));
  CHECK_THAT(reduced_with("5e-4"), is(6.5e-3));
}

TEST_CASE("cost refuses what it cannot replay") {
  const auto folder = one_call();
  check_refused({"cost", folder + "/none"}, "no folder of `bracket record -o`");
  check_refused({"cost", folder, "-p", "1"}, "-p 1: the run was recorded on 2 ranks");
  check_refused({"cost", folder, "-p", "1000000000"}, "can be replayed on at most");
  check_refused({"cost", folder, "--plan", "none"}, "unknown plan 'none'");
  check_refused({"cost", folder, "--plan", "native"}, "native");
  check_refused({"cost", folder, "--algorithm", "none"}, "none");
  check_refused({"cost", folder, "--algorithm", "tree,pre-rounded"},
                "pre-rounded has two reductions in place of one");
  check_refused({"cost", folder, "-p", "2", "--scaling", "both"}, "unknown scaling 'both'");
  check_refused({"cost", folder, "--elements", "4", "--loop", "none"}, "unknown loop 'none'");
  check_refused({"cost", folder, "--terms", "squares"}, "--elements");
  check_refused({"cost", folder, "--elements", "4", "--terms", "cubes"},
                "--terms: unknown terms 'cubes'; known: elements, products, squares");
}

}  // namespace cost_command_test
