#include <algorithm>

#include "bracket/model/error.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/executor.hpp"
#include "bracket/runtime/measure.hpp"
#include "caches.hpp"
#include "calibration_parts.hpp"

namespace bracket::calibration {

namespace {

/// Seconds of a call on the slowest rank. Ranks do not wait for each other in `action`: a sample is
/// of many calls without a barrier or a look at the clock between them.
double time(const Communicator& communicator, const std::function<void()>& action,
            int repetitions) {
  constexpr double least_sample_seconds = 20e-6;
  constexpr int most_calls = 1024;
  int calls = 1;
  const std::function<void()> sample = [&] {
    for (int call = 0; call < calls; ++call) action();
  };
  const auto measured = [&](int samples) {
    const Method method{
        .warm_up = 2, .repetitions = samples, .least_sample_seconds = 0, .lead_in_seconds = 0};
    return low(time_side_by_side(communicator, {&sample, 1}, method).front().seconds, 0.25);
  };
  while (calls < most_calls && measured(2) < least_sample_seconds) calls *= 2;
  return measured(repetitions) / calls;
}

bool supported_everywhere(const Communicator& communicator, const Kernel& kernel) {
  int supported = kernel.supported() ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &supported, 1, MPI_INT, MPI_MIN, communicator.handle()),
            "MPI_Allreduce");
  return supported != 0;
}

/// Seconds that a run of two elements on two ranks takes more than LogGP says.
double more_than_predicted(MPI_Comm pair, const char* plan_name, Delivery delivery,
                           const Kernel& kernel, const Machine& machine, bool quick) {
  const auto order = make_order("tree", 2);
  const auto distribution = lower_distribution(2, 2);
  const auto plan = make_plan(plan_name);
  Executor<> executor(pair, *order, distribution, *plan, delivery, DoubleSum{&kernel});
  const double element = 1;
  double result = 0;
  const auto delivered = static_cast<std::size_t>(executor.delivered().size());
  const std::function<void()> run = [&] { executor.run({&element, 1}, {&result, delivered}); };
  const Method method{.repetitions = quick ? 20 : 100};
  return low(time_side_by_side(Communicator(pair), {&run, 1}, method).front().seconds, 0.25) -
         paper_cost(make_schedule(*order, distribution, *plan, delivery), machine).makespan;
}

}  // namespace

std::vector<double> make_elements(Rank ranks_on_host) {
  constexpr Index mebibyte = Index{1} << 20;
  const Index bytes = std::clamp(4 * last_cache_bytes() / std::max<Rank>(ranks_on_host, 1),
                                 64 * mebibyte, 256 * mebibyte);
  const auto count = static_cast<std::size_t>(bytes) / sizeof(double);
  try {
    return std::vector<double>(count, 1.0);
  } catch (const std::bad_alloc&) {
    throw Error(text("no memory for ", count, " elements of 8 bytes"));
  }
}

MeasuredWork measure_work(const Communicator& communicator, const Kernel& kernel,
                          const std::vector<double>& elements, bool quick) {
  const int repetitions = quick ? 8 : 30;
  ComputationOf<DoubleSum, Vectors<DoubleSum>> computation(DoubleSum{&kernel}, 1, 1, 1,
                                                           {elements.data(), 1});
  MeasuredWork work;
  double target = 0;
  const auto measure = [&](Index count) {
    const double seconds = time(
        communicator, [&] { computation.fold_own(0, count, 0, 1, &target); }, repetitions);
    const double before = work.folds.empty() ? 0 : work.folds.back().seconds;
    work.folds.push_back({count, std::max(seconds, before)});
  };
  const auto most = static_cast<Index>(elements.size());
  for (Index count = 1; count < most; count *= 2) {
    measure(count);
    // Caches end between powers of two.
    if (const Index between = count / 2 * 3; !quick && count >= 4096 && between < most) {
      measure(between);
    }
  }
  measure(most);
  const double one = 1;
  work.seconds_per_join = time(
      communicator, [&] { computation.join(&target, &one, 0, 1, &target); }, repetitions);
  return work;
}

double measure_start(const Communicator& communicator, Rank partner, const Kernel& kernel,
                     const Machine& machine, bool quick) {
  const Rank rank = communicator.rank();
  const bool takes_part = rank == 0 || rank == partner;
  MPI_Comm pair = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(communicator.handle(), takes_part ? 0 : MPI_UNDEFINED, rank, &pair),
            "MPI_Comm_split");
  double start = 0;
  if (takes_part) {
    start = (more_than_predicted(pair, "aggregated", Delivery::to(0), kernel, machine, quick) +
             more_than_predicted(pair, "butterfly", Delivery::to_all(), kernel, machine, quick)) /
            2;
    check_mpi(MPI_Comm_free(&pair), "MPI_Comm_free");
  }
  rest(communicator);
  return std::max(0.0, start);
}

std::vector<KernelRate> measure_kernels(const Communicator& communicator,
                                        const std::vector<double>& elements, bool quick) {
  constexpr Index few = 2048;
  const auto most = static_cast<Index>(elements.size());
  std::vector<KernelRate> rates;
  for (const Kernel& kernel : kernels()) {
    if (!supported_everywhere(communicator, kernel)) continue;
    const auto rate = [&](Index count, int repetitions) {
      volatile double result = 0;
      return time(
                 communicator, [&] { result = kernel.float64.sum(elements.data(), count); },
                 repetitions) /
             static_cast<double>(count - 1);
    };
    rates.push_back({kernel.name, rate(few, quick ? 8 : 30), rate(most, quick ? 2 : 10)});
  }
  return rates;
}

}  // namespace bracket::calibration
