#include "compare/compare_options.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "version.hpp"

namespace bracket::tools {

void CompareOptions::add_to(CLI::App& command) {
  launcher = text(*BRACKET_MPIEXEC != '\0' ? BRACKET_MPIEXEC : "mpiexec", " -n {ranks}");
  input.add_to(command);
  add_whole(
      command, "-N,--elements", elements,
      "number of elements, if no file, --synthetic N or --plan-file gives it; without a file, the "
      "measurement uses synthetic elements, as with --synthetic N")
      ->type_name("N")
      ->group("Reduction");
  add_rank_counts(command, ranks,
                  "numbers of ranks; default: powers of two up to the number of cores")
      ->group("Reduction");
  schedule.add_to(command);
  machine.add_to(command, &schedule);
  add_send_seconds(command, send_seconds);
  const HelpGroup group(command, "Measurement");
  auto* const fit_option =
      command
          .add_flag("--fit", fit,
                    "take the one figure t_add from the fastest measured run on one rank, in "
                    "place of --t-add; the command `bracket fit` infers all figures of a machine "
                    "from many rows and writes them to a file")
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
                      "rows that `bracket run --json` wrote elsewhere, in place of a run here; "
                      "several rows of the same case count as several starts; they must be for the "
                      "reduction that the options describe (`bracket validate` takes the "
                      "reductions from the rows); not with the other options of a run")
          ->type_name("FILE");
  auto* const oversubscribe_option =
      command.add_flag("--oversubscribe", oversubscribe, "also measure with more ranks than cores");
  std::vector<CLI::Option*> of_a_run = measurement.add_to(command);
  of_a_run.push_back(add_whole(command, "--starts", starts,
                               "number of times that the launcher starts the measured run; the "
                               "confidence interval covers those of all starts",
                               1)
                         ->capture_default_str());
  of_a_run.push_back(launcher_option);
  of_a_run.push_back(oversubscribe_option);
  for (auto* const option : of_a_run) measured_option->excludes(option);
  auto* const predict_option =
      command.add_flag("--predict", predict,
                       "only predict, without a run; not with --fit, --measured and the options "
                       "of a run");
  of_a_run.push_back(fit_option);
  of_a_run.push_back(measured_option);
  for (auto* const option : of_a_run) predict_option->excludes(option);
  add_json(command, json);
  // The programs that `compare` starts read these files again.
  for (const char* name : {"--plan-file", "--distribution", "--platform"}) {
    refuse_pipes(*command.get_option(name), [] { return true; });
  }
  add_footer(
      command,
      "The score is the thesis's cost in seconds: it counts tree nodes whose two halves begin on "
      "different ranks (PE-intersecting nodes) and charges one message for each, one after the "
      "other, whatever the plan. It adds the additions of the rank with the most elements. LogGP "
      "takes the longest path through the schedule.");
}

}  // namespace bracket::tools
