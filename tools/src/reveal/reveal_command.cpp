// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bracket/model/json.hpp"
#include "bracket/runtime/measure.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "bracket/viz/tree_dot.hpp"
#include "common/files.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "mpi/measurement.hpp"
#include "mpi/mpi_command.hpp"
#include "report/report.hpp"
#include "report/report_options.hpp"
#include "reveal/item_orders.hpp"
#include "reveal/library_algorithms.hpp"
#include "reveal/reveal_report.hpp"
#include "reveal/revealed_rows.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

struct RevealOptions {
  std::string collective = "all-reduce";
  std::vector<Index> items{1};
  Index item = 0;
  Rank root = 0;
  Index searches = 2;
  Index checks = 10;
  Index seed = 1;
  std::vector<std::string> algorithms;
  std::string library;
  bool time = false;
  MeasurementOptions measurement;
  std::string order;
  std::string schedule;
  std::string tree;
  ReportOptions report;
  bool json = false;
};

/// Orders of one algorithm for each vector length.
struct AlgorithmOrders {
  const LibraryAlgorithm* algorithm;  // null: as the library is set
  std::vector<ItemOrders> sizes{};
  RevealedTimes times{};
};

class RevealCommand {
 public:
  RevealCommand(const RevealOptions& options, const CLI::App& command, const Communicator& world)
      : options_(options), command_(command), world_(world), speaks_(world.rank() == 0) {}

  void run() {
    const runtime::Environment environment = runtime::environment(world_);
    library_ = environment.mpi_library;
    together(world_, [&] { check(); });
    std::optional<LibraryAlgorithms> algorithms;
    std::vector<AlgorithmOrders> found;
    if (options_.algorithms.empty()) {
      found.push_back({nullptr});
    } else {
      algorithms.emplace(world_, library_, collective_, options_.algorithms);
      for (const LibraryAlgorithm& one : algorithms->all()) found.push_back({&one});
    }
    for (AlgorithmOrders& one : found) reveal(one);
    if (options_.time) {
      if (speaks_) warn_of_oversubscription(environment, 1);
      measure_times(found);
    }
    progress_.clear();
    together(world_, [&] {
      if (speaks_) tell(found);
    });
  }

 private:
  void check() {
    collective_ = sum_collective_named(options_.collective);
    preloaded_ = preloaded_library(collective_);
    if (!options_.library.empty()) {
      const MpiLibrary wanted = mpi_library_named(options_.library, "--library");
      if (mpi_library_of(library_) != wanted) {
        throw Error(text("Bracket was built with ", library_, ", not with ", title_of(wanted),
                         ": choose the library that it was built with"));
      }
    }
    if (!preloaded_.empty() && (!options_.library.empty() || !options_.algorithms.empty())) {
      throw Error(text(preloaded_, " is preloaded and gets the calls before ", library_,
                       ", whose algorithms are asked for: unset LD_PRELOAD"));
    }
    const bool several =
        options_.algorithms.size() > 1 || options_.algorithms == std::vector<std::string>{"all"};
    for (const char* const name : {"--order", "--schedule", "--tree"}) {
      if (several && command_.count(name) > 0) {
        throw Error(text(name, " requires one algorithm, not several of --algorithms"));
      }
    }
    if (options_.root < 0 || options_.root >= world_.size()) {
      throw Error(text("--root ", options_.root, " is no rank: they are 0 to ", world_.size() - 1));
    }
    if (options_.root > 0 && collective_ != SumCollective::reduce) {
      throw Error("--root requires --collective reduce");
    }
    if (options_.item >= options_.items.front()) {
      throw Error(text("--item ", options_.item, ": a vector of ", options_.items.front(),
                       " numbers has the items 0 to ", options_.items.front() - 1));
    }
    for (const auto& [name, count] :
         {std::pair("--searches", options_.searches), std::pair("--checks", options_.checks)}) {
      if (count > most_repeats) {
        throw Error(text(name, ' ', count, ": at most ", most_repeats, " are possible"));
      }
    }
    for (const Index items : options_.items) {
      if (items > most_items) {
        throw Error(text("--items ", items, ": at most ", most_items, " are possible"));
      }
    }
    if (!options_.tree.empty() && !options_.tree.ends_with(".dot")) {
      throw Error(text("--tree ", options_.tree, ": the name must end in .dot; bracket draw makes ",
                       "other pictures of the file of --order"));
    }
    if (!speaks_) return;
    check_outputs(command_, {"--order", "--schedule", "--tree"}, {});
    options_.report.check(command_);
    report_.emplace(options_.report, world_.size());
    report_->fact("MPI library", library_);
    if (!preloaded_.empty()) report_->fact("Preloaded library", preloaded_);
  }

