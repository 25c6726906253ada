// SPDX-License-Identifier: MIT

#include "tools/cost/hand_made_run.hpp"

namespace cost_loops_test {

using namespace bracket::testing;
using namespace bracket::testing::cost_runs;

namespace {

/// A machine with the same messages. To add an element takes 0.25 ms, also in a loop, a product
/// 0.75 ms, and a square 0.5 ms. `more` operations; `starts` of the machine and `of_products`.
std::string machine_with_terms(const Scratch& scratch, const std::string& more = "",
                               const std::string& starts = "",
                               const std::string& of_products = "") {
  return make_file(scratch.path() / "m.json",
                   R"({"format": "bracket-machine", "version": 2, "name": "m", "source": "made up",
        "latency_seconds": 1e-3, "overhead_seconds": 0, "gap_seconds": 0,
        "gap_seconds_per_byte": 0, "overhead_seconds_per_byte": 0, "seconds_per_addition": 1,
        "eager_bytes": null,
        "work": {"start_seconds": 0, "seconds_per_join": 5e-4,)" +
                       starts + R"(
                 "folds": [{"elements": 1, "seconds": 2.5e-4}]},
        "operations": [)" +
                       more + R"(
                       {"operation": "accumulate/sum/float64", "seconds_per_join": 5e-4,
                        "folds": [{"elements": 1, "seconds": 2.5e-4}]},
                       {"operation": "products/sum/float64", "seconds_per_join": 5e-4,)" +
                       of_products + R"(
                        "folds": [{"elements": 1, "seconds": 7.5e-4}]},
                       {"operation": "squares/sum/float64", "seconds_per_join": 5e-4,
                        "folds": [{"elements": 1, "seconds": 5e-4}]}]})");
}

Json cost_on(const std::string& machine_file, const std::string& folder, const Words& words) {
  return rows_of(cli(Words{"cost", folder, "--json", "--machine", machine_file} + words)).at(0);
}

}  // namespace

TEST_CASE("cost replaces the loops of a program, too") {
  const auto folder = one_call();
  // A loop over two elements is one addition, as is the fold of two in tree order.
  const auto tree = cost(folder, {"--elements", "4", "--plan", "butterfly"});
  CHECK_THAT(seconds_of(tree.at(0), "butterfly:1024"), is(6.5e-3));
  // Without the loops, ranks begin at 0.5 and 2.5 ms. Folds and joins take 11 additions each: the
  // folds end at 6 and 8 ms, rank 0 gets the other value at 9 ms and ends at 14.5 ms.
  const auto other =
      cost(folder, {"--elements", "4", "--plan", "butterfly", "--algorithm", "double-double"});
  CHECK_THAT(seconds_of(other.at(0), "butterfly:1024"), is(16.5e-3));
  CHECK_THAT(other.at(0).at("library_seconds").get<double>(), is(6.5e-3));
}

TEST_CASE("the sums of a communicator take the terms of loops by turns") {
  Scratch scratch;
  const auto file = machine_with_terms(scratch);
  const auto predicted = [&](const std::string& folder, const std::string& terms) {
    const Words words{"--elements", "4", "--terms", terms, "--plan", "butterfly"};
    return seconds_of(cost_on(file, folder, words), "butterfly:1024");
  };
  const auto two_calls = [](HandMade& run, std::uint32_t second) {
    for (std::size_t k = 0; k < 2; ++k) run.rank(k).communicator({{0, 2}}, 1);
    run.all_reduce({3 * ms, 3 * ms}, 4 * ms, {.input = {1}, .output = {2}});
    run.all_reduce({7 * ms, 7 * ms}, 8 * ms,
                   {.sequence = 1 - second, .input = {1}, .output = {2}, .communicator = second});
    run.end(8 * ms);
    return run.folder();
  };
  HandMade same;
  const auto folder = two_calls(same, 0);
  const double elements = predicted(folder, "elements");
  const double products = predicted(folder, "products");
  // In each call, a fold of two products takes 1 ms longer than the loop, one of squares 0.5 ms.
  CHECK_THAT(products, is(elements + 2e-3));
  CHECK_THAT(predicted(folder, "squares"), is(elements + 1e-3));
  CHECK_THAT(predicted(folder, "elements,products"), is((elements + products) / 2));
  CHECK_THAT(predicted(folder, "elements,elements,products"), is(elements));
  HandMade other;
  CHECK_THAT(predicted(two_calls(other, 1), "elements,products"), is(elements));
}

