// SPDX-License-Identifier: MIT

#include <cmath>
#include <cstring>

#include "bracket/model/json.hpp"
#include "bracket/model/verify.hpp"
#include "support/catch.hpp"
#include "tools/cli.hpp"

namespace reveal_command_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

/// Runs `reveal` on `ranks` ranks whose MPI_Allreduce has a planted fault.
Outcome with_fault(const std::string& fault, int ranks, const Words& arguments) {
  return run_process(Words{BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, std::to_string(ranks),
                           "env", "PLANTED=" + fault, "LD_PRELOAD=" BRACKET_PLANTED_ORDER,
                           BRACKET_FRONT, "reveal", "--json"} +
                         arguments,
                     with_mpi({}));
}

std::vector<std::string> list_of(const Json& row, const char* key) {
  return row.at(key).get<std::vector<std::string>>();
}

}  // namespace

TEST_CASE("reveal: the order of a library is written and taken by other commands") {
  const Scratch scratch;
  const std::string order = (scratch.path() / "order.json").string();
  const std::string schedule = (scratch.path() / "schedule.json").string();
  const std::string tree = (scratch.path() / "tree.dot").string();
  const auto rows = rows_of(cli_on(3, {"reveal", "--items", "1,5", "--json", "--order", order,
                                       "--schedule", schedule, "--tree", tree}));
  REQUIRE(rows.size() == 2);
  for (const Json& row : rows) {
    CHECK(row.at("ranks") == 3);
    CHECK(row.at("probes") >= 4);  // two searches of at least 2 probes
    CHECK(row.at("library_calls") == row.at("probes").get<int>() + 20);
    for (const auto& what : list_of(row, "varies")) CHECK((what == "item" || what == "size"));
    // Three numbers are added in one of three orders.
    const auto words = row.at("tree").get<std::string>();
    CHECK((words == "((0+1)+2)" || words == "(0+(1+2))" || words == "((0+2)+1)"));
  }
  CHECK_THAT(content_of(tree), Contains("digraph"));
  // Of one item alone, no library changes the order of two ranks.
  CHECK_THAT(cli_on(2, {"reveal"}).out, Contains("; all 22 calls agree"));
  // One search alone is compared with nothing.
  CHECK_THAT(cli_on(2, {"reveal", "--searches", "1", "--checks", "0"}).out,
             Contains("; seen in 1 call\n"));
  const auto verified = cli({"verify", schedule, "--json"});
  CHECK(rows_of(verified)[0].at("ok") == true);
  CHECK(rows_of(cli({"simulate", "--schedule", schedule, "--engine", "loggops", "--json"}))
            .at(0)
            .at("simulated_seconds") > 0);
  // 1 + 2^53 rounds to 2^53: the sum tells the order.
  const bracket::RankedOrder read = bracket::read_ranked_order(order);
  CHECK(describe(read) == rows[0].at("tree"));
  const double large = 0x1p53;
  const std::string elements = (scratch.path() / "elements.f64").string();
  const std::vector<double> numbers{1, 1, large};
  std::string bytes(24, '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  make_file(elements, bytes);
  const auto ran = rows_of(
      cli_on(2, {"run", elements, "--all", "--json", "--order", order, "--repetitions", "1"}));
  const bool right_first = read.order.spec() == "explicit:0:1";
  CHECK(ran.at(0).at("result") == (right_first ? large : large + 2));
}

TEST_CASE("reveal: an order that depends on the item, the run or the rank is noticed") {
  const auto by_item = rows_of(with_fault("item", 3, {"--items", "4"}));
  CHECK(list_of(by_item.at(0), "varies") == Words{"item"});
  CHECK(by_item[0].at("algorithm") == "ring");
  CHECK(by_item[0].at("preloaded") == BRACKET_PLANTED_ORDER);
  const auto refused = with_fault("item", 3, {"--algorithms", "all"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains(BRACKET_PLANTED_ORDER " is preloaded and gets the calls"));
  const Json trees{{{"items", "0, 3"}, {"tree", "((0+1)+2)"}},
                   {{"items", "1"}, {"tree", "(0+(1+2))"}},
                   {{"items", "2"}, {"tree", "((0+2)+1)"}}};
  CHECK(by_item[0].at("trees") == trees);
  const Scratch scratch;
  const Words written{"--items", "4", "--order", (scratch.path() / "order.json").string()};
  const auto note = Contains("the file has that of item 0: --item chooses another");
  CHECK_THAT(with_fault("item", 3, written).err, note);
  CHECK_THAT(with_fault("item", 3, written + Words{"--item", "1"}).err, !note);
  const auto by_run = rows_of(with_fault("run", 3, {}));
  CHECK(list_of(by_run.at(0), "varies") == Words{"run"});
  // An order that changes between calls shows nothing of sizes and items.
  for (const auto& row : rows_of(with_fault("run", 3, {"--items", "1,4"}))) {
    CHECK(list_of(row, "varies") == Words{"run"});
  }
  CHECK(by_run[0].at("tree").is_null());
  CHECK(by_run[0].at("algorithm").is_null());
  const auto by_rank = rows_of(with_fault("rank", 3, {}));
  CHECK(list_of(by_rank.at(0), "varies") == Words{"rank"});
}

TEST_CASE("reveal: each collective has an order") {
  const auto rows = rows_of(cli_on(3, {"reveal", "--collective", "scan", "--json"}));
  CHECK(rows.at(0).at("collective") == "scan");
  CHECK(rows[0].at("tree").is_string());
  const auto scattered =
      rows_of(cli_on(2, {"reveal", "--collective", "reduce-scatter", "--items", "5", "--json"}));
  CHECK(scattered.at(0).at("tree") == "(0+1)");
  const auto reduced = rows_of(
      cli_on(2, {"reveal", "--collective", "reduce", "--root", "1", "--items", "2", "--json"}));
  CHECK(reduced.at(0).at("tree") == "(0+1)");
  CHECK(reduced[0].at("root") == 1);
}

TEST_CASE("reveal: what makes no sense is refused") {
  check_refused({"reveal", "--collective", "sum"}, "--collective sum: all-reduce, reduce,");
  check_refused({"reveal", "--root", "1"}, "--root 1 is no rank");
  check_refused({"reveal", "--items", "0"}, "0");
  check_refused({"reveal", "--items", "3", "--item", "3"}, "has the items 0 to 2");
  check_refused({"reveal", "--searches", "4294967297"}, "--searches 4294967297: at most 1000000");
  check_refused({"reveal", "--checks", "4294967296"}, "--checks 4294967296: at most 1000000");
  check_refused({"reveal", "--tree", "tree.svg"}, "must end in .dot");
  // The order is printed before the error.
  const auto found = cli({"reveal", "--schedule", "x.json"});
  CHECK(found.code == 2);
  CHECK_THAT(found.err, Contains("no algorithm with a schedule"));
  CHECK_THAT(found.out, Contains("one rank"));
}

}  // namespace reveal_command_mpi_test
