// SPDX-License-Identifier: MIT

#include "compare/compare_options.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "common/programs.hpp"

namespace bracket::tools {

void CompareOptions::add_to(CLI::App& command) {
  launcher = default_launcher();
  input.add_to(command);
  add_whole(
      command, "-N,--elements", elements,
      "number of synthetic elements; the same as --synthetic N; not needed with a file, or with a "
      "plan file for one number of elements")
      ->type_name("N")
      ->group("Reduction");
  add_rank_counts(command, ranks,
                  "numbers of ranks; default: powers of two up to the number of cores")
      ->group("Reduction");
  schedule.add_to(command);
  arithmetic.takes_several = true;
  arithmetic.takes_baselines = true;
  arithmetic.add_to(command);
  command.get_option("--plan")->default_str(
      "buffered; with an option of the group Arithmetic: aggregated, or butterfly with --all");
  machine.add_to(command, &schedule);
  machine.add_threads_to(command);
  add_send_seconds(command, send_seconds);
  const HelpGroup group(command, "Measurement");
  auto* const fit_option =
      command
          .add_flag("--fit", fit,
                    "derive the time of an addition from the fastest measurement on one rank; "
                    "needs 1 among the values of -p; not with --t-add. To infer all costs of a "
                    "machine, use `bracket fit`")
          ->excludes(command.get_option("--t-add"));
  command
      .add_option("--platform", platform,
                  "nodes and links for the columns of SimGrid and --smpi alone: a name or a file, "
                  "as in simulate; LogGP and LogGOPS do not use them")
      ->default_str("cluster")
      ->type_name("NAME")
      ->group("Network");
  command.add_flag(
      "--smpi", execute,
      "also run the code itself with simulated MPI; takes seconds for a thousand ranks");
  auto* const launcher_option =
      command.add_option("--launcher", launcher, "command that starts the measured run")
          ->capture_default_str()
          ->type_name("COMMAND");
  auto* const measured_option =
      command
          .add_option("--measured", measured,
                      "read the measurements from this file of `bracket run --json` instead of "
                      "measuring; not with --launcher, --repetitions, --warm-up, --cold, --starts "
                      "and --oversubscribe")
          ->type_name("FILE");
  auto* const oversubscribe_option =
      command.add_flag("--oversubscribe", oversubscribe, "also measure with more ranks than cores");
  std::vector<CLI::Option*> of_a_run = measurement.add_to(command);
  of_a_run.push_back(add_whole(command, "--starts", starts,
                               "number of times that the launcher starts the measured run; the "
                               "interval in the table contains the confidence interval of each "
                               "start",
                               1)
                         ->capture_default_str());
  of_a_run.push_back(launcher_option);
  of_a_run.push_back(oversubscribe_option);
  for (auto* const option : of_a_run) measured_option->excludes(option);
  auto* const predict_option =
      command.add_flag("--predict", predict,
                       "only predict, without a measurement; not with --fit, --measured, "
                       "--launcher, --repetitions, --warm-up, --cold, --starts and "
                       "--oversubscribe");
  of_a_run.push_back(fit_option);
  of_a_run.push_back(measured_option);
  for (auto* const option : of_a_run) predict_option->excludes(option);
  add_json(command, json);
  report.add_to(command);
  // The programs that `compare` starts read these files again.
  for (const char* name : {"--plan-file", "--distribution", "--platform"}) {
    refuse_pipes(*command.get_option(name), [] { return true; });
  }
  add_footer(
      command,
      text(
          score_explanation,
          " The table of compare has a column for the score only if all plans are direct.\n"
          "LogGP takes the longest path through the schedule. LogGOPS takes O and S from --machine "
          "or --plan-file; compare has no options for them.\n"
          "With --measured, the options describe the reduction. compare ignores rows of other "
          "reductions; if no row is left, this is an error. Repeated rows count as several starts. "
          "`bracket validate` takes the reduction from each row."));
}

}  // namespace bracket::tools
