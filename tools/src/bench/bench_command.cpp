// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iostream>
#include <limits>
#include <optional>
#include <string_view>

#include "bench/bench_actions.hpp"
#include "bench/bench_candidates.hpp"
#include "bench/bench_device.hpp"
#include "bench/bench_size.hpp"
#include "bench/bench_table.hpp"
#include "bracket/model/json.hpp"
#include "bracket/runtime/threads.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"
#include "common/launch_options.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "mpi/measurement.hpp"
#include "mpi/mpi_command.hpp"
#include "report/report.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

struct BenchOptions {
  std::string file;  // of elements; empty: synthetic
  std::vector<Index> elements;
  Index seed = 1;
  std::vector<std::string> candidates;  // empty: all known candidates
  std::string order = "tree";
  std::vector<std::string> distributions{"upper"};
  std::string plan_file;  // measured, too, unless empty
  std::string kernel;
  int threads = 1;
  bool device = false;
  BenchShape shape;
  MeasurementOptions measurement;
  LaunchOptions launch;  // only in the help
  bool samples = false;
  bool json = false;
  ReportOptions report;
};

std::string described(const BenchShape& shape) {
  std::string words;
  if (shape.products) words += " times factors";
  if (shape.cells > 0) words += text(" in rows of ", shape.cells, " with ghosts");
  return words;
}

/// Runs `bench` on one rank.
class Bench {
 public:
  Bench(const BenchOptions& options, const CLI::App& command, const Communicator& world)
      : options_(options),
        command_(command),
        world_(world),
        speaks_(world.rank() == 0),
        environment_(runtime::environment(world)),
        table_(bench_columns({.tuned = !options.plan_file.empty(),
                              .distributions = options.distributions.size() > 1}),
               options.json) {}

  void run() {
    if (options_.device && !every_rank_has_device()) return;
    together(world_, [&] {
      if (speaks_) {
        options_.report.check(command_);
        report_.emplace(options_.report, world_.size());
        if (report_->wanted()) table_.keep_rows();
      }
      kernel_ = &runtime::select_kernel(options_.kernel);
      runtime::check_threads(options_.threads);
      actions_.emplace(world_,
                       BenchMethod{kernel_, options_.threads, options_.shape, options_.device});
      candidates_ = make_candidates(options_.candidates);
      if (options_.device) leave_out_those_of_the_host();
      if (!options_.plan_file.empty()) {
        plan_file_ = read_plan_file_to_all(options_.plan_file);
        if (options_.elements.empty()) {
          options_.elements = {elements_of(*plan_file_, options_.plan_file)};
        }
      }
      if (options_.file.empty()) {
        const Index most = *std::max_element(options_.elements.begin(), options_.elements.end());
        input_ = input::synthetic_input(most, static_cast<std::uint64_t>(options_.seed));
      } else {
        input_ = input::open_input(options_.file);
        options_.elements = {input_->elements()};
      }
      for (const Index elements : options_.elements) add_size(elements);
    });
    introduce();
    for (const auto& size : sizes_) measure(size);
    together(world_, [&] {
      if (speaks_) finish();
    });
  }

 private:
  void finish() {
    table_.finish();
    report_bench(*report_, table_);
  }