TEST_CASE("a loop over products has times of its own if the machine knows them") {
  Scratch scratch;
  const auto predicted = [&](const std::string& file, const std::string& terms) {
    return cost_on(file, one_call(), {"--elements", "4", "--terms", terms, "--plan", "butterfly"});
  };
  const Json like_elements = predicted(machine_with_terms(scratch), "products,squares");
  CHECK(like_elements.at("notes").size() == 2);
  CHECK(like_elements.at("notes").at(1) ==
        "the machine has no times of accumulate/squares/sum/float64: the loops have those of "
        "accumulate/sum/float64");
  const Json own = predicted(machine_with_terms(scratch, R"(
      {"operation": "accumulate/products/sum/float64", "seconds_per_join": 5e-4,
       "folds": [{"elements": 1, "seconds": 4e-4}]},)"),
                             "products");
  CHECK(own.at("notes").empty());
  // The loop over two products takes 0.8 ms instead of 0.5 ms.
  CHECK_THAT(seconds_of(own, "butterfly:1024"),
             is(seconds_of(like_elements, "butterfly:1024") - 3e-4));
  CHECK(own.at("library_seconds") == like_elements.at("library_seconds"));
}

TEST_CASE("the library's start is no part of a loop") {
  Scratch scratch;
  const auto row = [&](const std::string& start) {
    return cost_on(machine_with_terms(scratch, "", start), one_call(),
                   {"--elements", "4", "--plan", "butterfly"});
  };
  const Json without = row("");
  const Json with = row(R"("start_library_seconds": 1e-4,)");
  // By a plan, no rank waits for the library.
  CHECK(seconds_of(with, "butterfly:1024") == seconds_of(without, "butterfly:1024"));
  CHECK_THAT(with.at("library_seconds").get<double>(),
             is(without.at("library_seconds").get<double>() + 1e-4));
}

TEST_CASE("neither the library nor a loop starts as late as a reducer") {
  Scratch scratch;
  const auto row = [&](const std::string& starts, const std::string& of_loop) {
    const auto file = machine_with_terms(
        scratch,
        R"({"operation": "accumulate/products/sum/float64", "seconds_per_join": 5e-4, )" + of_loop +
            R"("folds": [{"elements": 1, "seconds": 4e-4}]},)",
        starts);
    return cost_on(file, one_call(),
                   {"--elements", "4", "--terms", "products", "--plan", "butterfly"});
  };
  const std::string later = R"("more_start_seconds": 1e-4, )";
  const Json none = row("", "");
  CHECK(row(later, "").at("library_seconds") == none.at("library_seconds"));
  CHECK(seconds_of(row("", later), "butterfly:1024") == seconds_of(none, "butterfly:1024"));
}

TEST_CASE("a reducer's start in a program is that of its operation") {
  Scratch scratch;
  const auto predicted = [&](const std::string& starts, const std::string& of_products) {
    return seconds_of(cost_on(machine_with_terms(scratch, "", starts, of_products), one_call(),
                              {"--elements", "4", "--terms", "products", "--plan", "butterfly"}),
                      "butterfly:1024");
  };
  const double none = predicted("", "");
  const std::string of_all = R"("start_in_program_seconds": 2e-4,)";
  CHECK_THAT(predicted(of_all, ""), is(none + 2e-4));
  CHECK_THAT(predicted(of_all, R"("more_start_seconds": 1e-4,)"), is(none + 3e-4));
  CHECK_THAT(predicted(of_all, R"("more_start_seconds": 1e-4, "start_in_program_seconds": 5e-4,)"),
             is(none + 5e-4));
  CHECK_THAT(predicted("", R"("more_start_seconds": 1e-4,)"), is(none + 1e-4));
}

