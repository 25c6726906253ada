#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>
#include <set>

#include "bracket/model/error.hpp"
#include "bracket/model/json.hpp"
#include "bracket/runtime/executor.hpp"
#include "bracket/runtime/native.hpp"
#include "mpi.hpp"
#include "options.hpp"
#include "programs.hpp"
#include "report.hpp"

namespace bracket::tools {

namespace {

struct Options {
  std::vector<Index> elements;
  Index seed = 1;
  std::vector<std::string> candidates;  // all that are known if empty
  std::string order = "tree";
  std::string distribution = "upper";
  std::string kernel;
  int threads = 1;
  int repetitions = Method{}.repetitions;
  int warm_up = Method{}.warm_up;
  bool samples = false;
  bool json = false;
};

/// What the others are measured against.
constexpr std::string_view baseline = "irreproducible";
constexpr std::string_view accumulate = "accumulate";

/// A way of summing that leaves the sum on every rank.
struct Candidate {
  std::string name;            ///< as asked for
  std::unique_ptr<Plan> plan;  ///< none if the bits depend on the ranks

  [[nodiscard]] std::string spec() const { return plan ? plan->spec() : name; }
};

std::vector<std::string> known_candidates() {
  std::vector<std::string> names{std::string(baseline), std::string(accumulate)};
  for (const auto& plan : plans()) names.emplace_back(plan.entry.name);
  return names;
}

Candidate make_candidate(const std::string& name) {
  if (name == baseline || name == accumulate) return {name, nullptr};
  const auto plan = name.substr(0, name.find(':'));
  if (std::none_of(plans().begin(), plans().end(),
                   [&](const PlanEntry& known) { return known.entry.name == plan; })) {
    throw Error(fmt::format("unknown candidate '{}'; known: {}", name,
                            fmt::join(known_candidates(), ", ")));
  }
  return {name, make_plan(name)};
}

/// The baseline and those asked for.
std::vector<Candidate> make_candidates(const std::vector<std::string>& names) {
  std::vector<Candidate> candidates;
  candidates.push_back(make_candidate(std::string(baseline)));
  std::set<std::string> seen;
  for (const auto& name : names.empty() ? known_candidates() : names) {
    Candidate candidate = make_candidate(name);
    if (!seen.insert(candidate.spec()).second) {
      throw Error(text("--candidates: ", candidate.spec(), " is asked for twice"));
    }
    if (name != baseline) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// What `bench` does on one rank.
class Bench {
 public:
  Bench(const Options& options, const Communicator& world)
      : options_(options),
        world_(world),
        speaks_(world.rank() == 0),
        environment_(environment(world)),
        report_({{"candidate", "candidate"},
                 {"elements", "elements"},
                 {"median_seconds", "median [us]", Column::Shown::microseconds},
                 {"low_seconds", "95 % from [us]", Column::Shown::microseconds},
                 {"high_seconds", "to [us]", Column::Shown::microseconds},
                 {"ratio", text("ratio to ", baseline), Column::Shown::ratio}},
                options.json ? Form::json_list : Form::table) {}

  void run() {
    together(world_, [&] {
      kernel_ = &select_kernel(options_.kernel);
      check_threads(options_.threads);
      slices_.resize(static_cast<std::size_t>(options_.threads));
      candidates_ = make_candidates(options_.candidates);
      for (const Index elements : options_.elements) add_size(elements);
      const Index most = *std::max_element(options_.elements.begin(), options_.elements.end());
      input_ = synthetic_input(most, static_cast<std::uint64_t>(options_.seed));
    });
    introduce();
    for (const auto& size : sizes_) measure(size);
    if (speaks_) report_.finish();
  }

 private:
  /// One number of elements, and what is measured with it.
  struct Size {
    std::unique_ptr<Order> order;
    Distribution distribution;
    std::vector<const Candidate*> candidates;
    std::vector<std::string> objections;  // to those that are left out

    [[nodiscard]] Problem problem() const { return {*order, distribution, Delivery::to_all()}; }
  };

  void add_size(Index elements) {
    Size size{make_sum_order(options_.order, elements),
              make_or_read_distribution(options_.distribution, elements, world_.size()),
              {},
              {}};
    for (const auto& candidate : candidates_) {
      try {
        if (candidate.plan) check_fit(size.problem(), *candidate.plan);
        size.candidates.push_back(&candidate);
      } catch (const Error& objection) {
        // Who asks for no candidate by name wants those that make sense.
        if (!options_.candidates.empty()) throw;
        size.objections.emplace_back(objection.what());
      }
    }
    make_room(elements_, size.distribution.range(world_.rank()));
    sizes_.push_back(std::move(size));
  }

  void introduce() const {
    if (!speaks_) return;
    if (!options_.json) {
      std::cout << fmt::format(
                       "{} element{} (synthetic, seed {}) on {}{}, kernel {}, {}\n"
                       "median of {} after {} to warm up, the candidates in random order; {} is a "
                       "vector sum and MPI_Allreduce\n",
                       fmt::join(options_.elements, ", "),
                       options_.elements == std::vector<Index>{1} ? "" : "s", options_.seed,
                       counted(world_.size(), "rank"), of_threads(options_.threads), kernel_->name,
                       environment_.mpi_library, counted(options_.repetitions, "repetition"),
                       options_.warm_up, baseline)
                << std::flush;
    }
    for (const auto& size : sizes_) {
      for (const auto& objection : size.objections) {
        fmt::print(stderr, "bracket: left out: {}\n", objection);
      }
    }
    warn_of_oversubscription(environment_, options_.threads);
  }

  void measure(const Size& size) {
    together(world_, [&] {
      const Range held = size.distribution.range(world_.rank());
      make_room(elements_, held);
      input_->read(held, elements_);
    });
    std::vector<double> sums(size.candidates.size());
    std::vector<std::function<void()>> actions;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      actions.push_back(action(*size.candidates[i], size, sums[i]));
    }
    const auto samples = time_side_by_side(
        world_, actions,
        {.warm_up = options_.warm_up,
         .repetitions = options_.repetitions,
         .seed = static_cast<std::uint64_t>(options_.seed),
         .before_round = [&](int round) { say_round(size.order->elements(), round); }});
    check(size, sums);
    if (!speaks_) return;
    progress_.clear();
    const double baseline_median = summarize(samples.front().seconds).median;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      tell(size, *size.candidates[i], samples[i], sums[i], baseline_median);
    }
  }

  void say_round(Index elements, int round) {
    if (!speaks_) return;
    progress_.say(fmt::format("{}: round {} of {} ...", counted(elements, "element"),
                              Index{round} + options_.warm_up + 1,
                              Index{options_.warm_up} + options_.repetitions));
  }

  /// What is timed of `candidate`: it leaves the result in `sum`.
  std::function<void()> action(const Candidate& candidate, const Size& size, double& sum) {
    if (candidate.name == baseline) {
      return [this, &sum] { sum = all_reduce(sum_of_slices(kernel_->float64.unordered_sum)); };
    }
    if (candidate.name == accumulate) {
      return [this, &sum] {
        sum = all_reduce(sum_of_slices([](const double* elements, Index count) {
          return std::accumulate(elements, elements + count, 0.0);
        }));
      };
    }
    try {
      if (!candidate.plan->scheduled()) return action<NativeExecutor<>>(sum, size.problem());
      return action<Executor<>>(sum, size.problem(), *candidate.plan);
    } catch (const CollectiveError& failure) {
      throw CollectiveError(
          text(candidate.name, " of ", size.order->elements(), " elements: ", failure.what()));
    }
  }

  template <class AnyExecutor, class... Arguments>
  std::function<void()> action(double& sum, const Arguments&... arguments) {
    const auto executor = std::make_shared<AnyExecutor>(world_.handle(), arguments...,
                                                        DoubleSum{kernel_}, options_.threads);
    return [this, executor, &sum] { executor->run(elements_, {&sum, 1}); };
  }

  /// By each thread its share, where there are several.
  template <class SumOf>
  double sum_of_slices(SumOf sum_of) {
    const auto count = static_cast<Index>(elements_.size());
    const Index threads = options_.threads;
    if (threads == 1) return sum_of(elements_.data(), count);
    for_each_part(options_.threads, threads, [&](Index part) {
      const Index begin = count / threads * part + std::min(count % threads, part);
      const Index size = count / threads + (part < count % threads ? 1 : 0);
      slices_[static_cast<std::size_t>(part)] = sum_of(elements_.data() + begin, size);
    });
    return std::accumulate(slices_.begin(), slices_.end(), 0.0);
  }

  /// As a program does it that does not care for the bits: the library combines in any order.
  [[nodiscard]] double all_reduce(double value) const {
    double sum = 0;
    check_mpi(MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, world_.handle()),
              "MPI_Allreduce");
    return sum;
  }

