// SPDX-License-Identifier: MIT

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/measure.hpp"
#include "bracket/runtime/memory.hpp"
#include "bracket/support/order_statistics.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::runtime::calibration {

namespace {

// Not powers of two, for which each rank has a single fold.
constexpr Index small_counts[] = {300, 700, 1500, 3000};
// Parts of the elements that fill the first cache: the two ranks' shares fill it as well.
constexpr double large_parts[] = {2.3, 2.9, 3.7, 5.3, 9.1};

const char* plan_of(const Delivery& delivery) {
  return delivery.collective == Collective::reduce ? "aggregated" : "butterfly";
}

/// MPI_Allreduce of one float64 on the ranks of a communicator.
std::function<void()> library_run(MPI_Comm ranks) {
  return [ranks, element = 1.0, sum = 0.0]() mutable {
    check_mpi(MPI_Allreduce(&element, &sum, 1, MPI_DOUBLE, MPI_SUM, ranks), "MPI_Allreduce");
  };
}

/// A run of a reducer of `count` ones on the ranks of a communicator.
std::function<void()> reducer_run(MPI_Comm ranks, const Operation& operation, const Kernel& kernel,
                                  const Delivery& delivery, const char* plan, Index count) {
  const Communicator communicator(ranks);
  const Index held =
      upper_distribution(count, communicator.size()).range(communicator.rank()).size();
  Settings settings;
  settings.plan = plan;
  if (delivery.collective == Collective::reduce) settings.root = delivery.root;
  settings.algorithm = operation.plain() ? "" : operation.algorithm.spec();
  settings.widened = operation.widened;
  settings.checked = operation.checked;
  settings.kernel = kernel.name;
  const auto cells = Layout::contiguous(held);
  const Field field = operation.of_products() ? Field::products(cells, cells) : Field(cells);
  const std::shared_ptr<AnyReducer> reducer =
      make_reducer(ranks, operation.type, operation.op, {field}, settings);
  const auto elements = ones(operation.type, held);
  constexpr std::size_t most_result_bytes = 64;
  const auto result = make_zeroed(most_result_bytes, 64);
  const std::size_t bytes = static_cast<std::size_t>(held) * bytes_of(operation.type);
  const bool products = operation.of_products();
  return [=] {
    FieldArrays arrays{.elements = elements.get(), .element_bytes = bytes};
    if (products) {
      arrays.factors = elements.get();
      arrays.factor_bytes = bytes;
    }
    reducer->run(
        1, [&](std::size_t) { return arrays; }, result.get(), 1);
  };
}

/// Does what programs do between two reductions: it exchanges a number with the other rank and
/// updates two vectors. After it, a reduction finds other code in the caches than its own.
std::function<void()> other_work(const Communicator& communicator) {
  const MPI_Comm ranks = communicator.handle();
  const Rank other = communicator.size() - 1 - communicator.rank();
  constexpr std::size_t rows = 500;
  return [=, x = std::vector<double>(rows, 1), y = std::vector<double>(rows, 1),
          halo = 0.0]() mutable {
    check_mpi(MPI_Sendrecv(&x.back(), 1, MPI_DOUBLE, other, 0, &halo, 1, MPI_DOUBLE, other, 0,
                           ranks, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
    for (std::size_t i = 0; i < rows; ++i) {
      y[i] += halo * 1e-9;
      x[i] -= y[i] * 1e-9;
    }
  };
}

constexpr int samples_of_a_run = 5;

double seconds_of(const Communicator& ranks, const std::function<void()>& run, bool in_a_row) {
  const Method method{.repetitions = samples_of_a_run, .in_a_row = in_a_row};
  return support::median(time_side_by_side(ranks, {&run, 1}, method).front().seconds);
}

/// Seconds by which other work takes longer with the run.
double seconds_in_program(const Communicator& ranks, const std::function<void()>& run) {
  const auto work = other_work(ranks);
  const std::function<void()> both[] = {work, [&] {
                                          work();
                                          run();
                                        }};
  const Method method{.repetitions = samples_of_a_run, .lead_in_seconds = 1e-3, .in_a_row = true};
  const auto samples = time_side_by_side(ranks, both, method);
  return std::max(0.0, support::median(samples[1].seconds) - support::median(samples[0].seconds));
}

/// Measured minus predicted seconds.
double seconds_beyond(const TimedRun& run, const Machine& machine) {
  return run.seconds - paper_cost(run.schedule, machine).makespan;
}

}  // namespace

StartMeasurement::StartMeasurement(const Communicator& communicator, std::optional<Rank> partner,
                                   Delivery delivery, const char* plan, std::vector<Index> counts,
                                   MakeRun make_run)
    : communicator_(communicator),
      partner_(partner),
      delivery_(delivery),
      plan_(plan),
      counts_(std::move(counts)),
      make_run_(std::move(make_run)),
      seconds_(counts_.size()) {}

StartMeasurement StartMeasurement::of_sum(const Communicator& communicator,
                                          std::optional<Rank> partner, Delivery delivery,
                                          const Kernel& kernel, Index first_cache_elements) {
  std::vector<Index> counts(std::begin(small_counts), std::end(small_counts));
  if (partner) {
    for (const double part : large_parts) {
      counts.push_back(static_cast<Index>(part * static_cast<double>(first_cache_elements)));
    }
  }
  const char* const plan = plan_of(delivery);
  return {communicator,
          partner,
          delivery,
          plan,
          std::move(counts),
          [=, &kernel](MPI_Comm ranks, Index count) {
            return reducer_run(ranks, Operation{}, kernel, delivery, plan, count);
          }};
}

StartMeasurement StartMeasurement::of_messages(const Communicator& communicator, Rank partner,
                                               const Kernel& kernel) {
  constexpr const char* plan = "direct";
  const Delivery delivery = Delivery::to(0);
  return {communicator,
          partner,
          delivery,
          plan,
          std::vector<Index>(std::begin(small_counts), std::end(small_counts)),
          [=, &kernel](MPI_Comm ranks, Index count) {
            return reducer_run(ranks, Operation{}, kernel, delivery, plan, count);
          }};
}

StartMeasurement StartMeasurement::of_library(const Communicator& communicator, Rank partner,
                                              Before before) {
  const Delivery delivery = Delivery::to_all();
  StartMeasurement start(communicator, partner, delivery, plan_of(delivery), {2},
                         [](MPI_Comm ranks, Index) { return library_run(ranks); });
  start.before_ = before;
  return start;
}

StartMeasurement StartMeasurement::of_reducer(const Communicator& communicator,
                                              std::optional<Rank> partner,
                                              const Operation& operation, const Kernel& kernel) {
  std::vector<Index> counts;
  if (operation.baseline == Baseline::none) {
    counts.assign(std::begin(small_counts), std::end(small_counts));
  }
  const Delivery delivery = partner ? Delivery::to_all() : Delivery::to(0);
  const char* const plan = plan_of(delivery);
  StartMeasurement start(communicator, partner, delivery, plan, std::move(counts),
                         [=, &kernel](MPI_Comm ranks, Index count) {
                           return reducer_run(ranks, operation, kernel, delivery,
                                              partner ? plan : "", count);
                         });
  if (partner) start.before_ = Before::other_work;
  start.operation_ = operation;
  return start;
}

void StartMeasurement::measure() {
  const bool takes_part = communicator_.rank() == 0 || communicator_.rank() == partner_;
  on_some(communicator_, takes_part, [&](MPI_Comm some) {
    const Communicator ranks(some);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::function<void()> run = make_run_(some, counts_[i]);
      seconds_[i].push_back(before_ == Before::other_work
                                ? seconds_in_program(ranks, run)
                                : seconds_of(ranks, run, before_ == Before::other_runs));
    }
  });
}

void StartMeasurement::keep(const std::vector<std::size_t>& moments) {
  for (auto& seconds : seconds_) {
    if (seconds.empty()) continue;
    std::vector<double> kept;
    for (const std::size_t moment : moments) kept.push_back(seconds[moment]);
    seconds = std::move(kept);
  }
}

std::vector<TimedRun> StartMeasurement::runs(std::size_t begin, std::size_t end) const {
  std::vector<TimedRun> runs;
  if (seconds_.empty() || seconds_.front().empty()) return runs;
  const auto plan = make_plan(plan_);
  const std::string order = operation_.associative() ? "associative" : operation_.algorithm.order;
  for (std::size_t i = begin; i < end; ++i) {
    const Index count = counts_[i];
    runs.push_back({make_schedule(make_order(order, count),
                                  upper_distribution(count, partner_ ? 2 : 1), *plan, delivery_),
                    support::interquartile_mean(seconds_[i])});
  }
  return runs;
}

std::vector<TimedRun> StartMeasurement::small_runs() const {
  return runs(0, std::min(counts_.size(), std::size(small_counts)));
}

double StartMeasurement::more_than_predicted(const Machine& found,
                                             const std::vector<TimedRun>& runs) const {
  if (runs.empty()) return 0;
  const Machine machine = found.computing(operation_);
  std::vector<double> more;
  for (const TimedRun& run : runs) more.push_back(seconds_beyond(run, machine));
  return support::median(std::move(more));
}

double StartMeasurement::start(const Machine& machine) const {
  return std::max(0.0, more_than_predicted(machine, small_runs()));
}

double StartMeasurement::start_with_full_cache(const Machine& machine) const {
  return std::max(0.0, more_than_predicted(machine, runs(std::size(small_counts), counts_.size())));
}

double seconds_per_receive(Machine machine, std::span<const TimedRun> several,
                           std::span<const TimedRun> single) {
  double found = 0;
  // One step is exact only if all receives are on the critical path before and after it.
  for (int step = 0; step < 4; ++step) {
    machine.work->seconds_per_receive = found;
    std::vector<double> more;
    for (std::size_t i = 0; i < several.size(); ++i) {
      const Index receives = several[i].schedule.messages();
      if (receives < 2) continue;
      more.push_back((seconds_beyond(several[i], machine) - seconds_beyond(single[i], machine)) /
                     static_cast<double>(receives - 1));
    }
    if (!more.empty()) found = std::max(0.0, found + support::median(std::move(more)));
  }
  return found;
}

}  // namespace bracket::runtime::calibration
