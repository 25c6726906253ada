#include <algorithm>
#include <utility>

#include "bracket/runtime/executor.hpp"
#include "bracket/runtime/measure.hpp"
#include "bracket/support/order_statistics.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::calibration {

namespace {

// Not powers of two, for which each rank has a single fold.
constexpr Index counts[] = {300, 700, 1500, 3000};

const char* plan_of(const Delivery& delivery) {
  return delivery.collective == Collective::reduce ? "aggregated" : "butterfly";
}

}  // namespace

StartMeasurement::StartMeasurement(const Communicator& communicator, std::optional<Rank> partner,
                                   Delivery delivery, const Kernel& kernel)
    : communicator_(communicator),
      partner_(partner),
      delivery_(delivery),
      kernel_(kernel),
      seconds_(std::size(counts)) {}

void StartMeasurement::measure() {
  const std::vector<double> elements(static_cast<std::size_t>(std::end(counts)[-1]), 1.0);
  const bool takes_part = communicator_.rank() == 0 || communicator_.rank() == partner_;
  on_some(communicator_, takes_part, [&](MPI_Comm some) {
    const Communicator ranks(some);
    const auto plan = make_plan(plan_of(delivery_));
    for (std::size_t i = 0; i < std::size(counts); ++i) {
      Executor<> executor(some, make_order("tree", counts[i]),
                          upper_distribution(counts[i], ranks.size()), *plan, delivery_,
                          DoubleSum{&kernel_});
      const auto own = std::span(elements).first(static_cast<std::size_t>(executor.held().size()));
      double result = 0;
      const auto delivered = static_cast<std::size_t>(executor.delivered().size());
      const std::function<void()> run = [&] { executor.run(own, {&result, delivered}); };
      const Method method{.repetitions = 5};
      seconds_[i].push_back(median(time_side_by_side(ranks, {&run, 1}, method).front().seconds));
    }
  });
}

double StartMeasurement::start(const Machine& machine) const {
  if (seconds_.front().empty()) return 0;  // this rank took no part
  const Rank ranks = partner_ ? 2 : 1;
  const auto plan = make_plan(plan_of(delivery_));
  std::vector<double> more;
  for (std::size_t i = 0; i < std::size(counts); ++i) {
    const Schedule schedule = make_schedule(make_order("tree", counts[i]),
                                            upper_distribution(counts[i], ranks), *plan, delivery_);
    more.push_back(interquartile_mean(seconds_[i]) - paper_cost(schedule, machine).makespan);
  }
  return std::max(0.0, quantile(std::move(more), 0.5));
}

}  // namespace bracket::calibration