  /// Whether `bench` can measure on devices; otherwise says that it is skipped.
  bool every_rank_has_device() const {
    const int own = BenchDevice::found() ? 1 : 0;
    int all = 0;
    check_mpi(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, world_.handle()), "MPI_Allreduce");
    if (all == 0 && speaks_) {
      fmt::print(stderr, "bracket: bench --device is skipped: {}\n", BenchDevice::reason());
    }
    return all != 0;
  }

  void leave_out_those_of_the_host() {
    for (const std::string_view name :
         {std::string_view(accumulate), std::string_view("stochastic")}) {
      if (std::find(options_.candidates.begin(), options_.candidates.end(), name) !=
          options_.candidates.end()) {
        throw Error(text("--candidates: ", name, " is not for --device: leave it out"));
      }
      std::erase_if(candidates_, [&](const auto& one) { return one.name == name; });
    }
  }

  using Sharing = BenchSize::Sharing;
  using Entrant = BenchSize::Entrant;

  void add_size(Index elements) {
    BenchSize& size = sizes_.emplace_back();
    for (const std::string& name : options_.distributions) {
      // Without --candidates, a candidate that does not fit is left out.
      size.add(candidates_,
               {make_sum_order(options_.order, elements),
                make_or_read_distribution(name, elements, world_.size()), name},
               options_.candidates.empty());
    }
    if (plan_file_) size.add_tuned(*plan_file_, options_.plan_file, elements, world_.size());
    for (const Sharing& sharing : size.sharings) options_.shape.check(sharing.distribution);
    actions_->make_room(size);
  }

  void introduce() const {
    if (!speaks_) return;
    if (!options_.json) {
      std::cout << fmt::format(
                       "{} element{} ({}){} on {}{}, kernel {}, {}\n"
                       "median of {} after {} to warm up, the candidates in random order; {} is a "
                       "sum by {} and MPI_Allreduce\n",
                       fmt::join(options_.elements, ", "),
                       options_.elements == std::vector<Index>{1} ? "" : "s", input_->description(),
                       described(options_.shape), counted(world_.size(), "rank"),
                       of_threads(options_.threads), kernel_->name, environment_.mpi_library,
                       counted(options_.measurement.repetitions, "repetition"),
                       options_.measurement.warm_up, baseline,
                       options_.device ? "CUB on the device" : "vector instructions")
                << std::flush;
    }
    for (const auto& size : sizes_) {
      for (const auto& objection : size.objections) {
        fmt::print(stderr, "bracket: left out: {}\n", objection);
      }
    }
    warn_of_oversubscription(environment_, options_.threads);
  }

  void measure(const BenchSize& size) {
    together(world_, [&] { actions_->read(size, *input_); });
    std::vector<double> sums(size.entrants.size());
    std::vector<std::function<void()>> actions;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      actions.push_back(actions_->of(size.entrants[i], sums[i]));
    }
    const auto samples = tools::measure(
        world_, actions, options_.measurement, static_cast<std::uint64_t>(options_.seed),
        speaks_ ? &progress_ : nullptr, counted(size.elements(), "element"));
    check(size, sums);
    if (!speaks_) return;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto& baseline_samples = samples[size.entrants[i].compared_with];
      tell(size.entrants[i], samples[i], sums[i],
           runtime::summarize(baseline_samples.seconds).median);
    }
  }

  /// Throws `CollectiveError` unless all plans of one order gave the same bits on all ranks, and
  /// the other candidates the same sum within rounding errors.
  void check(const BenchSize& size, const std::vector<double>& sums) const {
    std::vector<double> first = sums;
    check_mpi(
        MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_DOUBLE, 0, world_.handle()),
        "MPI_Bcast");
    const auto by_plan =
        std::find_if(size.entrants.begin(), size.entrants.end(),
                     [](const Entrant& entrant) { return entrant.plan != nullptr; });
    const bool any_plan = by_plan != size.entrants.end();
    const auto reference = static_cast<std::size_t>(any_plan ? by_plan - size.entrants.begin() : 0);
    const Entrant& referred = size.entrants[reference];
    // Half of this bounds the error of N additions in any order.
    const double tolerance = static_cast<double>(size.elements()) *
                             std::numeric_limits<double>::epsilon() * actions_->magnitudes(size);
    together(world_, [&] {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const Entrant& entrant = size.entrants[i];
        const bool same_order = entrant.plan && referred.plan &&
                                entrant.sharing->order.spec() == referred.sharing->order.spec();
        const bool agrees = same_order ? bits_text(sums[i]) == bits_text(first[reference])
                                       : bits_text(sums[i]) == bits_text(first[i]) &&
                                             std::abs(sums[i] - first[reference]) <= tolerance;
        if (agrees) continue;
        throw Error(fmt::format("{} gives {} for the {} elements, {} gives {} on rank 0",
                                entrant.name, bits_text(sums[i]), size.elements(), referred.name,
                                bits_text(first[reference])));
      }
    });
  }

  void tell(const Entrant& entrant, const runtime::Samples& samples, double sum,
            double baseline_median) {
    const Sharing& sharing = *entrant.sharing;
    nlohmann::ordered_json row{{"candidate", entrant.name},
                               {"elements", sharing.order.elements()},
                               {"ranks", world_.size()},
                               {"threads", options_.threads},
                               {"order", sharing.order.spec()}};
    if (entrant.plan) row["plan"] = entrant.plan->spec();
    if (entrant.algorithm) row["algorithm"] = entrant.algorithm->spec();
    if (options_.shape.products) row["products"] = true;
    if (options_.shape.cells > 0) row["layout"] = options_.shape.layout();
    row["distribution"] = sharing.name;
    row["kernel"] = options_.device ? "cuda" : kernel_->name;
    row["ratio"] = runtime::summarize(samples.seconds).median / baseline_median;
    tell_times(row, samples, options_.measurement);
    row["result_bits"] = bits_text(sum);
    row["input"] = input_->description();
    if (options_.file.empty()) row["seed"] = options_.seed;
    if (options_.samples) row["samples_seconds"] = samples.seconds;
    tell_environment(row, environment_, options_.threads);
    table_.row(std::move(row));
  }

  BenchOptions options_;
  const CLI::App& command_;
  const Communicator& world_;
  bool speaks_;
  runtime::Environment environment_;
  RowTable table_;
  std::optional<Report> report_;  // on rank 0
  Progress progress_;
  const runtime::Kernel* kernel_ = nullptr;
  std::vector<BenchCandidate> candidates_;
  std::optional<PlanFile> plan_file_;
  std::deque<BenchSize> sizes_;  // a deque: entrants refer to its elements
  std::unique_ptr<input::Input> input_;
  std::optional<BenchActions> actions_;
};

