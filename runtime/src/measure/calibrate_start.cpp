#include <algorithm>
#include <utility>

#include "bracket/runtime/executor.hpp"
#include "bracket/runtime/measure.hpp"
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

}  // namespace

StartMeasurement::StartMeasurement(const Communicator& communicator, std::optional<Rank> partner,
                                   Delivery delivery, const Kernel& kernel,
                                   Index first_cache_elements)
    : communicator_(communicator),
      partner_(partner),
      delivery_(delivery),
      kernel_(kernel),
      counts_(std::begin(small_counts), std::end(small_counts)) {
  if (partner) {
    for (const double part : large_parts) {
      counts_.push_back(static_cast<Index>(part * static_cast<double>(first_cache_elements)));
    }
  }
  seconds_.resize(counts_.size());
}

void StartMeasurement::measure() {
  const std::vector<double> elements(static_cast<std::size_t>(counts_.back()), 1.0);
  const bool takes_part = communicator_.rank() == 0 || communicator_.rank() == partner_;
  on_some(communicator_, takes_part, [&](MPI_Comm some) {
    const Communicator ranks(some);
    const auto plan = make_plan(plan_of(delivery_));
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      Executor<> executor(some, make_order("tree", counts_[i]),
                          upper_distribution(counts_[i], ranks.size()), *plan, delivery_,
                          DoubleSum{&kernel_});
      const auto own = std::span(elements).first(static_cast<std::size_t>(executor.held().size()));
      double result = 0;
      const auto delivered = static_cast<std::size_t>(executor.delivered().size());
      const std::function<void()> run = [&] { executor.run(own, {&result, delivered}); };
      const Method method{.repetitions = 5};
      seconds_[i].push_back(
          support::median(time_side_by_side(ranks, {&run, 1}, method).front().seconds));
    }
  });
}

double StartMeasurement::more_than_predicted(const Machine& machine, std::size_t begin,
                                             std::size_t end) const {
  if (seconds_.front().empty()) return 0;  // this rank took no part
  const Rank ranks = partner_ ? 2 : 1;
  const auto plan = make_plan(plan_of(delivery_));
  std::vector<double> more;
  for (std::size_t i = begin; i < end; ++i) {
    const Schedule schedule = make_schedule(
        make_order("tree", counts_[i]), upper_distribution(counts_[i], ranks), *plan, delivery_);
    more.push_back(support::interquartile_mean(seconds_[i]) -
                   paper_cost(schedule, machine).makespan);
  }
  return support::median(std::move(more));
}

double StartMeasurement::start(const Machine& machine) const {
  return std::max(0.0, more_than_predicted(machine, 0, std::size(small_counts)));
}

double StartMeasurement::start_with_full_cache(const Machine& machine) const {
  return std::max(0.0, more_than_predicted(machine, std::size(small_counts), counts_.size()));
}

}  // namespace bracket::runtime::calibration
