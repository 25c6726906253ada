// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <iostream>
#include <optional>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/commands.hpp"
#include "common/files.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "rows/row_keys.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

struct VerifyOptions {
  std::string file;
  Index elements = 0;
  Rank ranks = 0;
  ScheduleOptions schedule;
  std::string output;
  bool json = false;
};

/// Returns the result of `action`. Puts the name of `file` before the message of an `Error` that it
/// throws, unless the name is empty.
template <class Action>
auto of_file(const std::string& file, Action&& action) {
  try {
    return action();
  } catch (const Error& failure) {
    if (file.empty()) throw;
    throw Error(text(file, ": ", failure.what()));
  }
}

/// A schedule, and the digest in its file, if any.
struct DigestedSchedule {
  Schedule schedule;
  std::optional<std::string> digest;
};

DigestedSchedule read_asked(const std::string& file) {
  const auto json = read_json(file);
  return of_file(file, [&] {
    DigestedSchedule asked{schedule_from_json(json), {}};
    const auto digest = json.find("digest");
    if (digest != json.end()) asked.digest = digest->get<std::string>();
    return asked;
  });
}

DigestedSchedule asked_for(VerifyOptions& options) {
  if (!options.file.empty()) return read_asked(options.file);
  options.schedule.take_tuned_of(options.elements, options.ranks);
  if (options.elements == 0 || options.ranks == 0) {
    throw Error("a schedule file, -N and -p, or --plan-file must be given");
  }
  if (options.schedule.plans.size() != 1 || options.schedule.distributions.size() != 1) {
    throw Error("verify takes one plan and one distribution");
  }
  const auto distribution = options.schedule.distribution(options.schedule.distributions[0],
                                                          options.elements, options.ranks);
  return {options.schedule.schedule(distribution, options.schedule.plans[0]), {}};
}

void verify_command(VerifyOptions& options) {
  const auto asked = asked_for(options);
  const auto& schedule = asked.schedule;
  const std::string digest = digest_text(schedule);
  if (!options.file.empty() && !asked.digest) {
    fmt::print(stderr, "bracket: {}: it has no digest, which would show that it was edited\n",
               options.file);
  }
  if (asked.digest && *asked.digest != digest) {
    fmt::print(stderr,
               "bracket: {}: the file's digest is another schedule's: it was edited since it was "
               "written\n",
               options.file);
  }
  const Verdict verdict = of_file(options.file, [&] { return verify(schedule); });
  if (verdict.ok() && !options.output.empty()) {
    support::write_file(options.output, to_json(schedule).dump() + '\n');
  }
  if (options.json) {
    auto violations = nlohmann::ordered_json::array();
    for (const auto& violation : verdict.violations) {
      violations.push_back({{"rank", violation.rank},
                            {"step", violation.step},
                            {"what", describe(schedule, violation)}});
    }
    nlohmann::ordered_json row{{"ok", verdict.ok()},
                               {"order", schedule.order},
                               {"plan", schedule.plan},
                               {"elements", schedule.elements()},
                               {"ranks", schedule.ranks()},
                               {"messages", schedule.messages()},
                               {"largest_message", schedule.largest_message()},
                               {"digest", digest},
                               {"violations", std::move(violations)}};
    tell_delivery(row, schedule.delivery, schedule.items);
    if (asked.digest) row["digest_matches"] = *asked.digest == digest;
    if (verdict.ok()) row["ends_with_blocking_sends"] = verdict.ends_with_blocking_sends;
    check_row(row);
    std::cout << row.dump() << '\n';
  }
  if (!verdict.ok()) {
    constexpr std::size_t shown = 10;
    std::string message = options.file.empty() ? "the schedule is refused"
                                               : options.file + ": the schedule is refused";
    for (std::size_t i = 0; i < std::min(shown, verdict.violations.size()); ++i) {
      message += "\n  " + describe(schedule, verdict.violations[i]);
    }
    if (verdict.violations.size() > shown) {
      message += fmt::format("\n  and {} more", verdict.violations.size() - shown);
    }
    throw Error(message);
  }
  if (!options.json) {
    std::cout << fmt::format(
        "the schedule is right: {} on {} by the {} order, {} of up to {}\nit {} if sends block "
        "until they are received\ndigest {}\n",
        counted(schedule.elements(), "element"), counted(schedule.ranks(), "rank"), schedule.order,
        counted(schedule.messages(), "message"), counted(schedule.largest_message(), "value"),
        verdict.ends_with_blocking_sends ? "also ends" : "would not end", digest);
  }
}

void add_verify(CLI::App* const command, int, char**) {
  const auto options = std::make_shared<VerifyOptions>();
  auto* const file = command
                         ->add_option("schedule", options->file,
                                      "check the schedule in this file of `bracket verify -o`; "
                                      "otherwise give -N and -p, or --plan-file; not with the "
                                      "options of the groups Reduction and Schedule")
                         ->type_name("FILE.json");
  add_sizes(*command, options->elements, options->ranks, file);
  options->schedule.takes_one = true;
  options->schedule.add_to(*command, file);
  command
      ->add_option(
          "-o,--output", options->output,
          "write the schedule to this JSON file, which run and simulate read with --schedule")
      ->type_name("FILE")
      ->group("Output");
  add_json(*command, options->json);
  add_footer(
      *command,
      "For a correct schedule, verify prints the numbers of elements, ranks and messages, a digest "
      "(a hash of the schedule), and whether the schedule is free of deadlock with synchronous "
      "sends. For any other schedule, it prints up to ten errors and ends with exit code 2.\n"
      "Use verify for a file that was edited or that another program wrote, or for a plan of your "
      "own. run and simulate check each file of --schedule, too, but verify runs nothing.");
  command->callback([options, command] {
    check_outputs(*command, {"--output"}, {"schedule", "--plan-file", "--distribution"});
    verify_command(*options);
  });
}

const PlainCommand verify_code("verify", add_verify);

}  // namespace

}  // namespace bracket::tools
