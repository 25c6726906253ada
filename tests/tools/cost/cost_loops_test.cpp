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
    for (std::size_t k = 0; k < 2; ++k) run.rank(k).communicator({{0, 2}}, {1});
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

TEST_CASE("in a gap of another length than the median, loop and fold take time in proportion") {
  Scratch scratch;
  const auto file = machine_with_terms(scratch);
  struct Gap {
    std::int64_t length;
    double slowdown;
    bool products = true;
    std::uint32_t site = 0;
  };
  // Rank 0 has these gaps, and rank 1, which comes earlier, has gaps of 1 ms.
  const auto record = [](HandMade& run, const std::vector<Gap>& gaps) {
    std::int64_t exit = 0;
    for (std::size_t k = 0; k < gaps.size(); ++k) {
      const std::int64_t late = exit + gaps[k].length * ms;
      run.all_reduce({late, exit + ms}, late + ms,
                     {.sequence = k, .input = {1}, .output = {2}, .site = gaps[k].site});
      exit = late + ms;
    }
    run.end(exit);
  };
  // A loop takes 0.5 ms, a fold of products 1.5 ms, one of elements 0.5 ms, and a join 0.5 ms. Rank
  // 1 gets the last sum of rank 0 after 1 ms, and joins at its usual speed.
  const auto seconds = [](const std::vector<Gap>& gaps) {
    double sum = 1 + 0.5 - 0.5 * gaps.back().slowdown;
    for (const Gap& gap : gaps) {
      sum +=
          static_cast<double>(gap.length) + gap.slowdown * ((gap.products ? 1.5 - 0.5 : 0) + 0.5);
    }
    return sum * 1e-3;
  };
  const auto check = [&](const std::string& terms, const std::vector<Gap>& gaps) {
    const Words words{"--elements", "4", "--terms", terms, "--plan", "butterfly"};
    HandMade run;
    record(run, gaps);
    const Json row = cost_on(file, run.folder(), words);
    CAPTURE(terms, gaps.size(), gaps[2].length);
    CHECK_THAT(seconds_of(row, "butterfly:1024"), is(seconds(gaps)));
  };
  check("products", {{6, 1}, {6, 1}, {6, 1}});
  check("products", {{6, 1}, {6, 1}, {9, 1.5}, {6, 1}, {6, 1}});
  check("products", {{12, 1}, {12, 1}, {9, 0.75}, {12, 1}, {12, 1}});
  // Gaps beyond twice and half the median have other reasons.
  check("products", {{6, 1}, {6, 1}, {12, 2}, {6, 1}, {6, 1}});
  check("products", {{6, 1}, {6, 1}, {13, 1}, {6, 1}, {6, 1}});
  check("products", {{12, 1}, {12, 1}, {6, 0.5}, {12, 1}, {12, 1}});
  check("products", {{14, 1}, {14, 1}, {6, 1}, {14, 1}, {14, 1}});
  // The median is the lower one of two.
  check("products", {{9, 1.5}, {6, 1}, {9, 1.5}, {6, 1}});
  // Each turn and each site has a median of its own.
  check("products,elements",
        {{6, 1}, {10, 1, false}, {6, 1}, {10, 1, false}, {6, 1}, {10, 1, false}});
  check("products", {{6, 1, true, 0}, {10, 1, true, 1}, {6, 1, true, 0}, {10, 1, true, 1}});
}

TEST_CASE("more ranks have the slowdowns of the recorded ones") {
  const auto predicted = [](std::int64_t length) {
    HandMade run;
    std::int64_t exit = 0;
    for (std::uint64_t k = 0; k < 5; ++k) {
      const std::int64_t entry = exit + (k == 2 ? length : 6 * ms);
      exit = entry + 2 * ms;
      run.all_reduce({entry, entry}, exit, {.sequence = k, .input = {1}, .output = {2}});
    }
    run.end(exit);
    const auto row = cost(run.folder(), {"--elements", "8", "--plan", "butterfly", "-p", "4",
                                         "--scaling", "weak"})[0];
    return seconds_of(row, "butterfly:1024") - row.at("library_seconds").get<double>();
  };
  CHECK_THAT(predicted(6 * ms), is(0));
  // Loops and folds take as long, and two joins of 0.5 ms half as long again.
  CHECK_THAT(predicted(9 * ms), is(2 * 0.5 * 0.5e-3));
}

TEST_CASE("loops that are longer than gaps are said, also if all gaps are empty") {
  const auto notes = [](std::int64_t gap) {
    HandMade run;
    std::int64_t exit = 0;
    for (std::uint64_t k = 0; k < 3; ++k) {
      const std::int64_t entry = exit + gap;
      exit = entry + ms;
      run.all_reduce({entry, entry}, exit, {.sequence = k, .input = {1}, .output = {2}});
    }
    run.end(exit);
    return cost(run.folder(), {"--elements", "4", "--plan", "butterfly"})[0].at("notes");
  };
  CHECK(notes(ms).empty());
  const Json too_long{
      "the loop of --elements takes longer than some recorded gaps: it has fewer elements, or is "
      "faster than on this machine; changes are then too high"};
  CHECK(notes(ms / 4) == too_long);
  CHECK(notes(0) == too_long);
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