TEST_CASE("sums to all ranks and to a root take turns together") {
  Scratch scratch;
  const auto file = machine_with_terms(scratch);
  HandMade run;
  run.all_reduce({3 * ms, 3 * ms}, 4 * ms, {.input = {1}, .output = {2}});
  run.all_reduce({8 * ms, 8 * ms}, 9 * ms,
                 {.sequence = 1, .input = {1}, .call = format::call_reduce, .root = 0});
  run.end(9 * ms);
  const auto folder = run.folder();
  const auto call_seconds = [&](const std::string& terms) {
    const Words words{"--elements", "4", "--terms", terms, "--plan", "butterfly"};
    const Json row = cost_on(file, folder, words);
    CHECK(row.at("terms") == terms);
    CHECK(row.at("loop") == "accumulate");
    CHECK(row.at("loop_elements") == 4);
    return row.at("sizes").at(0).at("call_seconds").get<double>() +
           row.at("sizes").at(1).at("call_seconds").get<double>();
  };
  const double elements = call_seconds("elements");
  const double products = call_seconds("products");
  CHECK_THAT(call_seconds("elements,products") + call_seconds("products,elements"),
             is(elements + products));
  CHECK(call_seconds("elements,products") > elements + 1e-6);
  CHECK(call_seconds("products,elements") > elements + 1e-6);
}

TEST_CASE("a loop takes longer in a gap that is longer than usual, but not in a delay") {
  HandMade run;
  std::uint32_t sequence = 0;
  const auto call = [&](std::int64_t first, std::int64_t second, std::int64_t exit) {
    run.all_reduce({first * ms, second * ms}, exit * ms,
                   {.sequence = sequence++, .input = {1}, .output = {2}});
  };
  // Gaps of 4, 2, 3, 3 and 40 ms on rank 0, of 2, 4, 3, 3 and 3 ms on rank 1.
  call(4, 2, 6);
  call(8, 10, 12);
  call(15, 15, 17);
  call(20, 20, 22);
  call(62, 25, 64);
  run.end(64 * ms);
  const auto folder = run.folder();
  // Loops and folds take 0.5 ms, messages and joins 1.5 ms. In 4 ms, the loop takes 0.5 * 4 / 3 ms.
  const double late = 4e-3 - 0.5e-3 * 4 / 3 + 0.5e-3;
  const Json on_two = cost(folder, {"--elements", "4", "--plan", "butterfly"})[0];
  CHECK_THAT(on_two.at("library_seconds").get<double>(), is(2 * 5.5e-3 + 2 * 4.5e-3 + 41.5e-3));
  CHECK_THAT(seconds_of(on_two, "butterfly:1024"), is(2 * (late + 1.5e-3) + 2 * 4.5e-3 + 41.5e-3));
  CHECK(on_two.at("notes").empty());
  const Json on_four =
      cost(folder, {"--elements", "8", "--plan", "butterfly", "-p", "4", "--scaling", "weak"})[0];
  CHECK_THAT(seconds_of(on_four, "butterfly:1024"), is(2 * (late + 3e-3) + 2 * 6e-3 + 43e-3));
}

TEST_CASE("cost says that there are no sums for --elements") {
  HandMade run;
  run.all_reduce({1 * ms, 1 * ms}, 10 * ms, {.input = {1, 2}, .output = {2, 4}});
  run.end(12 * ms);
  const auto row = cost(run.folder(), {"--plan", "butterfly", "--elements", "1000"})[0];
  CHECK(row.at("notes") ==
        Json{"--elements changes nothing: no recorded reduction is a sum of single "
             "float64 numbers"});
  CHECK(cost(one_call(), {"--plan", "butterfly", "--elements", "2"})[0].at("notes").empty());
}

}  // namespace cost_loops_test
