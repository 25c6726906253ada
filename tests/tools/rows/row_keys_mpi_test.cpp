// SPDX-License-Identifier: MIT

#include "rows/row_keys.hpp"

#include <map>
#include <set>

#include "models/cost_models.hpp"
#include "tools/cli.hpp"

namespace row_keys_mpi_test {

using namespace bracket::testing;
using bracket::tools::check_row;
using bracket::tools::KeyType;
using bracket::tools::row_keys;
using Catch::Contains;

namespace {

/// Collects keys of rows, in addition to the checks of the programs themselves.
class Seen {
 public:
  void take_rows(const std::vector<Json>& rows) {
    for (const auto& row : rows) {
      for (const auto& [key, _] : row.items()) keys.insert(key);
    }
  }
  void take(const Words& arguments) {
    CAPTURE(arguments);
    take_rows(rows_of(cli(arguments + Words{"--json"})));
  }

  std::set<std::string> keys;
};

const Words some{"-N", "100", "-p", "4"};
const Words once{"--synthetic", "100", "--repetitions", "2", "--warm-up", "0"};

}  // namespace

TEST_CASE("no two keys are one, and durations are in seconds") {
  std::set<std::string_view> keys;
  for (const auto& entry : row_keys()) {
    CAPTURE(entry.key);
    CHECK(keys.insert(entry.key).second);
    CHECK_FALSE(entry.meaning.empty());
    const bool correlation = entry.key.starts_with("kendall_tau_");
    if (entry.key.ends_with("_seconds") && !correlation) CHECK(entry.unit == "seconds");
    if (entry.key.ends_with("_seconds_per_byte")) CHECK(entry.unit == "seconds per byte");
    if (entry.key.ends_with("_bytes")) CHECK(entry.unit == "bytes");
    if (entry.type == KeyType::flag) CHECK(entry.unit == "");
  }
}

TEST_CASE("a row of other keys or types is refused") {
  CHECK_NOTHROW(check_row(Json{{"elements", 1}, {"result", nullptr}, {"above_best", 0.5}}));
  CHECK_THROWS_WITH(check_row(Json{{"elements", 1}, {"elemets", 1}}), Contains("no \"elemets\""));
  CHECK_THROWS_WITH(check_row(Json{{"elements", 1.5}}), Contains("no \"elements\" that is number"));
  CHECK_THROWS_WITH(check_row(Json{{"plan", nullptr}}), Contains("no \"plan\" that is null"));
}

TEST_CASE("the table of keys in the documents is that of the programs") {
  // The documents have the keys of all cost models in one row each, under the name MODEL.
  std::map<std::string, std::string> of_models;
  for (const auto& model : bracket::tools::cost_models()) {
    of_models[model.seconds.key] =
        "| `MODEL_seconds` | number | seconds | prediction by the cost model |\n";
    of_models[model.error_key()] =
        "| `MODEL_error` | number | ratio | MODEL_seconds divided by measured_seconds, minus 1 |\n";
    of_models[model.correlation_key()] =
        "| `kendall_tau_MODEL_seconds` | number |  | Kendall's tau of MODEL_seconds and "
        "measured_seconds |\n";
  }
  const auto documents = content_of(BRACKET_SOURCE "/tools/README.md");
  std::string table = "| key | type | unit | meaning |\n|---|---|---|---|\n";
  const auto listed = rows_of(cli({"list", "--json"})).at(0).at("row_keys");
  REQUIRE(listed.size() == row_keys().size());
  for (const auto& entry : listed) {
    const auto word = [&](const char* key) { return entry.at(key).get<std::string>(); };
    const auto of_model = of_models.find(word("key"));
    const std::string row = of_model != of_models.end()
                                ? of_model->second
                                : "| `" + word("key") + "` | " + word("type") + " | " +
                                      word("unit") + " | " + word("meaning") + " |\n";
    if (table.find(row) == std::string::npos) table += row;
  }
  CHECK(documents.ends_with(table));
}

#if defined(BRACKET_CG) && BRACKET_HAS_MPI && BRACKET_HAS_SIMGRID && BRACKET_HAS_SMPI
TEST_CASE("every key of the table is in a row of some command") {
  const Scratch scratch;
  const auto file = [&](const char* name) { return (scratch.path() / name).string(); };
  const Words rank_order{"--rank-order", "reversed"};
  Seen seen;
  seen.take(Words{"count", "--plan", "direct"} + some + rank_order);

  const Words by_loggp{"tune", "--objective", "loggp"};
  seen.take(by_loggp + some + Words{"--explain"});
  seen.take(Words{"tune", "--explain"} + some);
  seen.take(Words{"tune", "--front"} + some);
  seen.take({"tune", "-N", "10:100", "-p", "4"});
  seen.take(by_loggp + Words{"-N", "100000", "-p", "64", "--plan", "all", "--seconds", "1e-6"});

  const Words simulate = Words{"simulate"} + some;
  seen.take(simulate + Words{"--machine", "shared-memory", "--late", "exponential:1e-6", "--slow",
                             "exponential:0.1", "--noise", "exponential:0.1", "--cores", "2",
                             "--placement", "round-robin", "--node-latency", "1e-7", "--watts",
                             "10:20:30", "--link-watts", "1:2", "--finish"});

  seen.take(Words{"simulate", "--fields", "2", "--messages", "mpi"} + some);

  const auto revealed = rows_of(cli({"reveal", "--json"}));
  seen.take_rows(revealed);
  Setting preloaded;
  preloaded.environment = {{"LD_PRELOAD", BRACKET_REPRODUCIBLE}};
  seen.take_rows(rows_of(cli({"reveal", "--json"}, preloaded)));
  const bool open_mpi = revealed.at(0).at("library").get<std::string>().starts_with("Open MPI");
  seen.take({"tune", "--for", open_mpi ? "openmpi" : "mpich", "-p", "2", "--items", "1", "-o",
             file("rules"), "--repetitions", "1", "--warm-up", "0", "--oversubscribe"});

  const Words verify{"verify"};
  seen.take(verify + some + Words{"-o", file("schedule.json")});
  seen.take(verify + Words{file("schedule.json")});

  const auto measured = [](const char* distribution, double seconds) {
    return Json{{"elements", 1000},       {"ranks", 5},
                {"plan", "direct"},       {"distribution", distribution},
                {"result_bits", "0x1p0"}, {"measured_seconds", seconds}}
               .dump() +
           "\n";
  };
  seen.take(
      {"compare", "-N", "1000", "-p", "5", "--plan", "direct", "--distribution",
       "lower,optimal:0.5", "--smpi", "--measured",
       make_file(file("rows.jsonl"), measured("lower", 2e-5) + measured("optimal:0.5", 1e-5))});
  seen.take(Words{"run", "--items", "2", "--cold"} + once);
  seen.take(Words{"run", "--op", "sum", "--type", "float32", "--widened"} + once);
  seen.take(Words{"run", "--type", "int32", "--checked"} + once);
  seen.take(Words{"run", "--op", "digest"} + once);
  seen.take(Words{"run", "--op", "maximum-location"} + once);
  seen.take({"bench", "-p", "1", "-N", "100", "--repetitions", "2", "--warm-up", "1", "--samples"});
  seen.take({"bench", "-N", "200", "--op", "dot", "--layout", "ghosted:10", "--repetitions", "2",
             "--warm-up", "1"});
  const auto digits = rows_of(cli({"digits", "--synthetic", "100", "--json"}));
  seen.take_rows(digits);
  seen.take_rows(digits.at(0).at("rows"));
  // The second figure has reasons for differences.
  seen.take({"figures", "--quick", "--only", "thesis-table-3.1,rabenseifner-traeff-table-1"});
  seen.take({"validate", make_file(file("published.csv"),
                                   "date,ranks,algorithm,implementation,bytes,median_us\n"
                                   "2025-01-01,8,ring,ring_x,4096,20\n")});

  // One of the recorded runs is cut, so there is a note.
  for (const auto& [name, rows] : {std::pair{"a", "100"}, {"b", "101"}}) {
    REQUIRE(cli({"record", "-o", file(name), "--", BRACKET_CG, "mpi", rows, "1"}).code == 0);
  }
  const auto cut = file("b") + "/rank-0.trace";
  make_file(cut, content_of(cut).substr(0, content_of(cut).size() - 8));
  const auto diff = cli({"diff", file("a"), file("b"), "--json"});
  REQUIRE(diff.code == 1);
  seen.take_rows({Json::parse(diff.out.substr(0, diff.out.find('\n')))});
  const auto cost = rows_of(cli({"cost", file("a"), "--elements", "100", "--json"}));
  seen.take_rows(cost);
  for (const char* const list : {"plans", "sites", "sizes"}) seen.take_rows(cost.at(0).at(list));

  std::set<std::string> all;
  for (const auto& entry : row_keys()) all.emplace(entry.key);
  CHECK(seen.keys == all);
}
#endif

}  // namespace row_keys_mpi_test
