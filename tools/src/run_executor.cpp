#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "bracket/model/error.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/runtime/executor.hpp"
#include "bracket/runtime/measure.hpp"
#include "bracket/runtime/native.hpp"
#include "report.hpp"
#include "run.hpp"

namespace bracket::tools {

namespace {

/// What `run_executors` does on one rank.
class ExecutorRun {
 public:
  ExecutorRun(const RunOptions& options, const Communicator& world)
      : options_(options),
        world_(world),
        speaks_(world.rank() == 0),
        environment_(environment(world)),
        report_(run_columns({{"result", "result"},
                             {"result_hex", "hexadecimal"},
                             {"result_bits", "bits"},
                             {"result_digest", "digest of the bits"}}),
                options.json) {}

  void run() {
    together(world_, [&] {
      kernel_ = &select_kernel(options_.kernel);
      check_threads(options_.threads);
      options_.schedule.read_tuned();
      items_ = options_.schedule.items;
      if (!options_.schedule_file.empty()) {
        schedule_ = read_schedule(options_.schedule_file);
        items_ = schedule_->items;
      }
      input_ = options_.input.open(items_);
      options_.schedule.take_tuned(elements(), world_.size());
      order_ = make_sum_order(options_.schedule.order, elements(), options_.schedule.order_said());
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
    if (!schedule_) {
      make_distributions();
      introduce();
      for (std::size_t i = 0; i < distributions_.size(); ++i) {
        run_distribution(options_.schedule.distributions[i], distributions_[i]);
      }
    } else {
      run_schedule(*schedule_);
    }
    if (speaks_) report_.finish();
  }

 private:
  [[nodiscard]] Index elements() const { return input_->elements() / items_; }

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

  /// All of it before time goes into measurements.
  void make_distributions() {
    together(world_, [&] {
      for (const auto& name : options_.schedule.distributions) {
        distributions_.push_back(options_.schedule.distribution(name, elements(), world_.size()));
        for (const auto& plan : plans_) {
          check_fit(options_.schedule.problem(*order_, distributions_.back()), *plan);
        }
      }
    });
  }

  void run_distribution(const std::string& name, const Distribution& distribution) {
    const Range held = distribution.range(world_.rank());
    together(world_, [&] { read(held); });
    take_digest(held);
    for (const auto& plan : plans_) {
      const Problem problem = options_.schedule.problem(*order_, distribution);
      const Names names{order_->spec(), plan->spec(), name};
      if (plan->scheduled()) {
        Executor executor(world_.handle(), problem, *plan, DoubleSum{kernel_}, options_.threads);
        measure(executor, names, problem.delivery);
      } else {
        NativeExecutor executor(world_.handle(), problem, DoubleSum{kernel_}, options_.threads);
        measure(executor, names, problem.delivery);
      }
    }
  }

  void run_schedule(const Schedule& schedule) {
    together(world_, [&] {
      if (schedule.elements() != elements()) {
        throw Error(fmt::format("{}: the schedule is for {} elements, the input has {}",
                                options_.schedule_file, schedule.elements(), elements()));
      }
      if (schedule.ranks() != world_.size()) {
        throw Error(fmt::format("{}: the schedule is for {} ranks, there are {}",
                                options_.schedule_file, schedule.ranks(), world_.size()));
      }
      const Verdict verdict = verify(schedule);
      if (!verdict.ok()) {
        throw Error(fmt::format("{}: {}", options_.schedule_file,
                                describe(schedule, verdict.violations.front())));
      }
      read(schedule.distribution.range(world_.rank()));
    });
    take_digest(schedule.distribution.range(world_.rank()));
    introduce();
    Executor executor(world_.handle(), schedule, DoubleSum{kernel_}, options_.threads);
    measure(executor, {schedule.order, schedule.plan, options_.schedule_file}, schedule.delivery);
  }

  void read(Range held) {
    const Range numbers{held.begin * items_, held.end * items_};
    make_room(elements_, numbers);
    input_->read(numbers, elements_);
  }

  void take_digest(Range held) {
    const auto numbers = static_cast<Index>(elements_.size());
    const DigestReduction<double> digest;
    elements_digest_ =
        elements_digest(world_, digest.fold(elements_.data(), numbers, 1, held.begin * items_));
  }

  /// All items of the result, on every rank.
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

  struct Names {
    std::string order;
    std::string plan;
    std::string distribution;
  };

  /// Messages that this rank has sent; nothing if only the MPI library knows.
  static std::optional<Index> sent(const Executor<>& executor) { return executor.messages_sent(); }
  static std::optional<Index> sent(const NativeExecutor<>&) { return std::nullopt; }

  template <class AnyExecutor>
  void measure(AnyExecutor& executor, const Names& names, Delivery delivery) {
    if (speaks_) progress_.say(fmt::format("{} over {} ...", names.plan, names.distribution));
    const Range delivered = executor.delivered();
    std::vector<double> result(static_cast<std::size_t>(delivered.size()));
    const auto samples = time_repetitions(world_, options_.warm_up, options_.repetitions,
                                          [&] { executor.run(elements_, result); });
    const Summary times = summarize(samples);
    const std::vector<double> whole = whole_result(result, delivery);
    together(world_, [&] {
      for (std::size_t i = 0; i < result.size(); ++i) {
        const double other = whole[static_cast<std::size_t>(delivered.begin) + i];
        if (bits_text(result[i]) != bits_text(other)) {
          throw Error(fmt::format("has {} for item {}, rank {} has {}", bits_text(result[i]),
                                  delivered.begin + static_cast<Index>(i), delivery.root,
                                  bits_text(other)));
        }
      }
    });
    auto messages = sent(executor);
    if (messages) {
      const Index runs = Index{options_.warm_up} + options_.repetitions;
      messages = messages_of_a_run(world_, *messages, runs);
    }
    if (!speaks_) return;
    nlohmann::ordered_json row{{"input", input_->description()},
                               {"elements", elements()},
                               {"elements_digest", elements_digest_},
                               {"ranks", world_.size()},
                               {"order", names.order},
                               {"plan", names.plan},
                               {"distribution", names.distribution},
                               {"kernel", kernel_->name},
                               {"threads", options_.threads}};
    options_.schedule.tell(row);
    tell_delivery(row, delivery, items_);  // a file's, if it came from one
    if (messages) row["messages"] = *messages;
    tell_result(row, whole);
    tell_times(row, times);
    tell_environment(row, environment_, options_.threads);
    report_.row(std::move(row));
  }

  RunOptions options_;
  const Communicator& world_;
  bool speaks_;
  Environment environment_;
  Report report_;
  Progress progress_;
  const Kernel* kernel_ = nullptr;
  std::optional<Schedule> schedule_;  // given whole
  Index items_ = 1;
  std::unique_ptr<Input> input_;
  std::unique_ptr<Order> order_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<Distribution> distributions_;
  std::vector<double> elements_;
  std::string elements_digest_;
};

}  // namespace

void run_executors(const RunOptions& options, const Communicator& world) {
  ExecutorRun(options, world).run();
}

}  // namespace bracket::tools
