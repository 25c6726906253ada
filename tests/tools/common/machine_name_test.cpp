// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace machine_name_test {

using namespace bracket::testing;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const Words sizes{"-N", "1000", "-p", "4"};

std::string file_of(const std::string& name) {
  return (fs::path(BRACKET_MACHINES) / (name + ".json")).string();
}

/// The machine `name` with another time per addition.
std::string machine_with_addition(const std::string& name, double seconds) {
  auto machine = Json::parse(content_of(file_of(name)));
  machine["seconds_per_addition"] = seconds;
  return machine.dump();
}

/// The programs as installed, with one machine of their own.
struct Installed {
  Scratch scratch;
  fs::path machines = scratch.path() / "share" / "bracket" / "machines";
  std::string front = (scratch.path() / "bin" / "bracket").string();

  Installed() {
    const auto parts = scratch.path() / "libexec" / "bracket";
    for (const auto& folder : {machines, scratch.path() / "bin", parts}) {
      fs::create_directories(folder);
    }
    fs::copy_file(BRACKET_FRONT, front);
    fs::copy_file(fs::path(BRACKET_FRONT).parent_path() / "bracket-simulate",
                  parts / "bracket-simulate");
    make_file(machines / "mine.json", machine_with_addition("thesis", 1));
  }

  Outcome operator()(const Words& arguments) const { return run_process(Words{front} + arguments); }
};

}  // namespace

TEST_CASE("an installed machine is taken by its name") {
  for (const std::string name : {"thesis", "loggopsim", "shared-memory"}) {
    for (const Words& command :
         {Words{"count", "--json"}, Words{"tune", "--objective", "loggp", "--json"},
          Words{"draw", "--plan", "direct"},
          Words{"compare", "--predict", "--plan", "direct", "--json"}}) {
      CAPTURE(name, command);
      const auto named = cli(command + sizes + Words{"--machine", name});
      CHECK(named.code == 0);
      const auto quoted = [](const std::string& word) { return '"' + word + '"'; };
      auto by_file = cli(command + sizes + Words{"--machine", file_of(name)}).out;
      for (const auto key = "\"machine\":" + quoted(file_of(name));
           by_file.find(key) < by_file.size();) {
        by_file.replace(by_file.find(key), key.size(), "\"machine\":" + quoted(name));
      }
      CHECK(named.out == by_file);
    }
  }
  const auto rows = rows_of(cli(
      Words{"simulate", "--engine", "loggops", "--json", "--sweep", "machine=thesis,loggopsim"} +
      sizes));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("machine") == "thesis");
  CHECK(rows[1].at("machine") == "loggopsim");
  CHECK(rows[0].at("latency_seconds") == 140.5e-9);
  CHECK(rows[1].at("latency_seconds") == 2500e-9);
}

TEST_CASE("a file goes before an installed machine") {
  const Scratch scratch;
  Setting there;
  there.directory = scratch.path();
  const auto score = [&](const std::string& machine) {
    return rows_of(cli(Words{"count", "--json", "--machine", machine} + sizes, there))
        .at(0)
        .at("score_seconds")
        .get<double>();
  };
  // A folder is not a file.
  fs::create_directory(scratch.path() / "loggopsim");
  CHECK(score("loggopsim") < 1);
  make_file(scratch.path() / "thesis", machine_with_addition("thesis", 1));
  CHECK(score("thesis") > 1);
  CHECK(score("./thesis") > 1);
  fs::remove(scratch.path() / "thesis");
  CHECK(score("thesis") < 1);
}

TEST_CASE("unknown machines are refused with the known ones") {
  for (const char* const command : {"count", "tune", "simulate", "compare"}) {
    check_refused(Words{command, "--machine", "thesi"} + sizes,
                  "unknown machine 'thesi': neither a file nor an installed machine; known: "
                  "fugaku-512, ");
  }
  // A word that can only be a file is read as a file.
  check_refused(Words{"count", "--machine", "thesis.json"} + sizes, "thesis.json: ");
  check_refused(Words{"count", "--machine", "./thesis"} + sizes, "./thesis: ");
  check_refused(Words{"count", "--machine", ""} + sizes, "unknown machine ''");
}

TEST_CASE("installed machines are listed") {
  const auto listed = cli({"list"}).out;
  CHECK_THAT(listed, Contains("machines: "));
  const auto rows = Json::parse(cli({"list", "--json"}).out).at("machines");
  const std::filesystem::directory_iterator files(
      std::filesystem::path(file_of("thesis")).parent_path());
  REQUIRE(rows.size() == static_cast<std::size_t>(std::distance(begin(files), end(files))));
  for (const auto& row : rows) {
    const auto name = row.at("name").get<std::string>();
    CHECK_THAT(listed, Contains("\n  " + name + " "));
    CHECK(content_of(row.at("file").get<std::string>()) == content_of(file_of(name)));
    CHECK(row.at("source") == Json::parse(content_of(file_of(name))).at("source"));
  }
}

TEST_CASE("machines are found beside the installed programs, from anywhere") {
  const Installed installed;
  const Words mine{"--machine", "mine"};
  const Words simulate = Words{"simulate", "--engine", "loggops"} + sizes;
  CHECK(rows_of(installed(Words{"count", "--json"} + sizes + mine)).at(0).at("score_seconds") > 1);
  CHECK(rows_of(installed(simulate + Words{"--json"} + mine)).at(0).at("simulated_seconds") > 1);
  fs::create_symlink(installed.front, installed.scratch.path() / "link");
  CHECK(run_process(Words{(installed.scratch.path() / "link").string(), "count"} + sizes + mine)
            .code == 0);
  check_refused(installed(Words{"count", "--machine", "thesis"} + sizes), "known: mine");

  // A row belongs to the content that the file had then.
  const Words kept =
      simulate + mine + Words{"-o", (installed.scratch.path() / "rows.csv").string()};
  CHECK_THAT(installed(kept).err, Contains("1 row added"));
  CHECK_THAT(installed(kept).err, Contains("0 rows added, 1 were there"));
  make_file(installed.machines / "mine.json", machine_with_addition("thesis", 1) + "\n");
  CHECK_THAT(installed(kept).err, Contains("1 row added"));

  fs::remove_all(installed.machines);
  check_refused(installed(Words{"count"} + sizes + mine), "known: none is installed");
  CHECK(installed({"list"}).code == 0);
}

}  // namespace machine_name_test
