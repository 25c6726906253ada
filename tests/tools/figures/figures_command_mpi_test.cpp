// SPDX-License-Identifier: MIT

#include <map>
#include <set>

#include "tools/cli.hpp"

namespace figures_command_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

/// The rows of some figures, by quantity.
std::map<std::string, Json> rows_by_quantity(const Words& only, const Words& more = {}) {
  Words words{"figures", "--quick", "--json", "--only"};
  std::string names;
  for (const auto& name : only) names += (names.empty() ? "" : ",") + name;
  std::map<std::string, Json> rows;
  for (auto& row : rows_of(cli(words + Words{names} + more))) {
    const auto quantity = row.at("quantity").get<std::string>();
    rows[quantity] = std::move(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("figures gives the numbers that the thesis prints") {
  if (!BRACKET_HAS_SIMGRID) return;
  const auto rows = rows_by_quantity({"thesis-table-3.1", "thesis-table-3.2", "thesis-table-3.3"});
  const std::map<std::string, double> printed{{"messages, lower", 1640},
                                              {"score in µs, lower", 469.0},
                                              {"messages, upper", 1401},
                                              {"score in µs, upper", 401.9},
                                              {"messages, power2", 256},
                                              {"score in µs, power2", 1083.4},
                                              {"messages, optimized-shares:0.2", 621},
                                              {"score in µs, optimized-shares:0.2", 184.5}};
  for (const auto& [quantity, number] : printed) {
    CAPTURE(quantity);
    const Json& row = rows.at(quantity);
    CHECK(row.at("printed") == number);
    CHECK(row.at("regenerated") == number);
    CHECK(row.at("difference") == 0);
    CHECK_FALSE(row.contains("reason"));
  }
}

TEST_CASE("figures gives the extremes of the thesis's figure 2.3 by its formulas") {
  const auto rows = rows_by_quantity({"thesis-figure-2.3"});
  // p - 1 = 255 for N = 256 and N = 2^4 · 256; (p - 1)(4 + 1) for one element more (equation 2.4).
  CHECK(rows.at("messages, lower, N = 256").at("regenerated") == 255);
  CHECK(rows.at("messages, lower, N = 4096").at("regenerated") == 255);
  CHECK(rows.at("messages, lower, N = 4097").at("regenerated") == 1275);
}

TEST_CASE("figures says why a number of table 1 of Rabenseifner and Traeff differs") {
  if (!BRACKET_HAS_SIMGRID) return;
  const auto rows = rows_by_quantity({"rabenseifner-traeff-table-1"});
  // Two rounds of alpha, each with beta m = alpha and gamma m = alpha / 10.
  CHECK(rows.at("p = 3, M, ring, latency-opt.").at("regenerated") == 4.2);
  // 2 · 2 rounds, beta m · 2 (1.5 - 1/2), gamma m (1.5 - 1/2).
  CHECK(rows.at("p = 3, M, elimination, bandwidth-opt.").at("regenerated") == 6.1);
  const Json& hidden = rows.at("p = 3, M, elimination, latency-opt.");
  CHECK(hidden.at("printed") == 6.2);
  CHECK(hidden.at("regenerated") == 6.1);
  CHECK_THAT(hidden.at("reason").get<std::string>(), Contains("hides an addition"));
  CHECK(rows.size() == 24);
}

TEST_CASE("figures subtracts the loop that is in the thesis's published times") {
  if (!BRACKET_HAS_MPI || !BRACKET_HAS_SIMGRID) return;
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path() / "published");
  make_file(scratch.path() / "published/thesis_p256.csv",
            "elements,ranks,accumulate_allreduce_us,tree_us,reproblas_us\r\n"
            "256000,256,14.15,24.15,9.15\r\n");
  const Words data{"--data", scratch.path().string()};
  const auto rows = rows_by_quantity({"thesis-figure-4.2"}, data + Words{"-p", "1"});
  // The loop takes 1 000 · 4.15 ns, so 20 µs and 5 µs remain.
  CHECK(rows.at("tree / ReproBLAS, published, less the loop, N = 256 000").at("regenerated") == 4);
}

TEST_CASE("figures writes a page with all figures, and says what is missing") {
  if (!BRACKET_HAS_MPI || !BRACKET_HAS_SMPI || !BRACKET_HAS_SVG) return;
  const Scratch scratch;
  const auto page = (scratch.path() / "figures.html").string();
  const auto rows = rows_of(
      cli({"figures", "--quick", "--json", "-p", "2", "--oversubscribe", "--report", page}));
  const auto listed = rows_of(cli({"list", "figures", "--json"})).at(0).at("figures");
  std::set<std::string> made;
  for (const auto& row : rows) {
    made.insert(row.at("figure").get<std::string>());
    // A reproducible sum has the same bits on any number of ranks.
    if (row.at("quantity").get<std::string>().starts_with("binary tree, ")) {
      CHECK(row.at("regenerated") == 0);
    }
  }
  CHECK(made.size() == listed.size());
  const std::string html = content_of(page);
  CHECK(html.size() < 1'000'000);
  CHECK(occurrences(html, "<h2>") == listed.size());
  CHECK_THAT(html, Contains("give the folder that has published/thesis_p256.csv with --data") &&
                       Contains("Reproducible Sum, which is pre-rounded here") &&
                       Contains("Thesis, table 3.3: score of the optimized distribution"));
}

TEST_CASE("figures refuses what it cannot make") {
  check_refused({"figures", "--only", "thesis-figure-9.9"},
                "unknown figure 'thesis-figure-9.9'; known: thesis-figure-2.3, ");
  check_refused({"figures", "--data", "no/such/folder"}, "--data 'no/such/folder': a folder was");
  check_refused({"figures", "-p", "0"}, "-p");
  if (!BRACKET_HAS_MPI || !BRACKET_HAS_SIMGRID) return;
  const Scratch scratch;
  const auto file = scratch.path() / "published/thesis_p256.csv";
  std::filesystem::create_directories(file.parent_path());
  const Words figure{"figures", "--only", "thesis-figure-4.2",    "-p",
                     "1",       "--data", scratch.path().string()};
  const std::string header = "elements,ranks,accumulate_allreduce_us,tree_us,reproblas_us\n";
  make_file(file, "");
  check_refused(figure, "thesis_p256.csv: no line of times");
  make_file(file, header);
  check_refused(figure, "thesis_p256.csv: no line of times");
  make_file(file, header + "256,256,nan,1,1\n");
  check_refused(figure, "line 2: 'nan' is not a finite number");
  make_file(file, header + "\n256,256,1\n");
  check_refused(figure, "line 3: 5 cells were expected, not 3");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  check_refused(figure, "is a directory");
}

}  // namespace figures_command_mpi_test
