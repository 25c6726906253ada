// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>

#include "bracket/model/schedule.hpp"
#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/threads.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "mpi/held_elements.hpp"
#include "mpi/unordered_sums.hpp"
#include "rows/row_table.hpp"
#include "run/run_command.hpp"

namespace bracket::tools {

namespace {

/// `run_sums` on one rank.
class SumRun {
 public:
  SumRun(const RunOptions& options, const Communicator& world)
      : options_(options),
        world_(world),
        speaks_(world.rank() == 0),
        environment_(runtime::environment(world)),
        table_(run_columns({{"result", "result"},
                            {"result_hex", "hexadecimal"},
                            {"result_bits", "bits"},
                            {"result_digest", "digest of the bits"}}),
               options.json) {}

  void run() {
    together(world_, [&] {
      kernel_ = &runtime::select_kernel(options_.kernel);
      runtime::check_threads(options_.threads);
      items_ = options_.schedule.items;
      input_ = options_.input.open(items_);
      options_.schedule.take_tuned(elements(), world_.size());
      take_baseline();
      const ScheduleOptions& schedule = options_.schedule;
      order_ = baseline_ ? make_order(schedule.order, elements())
                         : make_sum_order(schedule.order, elements(), schedule.order_said());
      if (items_ > std::numeric_limits<int>::max()) {
        throw Error(fmt::format("elements of {} items: run takes at most {}", items_,
                                std::numeric_limits<int>::max()));
      }
      for (const auto& plan : options_.schedule.plans) plans_.push_back(make_plan(plan));
      const Rank root = options_.schedule.delivery.root;
      if (root < 0 || root >= world_.size()) {
        throw Error(fmt::format("--root {} is no rank: they are 0 to {}", root, world_.size() - 1));
      }
    });
    agree_on_input(world_, *input_);
    make_distributions();
    read_elements();
    introduce();
    make_candidates();
    measure();
    if (speaks_) table_.finish();
  }

 private:
  /// A measured candidate: a plan over a distribution, or a schedule from a file.
  struct PlannedCandidate {
    std::string order;
    std::string plan;
    std::string distribution;
    Delivery delivery;
    Range held{};       // numbers on this rank
    Range delivered{};  // items of the result on this rank
    std::function<void(std::span<const double> elements, std::span<double> result)> reduce{};
    /// Number of messages that this rank has sent in all runs; null if only the MPI library knows.
    std::function<Index()> messages_sent{};
    std::vector<double> result{};
    Index runs = 0;
  };

  [[nodiscard]] Index elements() const { return input_->elements() / items_; }

  void take_baseline() {
    if (!options_.arithmetic.given()) return;
    const auto refuse = [&](const char* given) {
      throw Error(
          text("--algorithm ", options_.arithmetic.algorithms.front(), " excludes ", given));
    };
    if (options_.given) refuse("--schedule");
    if (options_.plan_given && options_.schedule.plans != std::vector<std::string>{"native"}) {
      refuse("plans other than native");
    }
    baseline_ = options_.arithmetic.settle(options_.schedule, elements(), 0, true);
  }

  void introduce() const {
    if (!speaks_) return;
    if (!options_.json) {
      std::cout << fmt::format("{} ({}) on {}{}, kernel {}, {}\n",
                               counted(elements(), "element") +
                                   (items_ > 1 ? fmt::format(" of {} items", items_) : ""),
                               input_->description(), counted(world_.size(), "rank"),
                               of_threads(options_.threads), kernel_->name,
                               environment_.mpi_library)
                << std::flush;
    }
    warn_of_oversubscription(environment_, options_.threads);
  }

