// SPDX-License-Identifier: MIT

#include "support/property.hpp"
#include "tools/cli.hpp"

namespace unknown_words_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words tune{"tune", "-N", "9", "-p", "2"};

/// Checks a refusal with exactly this line.
void check_line(const Words& arguments, const std::string& line) {
  CAPTURE(arguments);
  const auto outcome = cli(arguments);
  CHECK(outcome.code == 2);
  CHECK(outcome.err == "bracket: " + line + "\n");
  CHECK(outcome.out == "");
}

/// `word` with one character inserted, removed or changed, or with two neighbours swapped.
std::string edited(std::string word) {
  const auto at = *rc::gen::inRange<std::size_t>(0, word.size());
  const auto character = *rc::gen::inRange('a', 'z');
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return word.insert(at, 1, character);
    case 1:
      return word.erase(at, 1);
    case 2:
      word[at] = character;
      return word;
    default:
      if (at + 1 < word.size()) std::swap(word[at], word[at + 1]);
      return word;
  }
}

}  // namespace

TEST_CASE("an empty value in a list is refused") {
  for (const std::string list : {",upper", "upper,", "upper,,even", ","}) {
    const std::string why = " '" + list + "': a value is empty";
    check_line({"count", "-N", "9", "-p", "2", "--distribution", list}, "--distribution" + why);
    check_line({"count", "--distribution=" + list, "-N", "9", "-p", "2"}, "--distribution" + why);
  }
  check_line({"compare", "-N", "9", "-p", "1,,2"}, "-p '1,,2': a value is empty");
  check_line({"compare", "-N", "9", "-p1,2,"}, "-p '1,2,': a value is empty");
#if BRACKET_HAS_SIMGRID
  check_line({"simulate", "-N", "9", "-p", "2", "--engine", "replay,"},
             "--engine 'replay,': a value is empty");
#endif
  // A file's name is not a list.
  CHECK_THAT(cli({"count", "-N", "9", "-p", "2", "--plan-file", "a,,b"}).err,
             !Contains("a value is empty"));
}

TEST_CASE("an unknown option is named, with the one that is near") {
  const std::string objective =
      "unknown option --objectiv of bracket tune; did you mean --objective?";
  check_line({"tune", "--objectiv", "x"}, objective);
  check_line(tune + Words{"--objectiv", "loggp"}, objective);
  check_line(tune + Words{"--objectiv=loggp"}, objective);
  check_line(tune + Words{"--objectiv"}, objective);
  check_line({"tune", "--objectiv", "x", "-N", "9"}, objective);
  check_line({"tune", "-N", "x", "-p", "2", "--objectiv", "x"}, objective);
  check_line({"tune", "-N", "9", "--rnaks", "2"},
             "unknown option --rnaks of bracket tune; did you mean --ranks?");
  check_line(tune + Words{"-json"}, "unknown option -json of bracket tune; did you mean --json?");
  check_line({"count", "-N", "9", "-p", "2", "--jsno"},
             "unknown option --jsno of bracket count; did you mean --json?");
  check_line({"--versoin"}, "unknown option --versoin of bracket; did you mean --version?");
  check_line({"--jobs", "list"}, "unknown option --jobs of bracket");
  // No known option is near.
  check_line(tune + Words{"--wibble", "3"}, "unknown option --wibble of bracket tune");
  check_line(tune + Words{"-q"}, "unknown option -q of bracket tune");
  const std::string endless(5000, 'x');
  check_line(tune + Words{"--" + endless},
             "unknown option --" + endless.substr(0, 78) + " ... of bracket tune");
}

TEST_CASE("unknown words are in the order in which they were written") {
  check_line(tune + Words{"now"}, "unexpected argument 'now' of bracket tune");
  check_line(tune + Words{"json"},
             "unexpected argument 'json' of bracket tune; did you mean --json?");
  check_line(tune + Words{"one", "two", "three"}, "unknown words of bracket tune: one, two, three");
  check_line({"tune", "--objectiv", "x", "--wibble", "--cors=3", "-N", "9", "two"},
             "unknown words of bracket tune: --objectiv (did you mean --objective?), x, --wibble, "
             "--cors=3 (did you mean --cores?), two");
}

TEST_CASE("an option of several letters has two dashes") {
  check_line(tune + Words{"-plan", "direct"},
             "unknown option -plan of bracket tune; did you mean --plan?");
  check_line(tune + Words{"-plan=direct"},
             "unknown option -plan of bracket tune; did you mean --plan?");
  CHECK(cli({"count", "-N9", "-p2"}).code == 0);
}

TEST_CASE("the end of the options is no unknown word") {
  CHECK(cli(tune + Words{"--"}).code == 0);
  check_line({"count", "-N", "9", "--"}, "--ranks is required, unless a --plan-file gives it");
  check_line(tune + Words{"--", "--plan"}, "unknown option --plan of bracket");
}

TEST_CASE("an unknown subcommand is named, with the one that is near") {
  const std::string known = "known: list, count, ";
  const auto refused = [&](const std::string& word, const std::string& what) {
    check_refused({word}, "unknown subcommand '" + word + "'" + what + " " + known);
    check_refused({word, "--help"}, "unknown subcommand '" + word + "'" + what + " " + known);
  };
  refused("tun", "; did you mean tune?");
  refused("simualte", "; did you mean simulate?");
  refused("Count", "; did you mean count?");
  refused("wibble", ";");
  refused("", ";");
}

TEST_CASE("help does not mind unknown words, and programs behind the front are not asked") {
  CHECK(cli({"tune", "--objectiv", "x", "--help"}).code == 0);
  CHECK_THAT(cli({"tune", "--objectiv", "x", "--help"}).out, Contains("--objective"));
}

TEST_CASE("one slip of the hand has a suggestion") {
  const Words options{"objective", "plan-file", "distribution", "rank-order", "platform",
                      "budget",    "explain",   "alpha",        "placement",  "elements"};
  property("for options", [&] {
    const auto name = *rc::gen::elementOf(options);
    const auto word = edited(name);
    RC_PRE(word != name && word[0] != '-');
    const auto outcome = cli({"tune", "--" + word, "x"});
    RC_ASSERT(outcome.code == 2);
    RC_ASSERT(outcome.err == "bracket: unknown option --" + word +
                                 " of bracket tune; did you mean --" + name + "?\n");
  });
  property("for subcommands", [] {
    const auto name = *rc::gen::elementOf(Words{"calibrate", "simulate", "compare", "verify"});
    const auto word = edited(name);
    RC_PRE(word != name && word[0] != '-');
    const auto outcome = cli({word});
    RC_ASSERT(outcome.code == 2);
    RC_ASSERT(outcome.err.starts_with("bracket: unknown subcommand '" + word + "'; did you mean " +
                                      name + "? known: "));
  });
}

#if BRACKET_HAS_MPI

TEST_CASE("bracket-mpi names what is unknown, once for all ranks") {
  for (const int ranks : {1, 2}) {
    CAPTURE(ranks);
    check_refused(cli_on(ranks, {"run", "--syntetic", "9"}),
                  "unknown option --syntetic of bracket run; did you mean --synthetic?");
    check_refused(cli_on(ranks, {"bench", "--element", "9", "one", "two"}),
                  "unknown words of bracket bench: --element (did you mean --elements?), one, two");
    check_refused(cli_on(ranks, {"calibrat"}),
                  "unknown subcommand 'calibrat'; did you mean calibrate? known: ");
  }
}

#endif

}  // namespace unknown_words_mpi_test