  /// All plans have given the same bits on all ranks, and the others the same sum but for rounding.
  void check(const Size& size, const std::vector<double>& sums) const {
    std::vector<double> first = sums;
    check_mpi(
        MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_DOUBLE, 0, world_.handle()),
        "MPI_Bcast");
    const auto by_plan =
        std::find_if(size.candidates.begin(), size.candidates.end(),
                     [](const Candidate* candidate) { return candidate->plan != nullptr; });
    const bool any_plan = by_plan != size.candidates.end();
    const auto reference =
        static_cast<std::size_t>(any_plan ? by_plan - size.candidates.begin() : 0);
    double magnitudes = 0;
    for (const double element : elements_) magnitudes += std::abs(element);
    // No order of N additions is further than half of this from the sum.
    const double tolerance = static_cast<double>(size.order->elements()) *
                             std::numeric_limits<double>::epsilon() * all_reduce(magnitudes);
    together(world_, [&] {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const bool agrees = size.candidates[i]->plan
                                ? bits_text(sums[i]) == bits_text(first[reference])
                                : std::abs(sums[i] - first[reference]) <= tolerance;
        if (agrees) continue;
        throw Error(fmt::format("{} gives {} for the {} elements, {} gives {} on rank 0",
                                size.candidates[i]->name, bits_text(sums[i]),
                                size.order->elements(), size.candidates[reference]->name,
                                bits_text(first[reference])));
      }
    });
  }

  void tell(const Size& size, const Candidate& candidate, const Samples& samples, double sum,
            double baseline_median) {
    const Summary times = summarize(samples.seconds);
    nlohmann::ordered_json row{{"candidate", candidate.name},
                               {"elements", size.order->elements()},
                               {"ranks", world_.size()},
                               {"threads", options_.threads},
                               {"order", size.order->spec()}};
    if (candidate.plan) row["plan"] = candidate.plan->spec();
    row["distribution"] = options_.distribution;
    row["kernel"] = kernel_->name;
    row["median_seconds"] = times.median;
    row["low_seconds"] = times.low;
    row["high_seconds"] = times.high;
    row["ratio"] = times.median / baseline_median;
    row["result_bits"] = bits_text(sum);
    row["repetitions"] = times.repetitions;
    row["warm_up"] = options_.warm_up;
    row["calls_per_sample"] = samples.calls;
    row["seed"] = options_.seed;
    if (options_.samples) row["samples_seconds"] = samples.seconds;
    tell_environment(row, environment_, options_.threads);
    report_.row(std::move(row));
  }

  const Options& options_;
  const Communicator& world_;
  bool speaks_;
  Environment environment_;
  Report report_;
  Progress progress_;
  const Kernel* kernel_ = nullptr;
  std::vector<Candidate> candidates_;
  std::vector<Size> sizes_;
  std::unique_ptr<Input> input_;
  std::vector<double> elements_;
  std::vector<double> slices_;  // sums, one for each thread
};

}  // namespace