  /// The ranks whose calls use the algorithm.
  const Communicator& world_of(const AlgorithmOrders& one) const {
    return one.algorithm == nullptr ? world_ : one.algorithm->world;
  }

  /// Makes the library use the algorithm. Collective.
  void choose(const AlgorithmOrders& one) const {
    if (one.algorithm != nullptr) together(world_, [&] { one.algorithm->choose(); });
  }

  void reveal(AlgorithmOrders& one) {
    const std::string name = one.algorithm == nullptr ? "" : one.algorithm->name + ": ";
    for (const Index items : options_.items) {
      std::optional<LibrarySum> sum;
      together(world_, [&] { sum.emplace(world_of(one), collective_, options_.root, items); });
      choose(one);
      one.sizes.push_back(
          reveal_items(world_of(one), *sum,
                       {static_cast<int>(options_.searches), static_cast<int>(options_.checks),
                        options_.seed, [&](const std::string& what) {
                          if (speaks_) progress_.say(name + what);
                        }}));
    }
  }

  /// Measures all algorithms side by side, for one vector length after the other.
  void measure_times(std::vector<AlgorithmOrders>& found) {
    for (const Index items : options_.items) {
      std::vector<LibrarySum> sums;
      std::vector<double> operands;
      together(world_, [&] {
        operands.resize(static_cast<std::size_t>(items), 1);
        for (const AlgorithmOrders& one : found) {
          sums.emplace_back(world_of(one), collective_, options_.root, items);
        }
      });
      std::vector<std::function<void()>> calls;
      for (std::size_t i = 0; i < found.size(); ++i) {
        calls.emplace_back([&sum = sums[i], &operands, algorithm = found[i].algorithm] {
          if (algorithm != nullptr) algorithm->choose();
          sum.run(operands);
        });
      }
      auto samples =
          measure(world_, calls, options_.measurement, static_cast<std::uint64_t>(options_.seed),
                  speaks_ ? &progress_ : nullptr, counted(items, "item"));
      for (std::size_t i = 0; i < found.size(); ++i) {
        found[i].times.measurement = options_.measurement;
        found[i].times.samples.push_back(std::move(samples[i]));
      }
    }
  }

  void tell(const std::vector<AlgorithmOrders>& found) {
    std::vector<ItemOrders> all_orders;
    std::vector<Json> all_rows;
    RevealedSum sum{world_.size(), collective_, options_.root, library_, preloaded_};
    for (const AlgorithmOrders& one : found) {
      if (one.algorithm != nullptr) {
        sum.algorithm = one.algorithm->name;
        sum.number = one.algorithm->number;
      }
      if (&one != &found.front() && !options_.json) std::cout << '\n';
      const std::vector<Json> rows = rows_of(sum, one.sizes, one.times);
      print_rows(sum, one.sizes, rows, options_.json);
      if (!report_->wanted()) continue;
      all_orders.insert(all_orders.end(), one.sizes.begin(), one.sizes.end());
      all_rows.insert(all_rows.end(), rows.begin(), rows.end());
    }
    if (report_->wanted()) {
      report_->add(reveal_table(all_orders, std::move(all_rows)));
      report_->write();
    }
    if (found.size() == 1) write_files(sum, found.front().sizes.front());
  }

  void write_files(const RevealedSum& sum, const ItemOrders& found) const {
    const std::string& order_file = options_.order;
    const std::string& schedule_file = options_.schedule;
    const std::string& tree_file = options_.tree;
    if (order_file.empty() && schedule_file.empty() && tree_file.empty()) return;
    const ItemClass& chosen = found.of(options_.item);
    if (!found.known() || !chosen.order) {
      throw Error(text("item ", options_.item, " has no fixed order: no file was written"));
    }
    const RankedOrder& order = *chosen.order;
    const bool one_of_several =
        !(order_file.empty() && tree_file.empty()) && found.varies_by_item();
    if (one_of_several && command_.count("--item") == 0) {
      std::cerr << "bracket: items have several orders, and the file has that of item 0: "
                   "--item chooses another\n";
    }
    // Made before any file is written, since there may be none.
    std::optional<Schedule> schedule;
    if (!schedule_file.empty()) schedule = schedule_of(sum, found);
    if (!order_file.empty()) support::write_file(order_file, to_json(order).dump() + '\n');
    if (!tree_file.empty()) {
      const auto held = lower_distribution(world_.size(), world_.size());
      support::write_file(tree_file, tree_dot(order.order, held.with_rank_order(order.ranks)));
    }
    if (schedule) support::write_file(schedule_file, to_json(*schedule).dump() + '\n');
  }

