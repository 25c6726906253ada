// SPDX-License-Identifier: MIT

#include <algorithm>
#include <numeric>

#include "measure/calibration_parts.hpp"

namespace bracket::runtime::calibration {

namespace {

constexpr double most_apart = 1.25;

bool alike(double one, double other) {
  return one <= most_apart * other && other <= most_apart * one;
}

}  // namespace

std::vector<std::size_t> moments_like(std::span<const double> probes, double usual,
                                      std::size_t least) {
  std::vector<std::size_t> moments;
  for (std::size_t moment = 0; moment < probes.size(); ++moment) {
    if (alike(probes[moment], usual)) moments.push_back(moment);
  }
  if (moments.size() >= least) return moments;
  moments.resize(probes.size());
  std::iota(moments.begin(), moments.end(), std::size_t{0});
  return moments;
}

RunStarts::RunStarts(const Communicator& communicator, Rank partner, const Kernel& kernel,
                     Index first_cache_elements, const std::vector<Operation>& operations)
    : communicator_(communicator),
      first_cache_elements_(first_cache_elements),
      all_reduce_(StartMeasurement::of_sum(communicator, partner, Delivery::to_all(), kernel,
                                           first_cache_elements)),
      in_program_(StartMeasurement::of_reducer(communicator, partner, {}, kernel)),
      reduce_(StartMeasurement::of_sum(communicator, partner, Delivery::to(0), kernel,
                                       first_cache_elements)),
      alone_(StartMeasurement::of_sum(communicator, {}, Delivery::to(0), kernel,
                                      first_cache_elements)),
      probe_(StartMeasurement::of_library(communicator, partner, Before::other_runs)),
      library_(StartMeasurement::of_library(communicator, partner, Before::other_work)),
      direct_(StartMeasurement::of_messages(communicator, partner, kernel)) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    // A reducer that rounds before it adds makes two reductions, which no schedule describes.
    const bool is_one = operations[i].algorithm.arithmetic != Arithmetic::pre_rounded;
    if (operations[i].baseline != Baseline::none || !is_one) continue;
    operations_in_program_.emplace_back(
        i, StartMeasurement::of_reducer(communicator, partner, operations[i], kernel));
  }
}

void RunStarts::measure(int moments) {
  for (int moment = 0; moment < moments; ++moment) {
    for_each([](StartMeasurement& start) { start.measure(); });
    double probe = communicator_.rank() == 0 ? probe_.latest() : 0;
    check_mpi(MPI_Bcast(&probe, 1, MPI_DOUBLE, 0, communicator_.handle()), "MPI_Bcast");
    probes_.push_back(probe);
  }
}

double RunStarts::usual() const { return (probes_[messages_ - 1] + probes_[messages_]) / 2; }

bool RunStarts::steady() const { return alike(probes_[messages_ - 1], probes_[messages_]); }

std::size_t RunStarts::like_messages() const { return moments_like(probes_, usual(), 0).size(); }

double RunStarts::apart() const {
  const auto [least, most] = std::minmax_element(probes_.begin(), probes_.end());
  return *most / *least - 1;
}

void RunStarts::find(Machine machine, MeasuredWork& work,
                     std::vector<Machine::MeasuredOperation>& operations) {
  constexpr std::size_t least = 3;
  const auto moments = moments_like(probes_, usual(), least);
  for_each([&](StartMeasurement& start) { start.keep(moments); });
  const auto shared = [&](double seconds) {
    check_mpi(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, communicator_.handle()), "MPI_Bcast");
    return seconds;
  };
  work.seconds_per_receive =
      shared(seconds_per_receive(machine, direct_.small_runs(), reduce_.small_runs()));
  machine.work = work;
  work.start = shared(all_reduce_.start(machine));
  work.start_in_program = shared(in_program_.start(machine));
  for (auto& [number, start] : operations_in_program_) {
    operations[number].times.start_in_program = shared(start.start(machine));
  }
  work.start_reduce = shared(reduce_.start(machine));
  work.start_alone = shared(alone_.start(machine));
  const double more = shared(all_reduce_.start_with_full_cache(machine)) - work.start +
                      shared(reduce_.start_with_full_cache(machine)) - *work.start_reduce;
  work.first_cache = {first_cache_elements_, std::max(0.0, more / 2)};
  // The library does not handle its messages as a run does.
  machine.work->seconds_per_receive = 0;
  work.start_library = shared(library_.start(machine.by_library()));
}

}  // namespace bracket::runtime::calibration