void add_bench(CLI::App& app, const Communicator& world) {
  const auto options = std::make_shared<Options>();
  auto* const command = app.add_subcommand("bench", helper_for("bench")->description);
  add_whole_list(*command, "-N,--elements", options->elements, "numbers of made-up elements",
                 Index{1})
      ->required()
      ->type_name("N,...");
  add_whole(*command, "--seed", options->seed,
            "of the made-up elements, and of the order of the candidates", Index{0})
      ->capture_default_str()
      ->type_name("S");
  add_name_list(*command, "--candidates", options->candidates,
                fmt::format("what is measured beside {}: {} or plans; all if not given", baseline,
                            accumulate));
  add_order(*command, options->order);
  command
      ->add_option("--distribution", options->distribution,
                   "who holds what: a name, or a file.json; `bracket list` names them")
      ->capture_default_str()
      ->type_name("NAME");
  add_kernel(*command, options->kernel);
  add_threads(*command, options->threads);
  add_whole(*command, "--repetitions", options->repetitions, "measured rounds of all candidates", 1)
      ->capture_default_str();
  add_whole(*command, "--warm-up", options->warm_up,
            "rounds before those; they find how many calls make up a sample", 1)
      ->capture_default_str();
  add_json(*command, options->json, "one JSON list, in which each row is an object");
  command->add_flag("--samples", options->samples, "every sample, not only the median")
      ->needs(command->get_option("--json"));
  refuse_rank_count(*command);
  on_ranks(*command, world, [options, &world] { Bench(*options, world).run(); });
}

}  // namespace bracket::tools
