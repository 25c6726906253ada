#include "compare_options.hpp"

#include "bracket/model/error.hpp"
#include "help.hpp"
#include "version.hpp"

namespace bracket::tools {

void CompareOptions::add_to(CLI::App& command) {
  launcher = text(*BRACKET_MPIEXEC != '\0' ? BRACKET_MPIEXEC : "mpiexec", " -n {ranks}");
  input.add_to(command);
  add_whole(command, "-N,--elements", elements,
            "number of elements; made up for the measurement if no file is given")
      ->type_name("N")
      ->group("Reduction");
  add_rank_counts(command, ranks,
                  "rank counts; powers of two up to the machine's cores if not given")
      ->group("Reduction");
  schedule.add_to(command);
  machine.add_to(command, &schedule);
  add_send_seconds(command, send_seconds);
  const HelpGroup group(command, "Measurement");
  auto* const fit_option =
      command
          .add_flag("--fit", fit,
                    "take t_add from the fastest measured run on one rank, in place of --t-add")
          ->excludes(command.get_option("--t-add"));
  command.add_option("--platform", platform, "SimGrid platform in place of the cluster")
      ->type_name("FILE.xml")
      ->group("Network");
  command.add_flag("--smpi", smpi,
                   "also run the code itself with simulated MPI: seconds for a thousand ranks");
  auto* const launcher_option =
      command.add_option("--launcher", launcher, "what starts the measured run")
          ->capture_default_str()
          ->type_name("COMMAND");
  auto* const measured_option =
      command
          .add_option("--measured", measured,
                      "rows that `bracket run --json` wrote elsewhere, in place of a run here; "
                      "the fastest of several for the same; not with "
                      "--launcher, --oversubscribe and --repetitions")
          ->type_name("FILE")
          ->excludes(launcher_option);
  auto* const oversubscribe_option =
      command.add_flag("--oversubscribe", oversubscribe, "measure also with more ranks than cores")
          ->excludes(measured_option);
  auto* const repetitions_option =
      add_whole(command, "--repetitions", repetitions, "measured runs of each plan", 1)
          ->capture_default_str()
          ->excludes(measured_option);
  auto* const predict_option =
      command.add_flag("--predict", predict,
                       "only what the models say, without a run; not with --fit, --launcher, "
                       "--measured, --oversubscribe and --repetitions");
  for (auto* const option :
       {fit_option, launcher_option, measured_option, oversubscribe_option, repetitions_option}) {
    predict_option->excludes(option);
  }
  add_json(command, json);
  // By the programs that are compared, too.
  for (const char* name : {"--plan-file", "--distribution", "--platform"}) {
    refuse_pipes(*command.get_option(name), [] { return true; });
  }
  command.footer(
      "The score counts the PE-intersecting nodes of the distribution and charges their messages\n"
      "one after the other, whatever the plan. LogGP takes the longest path through the schedule.");
}

}  // namespace bracket::tools