void add_bench(CLI::App* const command, const Communicator& world) {
  const auto options = std::make_shared<BenchOptions>();
  std::optional<HelpGroup> group(std::in_place, *command, "Reduction");
  auto* const sizes =
      add_whole_list(*command, "-N,--elements", options->elements,
                     "numbers of synthetic elements; the plan file's if not given", Index{1})
          ->type_name("N,...");
  command
      ->add_option("file", options->file,
                   "file of float64 elements to add, as for `bracket run`; not with -N")
      ->type_name("FILE")
      ->excludes(sizes);
  add_whole(*command, "--seed", options->seed,
            "seed of the synthetic elements and of the sequence of the candidates", Index{0})
      ->capture_default_str()
      ->type_name("S");
  add_name_list(
      *command, "--candidates", options->candidates,
      fmt::format(
          "methods to compare with the irreproducible sum: {} (std::accumulate and MPI_Allreduce, "
          "not reproducible either), any plan, {}; default: all; --plan-file always adds {}",
          accumulate, other_arithmetics(), tuned));
  command
      ->add_option_function<std::string>(
          "--op",
          [options](const std::string& name) {
            if (name != "sum" && name != "dot") {
              throw Error(text("--op ", name, ": unknown; known: sum, dot"));
            }
            options->shape.products = name == "dot";
          },
          "sum of the elements, or dot product of the elements and as many synthetic factors "
          "(default: sum)")
      ->type_name("NAME");
  command
      ->add_option_function<std::string>(
          "--layout",
          [options](const std::string& written) { options->shape.read_layout(written); },
          "contiguous elements, or ghosted[:CELLS]: rows of CELLS (100) elements with two ghosts "
          "at "
          "each end (default: contiguous)")
      ->type_name("NAME");
  add_order(*command, options->order);
  add_name_list(*command, "--distribution", options->distributions,
                "assignments of elements to ranks: names, or files.json; `bracket list "
                "distributions` explains each")
      ->capture_default_str();
  add_plan_file(
      *command, options->plan_file,
      fmt::format(
          "also measure the choice in this file of `bracket tune --all --plan-file`, as the "
          "candidate {}",
          tuned));
  group.emplace(*command, "Measurement");
  add_kernel(*command, options->kernel);
  add_threads(*command, options->threads);
  command
      ->add_flag("--device", options->device,
                 "reduce copies of the elements in the memory of CUDA devices, and compare with "
                 "the sum of CUB; skipped if a rank has no device")
      ->excludes(command->get_option("--kernel"))
      ->excludes(command->get_option("--threads"))
      ->excludes(command->get_option("--op"))
      ->excludes(command->get_option("--layout"));
  options->measurement.add_to(*command, 1);
  add_footer(*command,
             "Give -N, a file or --plan-file. The table has a row for each candidate, distribution "
             "and number of "
             "elements: the median time, its 95 % interval, and the ratio to the median of "
             "the irreproducible sum (vector instructions and MPI_Allreduce) over the same "
             "distribution. With -p, bench starts the launcher itself, once for each number of "
             "ranks, and the table also has the speedup: the time of a candidate on the fewest "
             "ranks, divided by its time.");
  add_json(*command, options->json);
  options->report.add_to(*command);
  group.emplace(*command, "Output");
  command->add_flag("--samples", options->samples, "also print every sample; only with --json")
      ->needs(command->get_option("--json"));
  for (const char* name : {"file", "--plan-file", "--distribution"}) {
    refuse_pipes(*command->get_option(name),
                 [options, &world] { return world.size() > 1 || options->elements.size() > 1; });
  }
  group.emplace(*command, "Measurement");
  options->launch.add_to(*command);
  on_ranks(*command, world, [options, command, &world] {
    together(world, [&] {
      LaunchOptions::refuse(*command);
      if (options->file.empty()) require_unless_planned(*command, "--elements");
    });
    Bench(*options, *command, world).run();
  });
}

const MpiCommand bench_code("bench", add_bench);

}  // namespace

}  // namespace bracket::tools