  static constexpr Index most_items = 1 << 24;
  static constexpr Index most_repeats = 1'000'000;  // searches or checks

  const RevealOptions& options_;
  const CLI::App& command_;
  const Communicator& world_;
  bool speaks_;
  std::string library_;
  std::string preloaded_;
  SumCollective collective_ = SumCollective::all_reduce;
  std::optional<Report> report_;  // on rank 0
  mutable Progress progress_;
};

void add_reveal(CLI::App* const command, const Communicator& world) {
  const auto options = std::make_shared<RevealOptions>();
  {
    const HelpGroup group(*command, "Reduction");
    command
        ->add_option("--collective", options->collective,
                     "sum of the MPI library: all-reduce, reduce, reduce-scatter or scan (of which "
                     "the result of the last rank is revealed)")
        ->capture_default_str()
        ->type_name("NAME");
    add_whole_list(*command, "--items", options->items,
                   "length of the vectors; give several lengths to see whether the order depends "
                   "on the length",
                   Index{1})
        ->capture_default_str()
        ->type_name("M,...");
    add_whole(*command, "--root", options->root, "rank that gets the result of a reduce")
        ->capture_default_str()
        ->type_name("RANK");
    add_name_list(*command, "--algorithms", options->algorithms,
                  "algorithms of the library to reveal one after the other, in place of its own "
                  "choice: names of the library, such as rabenseifner or segmented_ring:65536 (the "
                  "size of segments in bytes), default for its own choice, or the word all");
    command
        ->add_option("--library", options->library,
                     "openmpi or mpich: refuse to run with another MPI library, or with a "
                     "preloaded one in its place")
        ->type_name("NAME");
  }
  {
    const HelpGroup group(*command, "Search");
    add_whole(*command, "--searches", options->searches,
              "times that each order is searched for, with other probes", Index{1})
        ->capture_default_str()
        ->type_name("COUNT");
    add_whole(*command, "--checks", options->checks,
              "random sums, each computed twice and compared with the order found", Index{0})
        ->capture_default_str()
        ->type_name("COUNT");
    add_whole(*command, "--seed", options->seed, "seed of the probes and the random sums", Index{0})
        ->capture_default_str()
        ->type_name("SEED");
  }
  {
    const HelpGroup group(*command, "Measurement");
    auto* const time = command->add_flag(
        "--time", options->time,
        "also measure the time of the collective, of all algorithms side by side");
    for (CLI::Option* const option : options->measurement.add_to(*command)) {
      need_in_words(*command, option->get_name(), time);
    }
  }
  const HelpGroup group(*command, "Output");
  add_whole(*command, "--item", options->item,
            "item of the first vector length whose order --order and --tree write", Index{0})
      ->capture_default_str()
      ->type_name("ITEM");
  command
      ->add_option("--order", options->order,
                   "write the order to this file, which other commands read with --order and "
                   "--rank-order")
      ->type_name("FILE.json");
  command
      ->add_option("--schedule", options->schedule,
                   "write the schedule of the recognised algorithm to this file, which run, "
                   "simulate and verify read")
      ->type_name("FILE.json");
  command->add_option("--tree", options->tree, "draw the tree of additions")->type_name("FILE.dot");
  options->report.add_to(*command);
  add_json(*command, options->json);
  add_footer(
      *command,
      "reveal finds the order in which the MPI library adds the numbers of the ranks, from the "
      "results of its sums: mpiexec -n 6 bracket reveal. It calls the library with its settings "
      "in the environment. A call is a probe of all items of a vector.\n"
      "To add in that order with Bracket, give its file to --order and to --rank-order: mpiexec -n "
      "6 bracket run --synthetic 6 --all --order FILE.json --rank-order FILE.json.");
  refuse_rank_count(*command);
  on_ranks(*command, world,
           [options, command, &world] { RevealCommand(*options, *command, world).run(); });
}

const MpiCommand reveal_code("reveal", add_reveal);

}  // namespace

}  // namespace bracket::tools
