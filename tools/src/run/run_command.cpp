// SPDX-License-Identifier: MIT

#include "run/run_command.hpp"

#include <fmt/format.h>

#include <memory>

#include "bracket/model/json.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/fnv1a.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"

namespace bracket::tools {

void RunOptions::read_files() {
  schedule.read_tuned();
  arithmetic.take_tuned(schedule);
  if (schedule_file.empty() || beyond_sums()) return;
  given = read_schedule(schedule_file);
  schedule.delivery = given->delivery;
  schedule.items = given->items;
}

void RunOptions::check_given(Index elements, Rank ranks) const {
  if (!given) return;
  if (given->elements() != elements) {
    throw Error(fmt::format("{}: the schedule is for {} elements, the input has {}", schedule_file,
                            given->elements(), elements));
  }
  if (given->ranks() != ranks) {
    throw Error(fmt::format("{}: the schedule is for {} ranks, there are {}", schedule_file,
                            given->ranks(), ranks));
  }
  const Verdict verdict = verify(*given);
  if (!verdict.ok()) {
    throw Error(fmt::format("{}: {}", schedule_file, describe(*given, verdict.violations.front())));
  }
}

std::vector<Column> run_columns(std::vector<Column> result) {
  std::vector<Column> columns{
      {"plan", "plan"},
      {"distribution", "distribution"},
      {"rank_order", "rank order"},
      {"messages", "messages"},
      {"measured_seconds", "time [us]", Column::Shown::microseconds},
      {"measured_low_seconds", "95 % from [us]", Column::Shown::microseconds},
      {"measured_high_seconds", "to [us]", Column::Shown::microseconds}};
  columns.insert(columns.end(), result.begin(), result.end());
  return columns;
}

void agree_on_input(const Communicator& world, const input::Input& input) {
  support::Fnv1a form;
  form.string(input.form());
  const Agreement same{form.value(), text("the ranks read different inputs under one name: ",
                                          input.description(), " has ", input.form(), " on rank ",
                                          world.rank(), ", and another form on others")};
  fail_together(world, "", {&same, 1});
}

std::string digest_text(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

std::string elements_digest(const Communicator& world, Digest mine) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &mine.sequence, 1, MPI_UINT64_T, MPI_SUM, world.handle()),
            "MPI_Allreduce");
  return digest_text(mine.sequence);
}

Index messages_of_a_run(const Communicator& world, Index sent, Index runs) {
  Index messages = sent / runs;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &messages, 1, MPI_INT64_T, MPI_SUM, world.handle()),
            "MPI_Allreduce");
  return messages;
}

namespace {

void add_run(CLI::App* const command, const Communicator& world) {
  const auto options = std::make_shared<RunOptions>();
  options->input.add_to(*command, InputOptions::names_with_n);
  auto* const schedule =
      command
          ->add_option(
              "--schedule", options->schedule_file,
              "execute the schedule in this file of `bracket verify -o`; also give a file of "
              "elements or --synthetic N; not with --order, --plan, --distribution, --rank-order, "
              "--all, --scatter, --root, --items, --fields, --plan-file and the options of the "
              "group "
              "Arithmetic")
          ->type_name("FILE.json")
          ->group("Schedule");
  options->schedule.add_to(*command, schedule);
  options->arithmetic.takes_baselines = true;
  options->arithmetic.predicts = false;
  options->arithmetic.add_to(*command);
  command->get_option("--order")->description(
      "bracketing of the reduction; it determines the bits. tree suits any number of ranks. "
      "chunked-tree:K has the bits of code that adds chunks of K elements from left to right. "
      "sequential has the bits of a plain loop, but ranks cannot add at the same time. "
      "associative is for whole numbers. `bracket list orders` explains each");
  command->get_option("--order")->default_str("tree; associative for integer types");
  command->get_option("--plan")->default_str(
      "buffered; with an option of the group Arithmetic: butterfly or aggregated, see below");
  const HelpGroup group(*command, "Measurement");
  add_kernel(*command, options->kernel);
  add_threads(*command, options->threads);
  options->measurement.add_to(*command, 0);
  add_footer(
      *command,
      "Give a file of elements or --synthetic N. The table has a row for each plan and "
      "distribution, with the median time, its 95 % interval and the result. For vectors "
      "(--items) and fields (--fields), a digest of the bits is in place of the result.\n"
      "The plans direct and buffered do not work with binned, minimum, maximum and integer types, "
      "whose bits need no order. With any option of the group Arithmetic, the default plan is "
      "butterfly (with --all) or aggregated. For the rest, such as double-double or --widened, you "
      "can give direct or buffered.");
  add_json(*command, options->json);
  for (const char* name :
       {"--schedule", "--plan-file", "--distribution", "--order", "--rank-order"}) {
    refuse_pipes(*command->get_option(name), [&world] { return world.size() > 1; });
  }
  refuse_rank_count(*command);
  on_ranks(*command, world, [options, command, &world] {
    const bool planned = !options->schedule.plan_file.empty();
    options->order_given = planned || command->get_option("--order")->count() > 0;
    options->plan_given = planned || command->get_option("--plan")->count() > 0;
    together(world, [&] { options->read_files(); });
    (options->beyond_sums() ? run_reducers : run_sums)(*options, world);
  });
}

const MpiCommand run_code("run", add_run);

}  // namespace

}  // namespace bracket::tools