  /// Makes the distributions and checks all plans, before any time-consuming measurement.
  void make_distributions() {
    together(world_, [&] {
      if (options_.given) {
        options_.check_given(elements(), world_.size());
        distributions_.push_back(options_.given->distribution);
        return;
      }
      for (const auto& name : options_.schedule.distributions) {
        distributions_.push_back(options_.schedule.distribution(name, elements(), world_.size()));
        if (baseline_) continue;
        for (const auto& plan : plans_) {
          check_fit(options_.schedule.problem(*order_, distributions_.back()), *plan);
        }
      }
    });
  }

  [[nodiscard]] Range held_numbers(const Distribution& distribution) const {
    const Range held = distribution.range(world_.rank());
    return {held.begin * items_, held.end * items_};
  }

  void read_elements() {
    together(world_, [&] {
      std::vector<Range> ranges;
      for (const Distribution& distribution : distributions_) {
        ranges.push_back(held_numbers(distribution));
      }
      elements_.make_room(std::move(ranges));
      elements_.read(*input_);
    });
    const Range numbers = held_numbers(distributions_.front());
    const runtime::DigestReduction<double> digest;
    elements_digest_ = elements_digest(
        world_, digest.fold(elements_.of(numbers).data(), numbers.size(), 1, numbers.begin));
  }

  /// Collective, because making a reducer is.
  void make_candidates() {
    if (baseline_) {
      add_baseline();
      return;
    }
    if (const auto& given = options_.given) {
      add_candidate(
          {given->order, given->plan, options_.schedule_file, given->delivery},
          distributions_.front(), true,
          make_reducer(world_.handle(), Type::float64, Op::sum, *given, &*given, settings()));
      return;
    }
    for (std::size_t i = 0; i < distributions_.size(); ++i) {
      for (const auto& plan : plans_) {
        const Problem problem = options_.schedule.problem(*order_, distributions_[i]);
        const PlannedCandidate candidate{order_->spec(), plan->spec(),
                                         options_.schedule.distributions[i], problem.delivery};
        add_candidate(candidate, distributions_[i], plan->scheduled(),
                      make_reducer(world_.handle(), Type::float64, Op::sum,
                                   header_of(problem, *plan), nullptr, settings()));
      }
    }
  }

  void add_baseline() {
    const Delivery& delivery = options_.schedule.delivery;
    const Index delivered =
        delivery.collective == Collective::all_reduce || world_.rank() == delivery.root ? 1 : 0;
    unordered_.emplace(world_, *kernel_, options_.threads, delivery);
    for (std::size_t i = 0; i < distributions_.size(); ++i) {
      PlannedCandidate& candidate = candidates_.emplace_back();
      candidate = {order_->spec(), plans_.front()->spec(), options_.schedule.distributions[i],
                   delivery};
      candidate.held = held_numbers(distributions_[i]);
      candidate.delivered = {0, delivered};
      candidate.result.resize(static_cast<std::size_t>(delivered));
      candidate.reduce = [this](std::span<const double> elements, std::span<double> result) {
        const double sum = unordered_->sum(baseline_->baseline, elements);
        if (!result.empty()) result.front() = sum;
      };
    }
  }

  [[nodiscard]] Settings settings() const {
    Settings settings;
    settings.threads = options_.threads;
    settings.kernel = kernel_->name;
    return settings;
  }

  void add_candidate(PlannedCandidate candidate, const Distribution& distribution, bool scheduled,
                     std::shared_ptr<AnyReducer> reducer) {
    candidate.held = held_numbers(distribution);
    candidate.delivered = reducer->delivered();
    candidate.result.resize(static_cast<std::size_t>(candidate.delivered.size()));
    candidate.reduce = [reducer](std::span<const double> elements, std::span<double> result) {
      const auto arrays = [elements](std::size_t) {
        return FieldArrays{.elements = elements.data(), .element_bytes = elements.size_bytes()};
      };
      reducer->run(1, arrays, result.data(), result.size());
    };
    if (scheduled) {
      candidate.messages_sent = [reducer] { return reducer->messages_sent(); };
    }
    candidates_.push_back(std::move(candidate));
  }

