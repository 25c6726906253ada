// SPDX-License-Identifier: MIT

#include "tune/tune_options.hpp"

#include <algorithm>
#include <optional>

#include "bracket/model/json.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "common/help.hpp"
#include "models/prediction.hpp"
#include "sweep/jobs_option.hpp"

namespace bracket::tools {

namespace {

/// An option for a figure of machines that some models ignore.
struct FigureOfSome {
  const char* option;
  Fact fact;
};

constexpr FigureOfSome figures_of_some[] = {
    {"--overhead", &Knowledge::overhead},
    {"--gap", &Knowledge::gap},
    {"--gap-per-byte", &Knowledge::gap_per_byte},
    {"--overhead-per-byte", &Knowledge::overhead_per_byte},
    {"--eager", &Knowledge::eager},
    {"--node-latency", &Knowledge::nodes},
    {"--node-overhead", &Knowledge::nodes},
    {"--node-gap", &Knowledge::nodes},
    {"--node-gap-per-byte", &Knowledge::nodes},
};

/// The default of --budget times the ranks, on many ranks: an evaluation takes as long as there are
/// ranks, and a search should end within a minute on two cores.
constexpr Index rank_tries = 800'000;
constexpr Index least_tries = 8;

}  // namespace

void TuneOptions::add_to(CLI::App& command) {
  std::optional<HelpGroup> group(std::in_place, command, "Reduction");
  command
      .add_option_function<std::string>(
          "-N,--elements",
          [this](const std::string& written) {
            const auto colon = written.find(':');
            from = support::parse_count(written.substr(0, colon), "-N");
            to = colon == std::string::npos ? from
                                            : support::parse_count(written.substr(colon + 1), "-N");
          },
          "number of elements, or a range that includes both ends")
      ->required()
      ->type_name("N|FROM:TO");
  add_whole(command, "-p,--ranks", ranks, "number of ranks", Rank{1})->required()->type_name("P");
  group.emplace(command, "Schedule");
  auto* const alpha_option =
      add_number(command, "--alpha", request.alpha,
                 "a boundary may move by at most this share of N / p from the equal split");
  auto* const down_option = command.add_flag_callback(
      "--down", [this] { request.moves = Moves::downwards; },
      "move boundaries only towards smaller element numbers (thesis, Algorithm 3)");
  auto* const distribution_option =
      command
          .add_option(
              "--distribution", distribution,
              "assignment of elements to ranks, which is then not tuned: a name, or a file.json; "
              "not with --alpha, --down and --front")
          ->type_name("NAME")
          ->excludes(alpha_option)
          ->excludes(down_option);
  add_name_list(command, "--order", request.orders,
                "bracketings of the elements to try; another order may give other bits")
      ->capture_default_str();
  add_name_list(
      command, "--plan", request.plans,
      "plans (routes of partial results between ranks) to try, or the word all for every plan. "
      "If you leave out a parameter, such as 8 in aggregated:8, tune tunes it, too")
      ->capture_default_str();
  add_delivery(command, request.delivery, request.items);
  add_rank_order(command, rank_order);
  arithmetic.add_to(command);
  command.get_option("--plan")->default_str(
      "buffered; with an option of the group Arithmetic: aggregated, or butterfly with --all");
  group.emplace(command, "Search");
  command
      .add_option("--objective", objective,
                  "cost to minimise; `bracket list objectives` explains each")
      ->capture_default_str()
      ->type_name("NAME");
  machine.add_to(command);
  machine.add_threads_to(command);
  add_send_seconds(command, send_seconds);
  machine.add_loggops_to(command);
  auto* const eager = command.get_option("--eager");
  eager->description(eager->get_description() + "; requires --objective loggops");
  machine.add_nodes_to(command);
  network.add_to(command);
  command.get_option("--platform")
      ->description(
          "nodes and links for the objective simgrid (others refuse this option): a name, or a "
          "file; `bracket list platforms` explains each");
  refuse_pipes(*command.get_option("--platform"), [] { return true; });
  group.emplace(command, "Search");
  budget_option =
      add_whole(command, "--budget", budget,
                text("number of distributions that the search tries; only with --objective "
                     "loggp, loggops or simgrid, and not with --distribution or a range of N "
                     "(default: ",
                     budget, ", on more than ", rank_tries / budget, " ranks ", rank_tries,
                     " / p, at least ", least_tries, ")"),
                Index{0})
          ->type_name("TRIES");
  auto* const seconds_option =
      command
          .add_option_function<double>(
              "--seconds", [this](double given) { seconds = given; },
              "stop after T seconds, or at SIGINT, and use the best choice found so far; not with "
              "a range of N and --front")
          ->check([](const std::string& written) {
            const double given = parse_number(written, "--seconds");
            if (given <= 0 || given > 1e9) {
              throw Error(text("--seconds must be more than 0 and at most 1e9, not ", written));
            }
            return std::string();
          })
          ->type_name("T");
  add_whole(command, "--seed", seed, "seed of the search; only with a search, as --budget",
            Index{0})
      ->capture_default_str()
      ->type_name("S");
  auto* const jobs_option = add_jobs(
      command, jobs,
      "number of candidates to evaluate at the same time, each in a process of its own; if not "
      "given, as many as there are cores; not with --front");
  auto* const explain_option =
      command.add_flag("--explain", explain,
                       "print all candidates, the excess of each over the best, and lower bounds "
                       "of the cost; not with a range of N and --front");
  auto* const front_option = command.add_flag(
      "--front", front,
      "instead of tuning, print a trade-off table: the fewest messages of the plan direct for each "
      "limit on the elements of a rank; not with a range of N, --distribution, --explain, --jobs, "
      "--seconds, --output or --plan-file");
  group.emplace(command, "Output");
  command
      .add_option("-o,--output", distribution_file,
                  "write the best distribution alone to this JSON file, which other commands read "
                  "with --distribution; not with a range of N and --front")
      ->type_name("FILE.json")
      ->excludes(front_option);
  command
      .add_option(
          "--plan-file", plan_file,
          "write the best order, plan and distribution to this file, which run, bench, simulate, "
          "compare and others read with --plan-file; not with --front")
      ->type_name("FILE.json")
      ->excludes(front_option);
  group.emplace(command, "Rules for an MPI library");
  command
      .add_option(
          "--for",
          "openmpi or mpich: tune the algorithms of this MPI library in place of a plan, with "
          "the options that `bracket tune --for openmpi --help` describes")
      ->type_name("NAME");
  explain_option->excludes(front_option);
  seconds_option->excludes(front_option);
  jobs_option->excludes(front_option);
  distribution_option->excludes(front_option);
  add_json(command, json);
  report.add_to(command);
  add_footer(
      command,
      "By default, tune minimises the plan's score of the plan buffered: the number of messages of "
      "the plan, times the time of a message, plus the time of the additions on the rank with the "
      "most elements. It assumes that all messages travel one after the other. It ranks choices, "
      "but is not a prediction of the time. By score, tune compares a few named distributions for "
      "each plan; one of them is the exact optimum of the plan direct. The objectives loggp, "
      "loggops and simgrid are predictions, by which tune also searches for boundaries.\n"
      "tune prints up to ten of the best candidates, the best first: plan, distribution, the "
      "largest number of elements on a rank, messages and cost. Without --plan-file and -o, it "
      "writes no file.\n"
      "tune splits a range of N into parts, such as 1000:2000, whose end is at most twice their "
      "beginning. For each part, it evaluates the candidates at nine values of N and chooses the "
      "candidate with the smallest worst-case slowdown.");
}

void TuneOptions::settle(const CLI::App& command) {
  for (const std::string& order : request.orders) {
    if (order.ends_with(".json") || Spec::parse(order).name == explicit_order().name) {
      throw Error(text("--order ", excerpt(order), ": tune takes no explicit orders; choose ",
                       fixed_orders(), " or associative"));
    }
  }
  if (!arithmetic.given()) return;
  const bool order_given = command.count("--order") > 0;
  for (const std::string& order : request.orders) {
    ScheduleOptions schedule;
    schedule.order = order;
    operation = arithmetic.operation(schedule, order_given, from);
    operation->check();
  }
  if (!order_given) request.orders = {operation->algorithm.order};
  if (command.count("--plan") == 0 && !front) {
    request.plans = {plan_without_order(request.delivery.collective)};
  }
  static_cast<void>(computing_machine());
}

void TuneOptions::check(const CLI::App& command) const {
  const CostModel& minimised = model();
  for (const auto& [option, fact] : figures_of_some) {
    if (command.count(option) > 0) require(minimised, Role::objective, fact, option);
  }
  if (from != to && distribution.ends_with(".json")) {
    throw Error(text("--distribution ", distribution,
                     ": a file is for one number of elements, not for a range of -N"));
  }
  const std::string without_search = from != to               ? "a range of -N"
                                     : distribution != ""     ? "--distribution"
                                     : !minimised.knows.paths ? "--objective " + objective
                                     : tries() == 0           ? "--budget 0"
                                                              : "";
  if (without_search.empty()) return;
  for (const char* option : {"--budget", "--seed"}) {
    const bool none = option == std::string("--budget") && tries() == 0;
    if (none || command.count(option) == 0) continue;
    throw Error(text(option, " requires a search: with ", without_search, " there is none"));
  }
}

void TuneOptions::warn_of_defaults() const {
  auto given = machine.given;
  if (send_seconds) given.insert("--t-send");
  // The score's cost of a message is either given or computed from these figures.
  const std::vector<std::string> of_score =
      send_seconds ? std::vector<std::string>{"--t-add"}
                   : std::vector<std::string>{"--latency", "--overhead", "--t-add"};
  const Knowledge& knows = model().knows;
  auto figures = knows.paths ? machine.figures() : machine.figures(of_score);
  std::erase_if(figures, [&](const Figure& figure) {
    return (figure.option == "--overhead" && !knows.overhead) ||
           (figure.option == "--gap" && !knows.gap);
  });
  tools::warn_of_defaults(machine.source, figures, given);
  warn_of_flops(machine.machine, operation);
}

std::string TuneOptions::machine_line() const {
  if (model().knows.paths) return machine.line();
  return score_line(machine.source, machine.machine, message_seconds());
}

double TuneOptions::message_seconds() const {
  const Machine& figures = machine.machine;
  return send_seconds.value_or(figures.latency + 2 * figures.overhead);
}

TuneTask TuneOptions::task(Index elements) const {
  TuneRequest complete = request;
  complete.elements = elements;
  complete.ranks = ranks;
  if (rank_order) complete.rank_order = make_rank_order(*rank_order, ranks);
  if (!distribution.empty()) {
    const auto held = make_or_read_distribution(distribution, elements, ranks);
    complete.held = {distribution, !distribution.ends_with(".json"),
                     in_rank_order(held, rank_order)};
  }
  complete.costs = costs(elements);
  const Knowledge& knows = model().knows;
  complete.evaluations = !knows.paths || complete.held ? 0 : tries();
  complete.machine = computing_machine();
  complete.skips_busy = knows.paths && knows.overhead;
  complete.seed = static_cast<std::uint64_t>(seed);
  return {std::move(complete), objective_for(elements)};
}

Index TuneOptions::tries() const {
  if (budget_option->count() > 0) return budget;
  return std::clamp(rank_tries / std::max<Rank>(ranks, 1), least_tries, budget);
}

ScoreCosts TuneOptions::costs(Index elements) const {
  return {message_seconds(), add_seconds_of(computing_machine(), elements, ranks, request.items)};
}

Objective TuneOptions::objective_for(Index elements) const {
  machine.machine.check();
  network.check_known_by(model(), Role::objective);
  Conditions conditions{.machine = computing_machine(),
                        .costs = costs(elements),
                        .network = network.network(),
                        .placed = network.any_placed()};
  return [&model = model(), conditions = std::move(conditions)](const Problem& problem,
                                                                const Plan& plan) {
    return predict(model, Scenario(problem, plan, conditions)).makespan;
  };
}

}  // namespace bracket::tools