  /// Returns all items of the result on every rank.
  std::vector<double> whole_result(const std::vector<double>& mine, Delivery delivery) const {
    std::vector<double> whole(static_cast<std::size_t>(items_));
    const auto count = static_cast<int>(items_);
    if (delivery.collective != Collective::reduce_scatter) {
      if (!mine.empty()) whole = mine;
      check_mpi(MPI_Bcast(whole.data(), count, MPI_DOUBLE, delivery.root, world_.handle()),
                "MPI_Bcast");
      return whole;
    }
    std::vector<int> counts;
    std::vector<int> begins;
    for (Rank rank = 0; rank < world_.size(); ++rank) {
      const Range block = delivery.wanted(rank, world_.size(), items_);
      counts.push_back(static_cast<int>(block.size()));
      begins.push_back(static_cast<int>(block.begin));
    }
    check_mpi(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, whole.data(),
                             counts.data(), begins.data(), MPI_DOUBLE, world_.handle()),
              "MPI_Allgatherv");
    return whole;
  }

  void measure() {
    std::vector<std::function<void()>> actions;
    for (PlannedCandidate& candidate : candidates_) {
      actions.emplace_back([&candidate, elements = elements_.of(candidate.held)] {
        candidate.reduce(elements, candidate.result);
        ++candidate.runs;
      });
    }
    const auto samples = tools::measure(
        world_, actions, options_.measurement, options_.input.seed, speaks_ ? &progress_ : nullptr,
        counted(static_cast<std::int64_t>(candidates_.size()), "candidate"));
    for (std::size_t i = 0; i < candidates_.size(); ++i) tell(candidates_[i], samples[i]);
  }

  void tell(const PlannedCandidate& candidate, const runtime::Samples& samples) {
    const Delivery& delivery = candidate.delivery;
    const std::vector<double> whole = whole_result(candidate.result, delivery);
    together(world_, [&] {
      for (std::size_t i = 0; i < candidate.result.size(); ++i) {
        const Index item = candidate.delivered.begin + static_cast<Index>(i);
        const double other = whole[static_cast<std::size_t>(item)];
        if (bits_text(candidate.result[i]) != bits_text(other)) {
          throw Error(fmt::format("has {} for item {}, rank {} has {}",
                                  bits_text(candidate.result[i]), item, delivery.root,
                                  bits_text(other)));
        }
      }
    });
    std::optional<Index> messages;
    if (candidate.messages_sent) {
      messages = messages_of_a_run(world_, candidate.messages_sent(), candidate.runs);
    }
    if (!speaks_) return;
    nlohmann::ordered_json row{{"input", input_->description()},
                               {"elements", elements()},
                               {"elements_digest", elements_digest_},
                               {"ranks", world_.size()},
                               {"order", candidate.order},
                               {"plan", candidate.plan},
                               {"distribution", candidate.distribution},
                               {"kernel", kernel_->name},
                               {"threads", options_.threads}};
    if (baseline_) tell_operation(row, *baseline_);
    options_.schedule.tell(row);
    if (messages) row["messages"] = *messages;
    tell_result(row, whole);
    tell_times(row, samples, options_.measurement);
    tell_environment(row, environment_, options_.threads);
    table_.row(std::move(row));
  }

  RunOptions options_;
  const Communicator& world_;
  bool speaks_;
  runtime::Environment environment_;
  RowTable table_;
  Progress progress_;
  const runtime::Kernel* kernel_ = nullptr;
  std::optional<Operation> baseline_;  // from --algorithm
  std::optional<UnorderedSums> unordered_;
  Index items_ = 1;
  std::unique_ptr<input::Input> input_;
  std::optional<Order> order_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<Distribution> distributions_;
  HeldElements elements_;
  std::string elements_digest_;
  std::vector<PlannedCandidate> candidates_;
};

}  // namespace

void run_sums(const RunOptions& options, const Communicator& world) {
  SumRun(options, world).run();
}

}  // namespace bracket::tools
