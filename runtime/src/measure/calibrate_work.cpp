#include <algorithm>
#include <span>

#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/measure.hpp"
#include "bracket/runtime/operation.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/order_statistics.hpp"
#include "bracket/support/text.hpp"
#include "measure/caches.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::runtime::calibration {

namespace {

/// Seconds of a call of `action` on the slowest rank. Ranks do not wait for each other in `action`,
/// so a sample contains many calls without a barrier or a look at the clock in between.
double time(const Communicator& communicator, const std::function<void()>& action,
            int repetitions) {
  constexpr double least_sample_seconds = 20e-6;
  constexpr int most_calls = 1024;
  int calls = 1;
  const std::function<void()> sample = [&] {
    for (int call = 0; call < calls; ++call) action();
  };
  const auto measured = [&](int samples, double lead_in_seconds) {
    const Method method{.warm_up = 1,
                        .repetitions = samples,
                        .least_sample_seconds = 0,
                        .lead_in_seconds = lead_in_seconds};
    return support::quantile(time_side_by_side(communicator, {&sample, 1}, method).front().seconds,
                             0.5);
  };
  while (calls < most_calls && measured(2, 0) < least_sample_seconds) calls *= 2;
  return measured(repetitions, repetitions > 5 ? 1e-3 : 0.2e-3) / calls;
}

bool supported_everywhere(const Communicator& communicator, const Kernel& kernel) {
  int supported = kernel.supported() ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &supported, 1, MPI_INT, MPI_MIN, communicator.handle()),
            "MPI_Allreduce");
  return supported != 0;
}

/// From this count on, few samples are enough.
constexpr Index many = Index{1} << 20;

/// Calls `take(count)` for each number of elements in a table, up to `most`.
template <class Take>
void for_each_count(Index most, bool quick, Take&& take) {
  for (Index count = 1; count < most; count *= 2) {
    take(count);
    // Cache sizes lie between powers of two, too.
    if (const Index between = count / 2 * 3; !quick && count >= 4096 && between < most) {
      take(between);
    }
  }
  take(most);
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

WorkMeasurement::WorkMeasurement(const Communicator& communicator, const Kernel& kernel,
                                 const std::vector<double>& elements, bool quick)
    : communicator_(communicator), kernel_(kernel), elements_(elements), quick_(quick) {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
      "MPI_Comm_split_type");
  int rank = 0;
  int size = 0;
  check_mpi(MPI_Comm_rank(host, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(host, &size), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
  on_host_ = rank;
  check_mpi(MPI_Allreduce(&size, &most_on_host_, 1, MPI_INT, MPI_MAX, communicator.handle()),
            "MPI_Allreduce");
}

MeasuredWork WorkMeasurement::measure() {
  MeasuredWork work;
  on_some(communicator_, on_host_ == 0, [&](MPI_Comm some) {
    const Communicator ranks(some);
    work.folds = folds(ranks);
    work.copies = copies(ranks);
    work.seconds_per_join = join(ranks);
  });
  for (Rank together = 2; together / 2 < most_on_host_; together *= 2) {
    const Rank count = std::min(together, most_on_host_);
    on_some(communicator_, on_host_ < count, [&](MPI_Comm some) {
      work.folds_together.push_back({count, folds(Communicator(some))});
    });
  }
  ++round_;
  return work;
}

/// Elements of this round. Each round uses other pages, because the way pages share a cache is
/// random, in a real run too. The first element has the offset in its page that a large array has,
/// because the speed of a fold depends on it.
const double* WorkMeasurement::window(std::size_t count) const {
  constexpr std::size_t rounds = 5;
  constexpr std::size_t page = 4096 / sizeof(double);
  const std::size_t room = elements_.size() - count;
  return elements_.data() + room / rounds * (round_ % rounds) / page * page;
}

std::vector<MeasuredWork::Fold> WorkMeasurement::folds(const Communicator& ranks) const {
  std::vector<MeasuredWork::Fold> times;
  const std::size_t largest =
      quick_ ? std::min(elements_.size(), std::size_t{1} << 23) : elements_.size();
  for_each_count(static_cast<Index>(largest), quick_, [&](Index count) {
    ComputationOf<DoubleSum, Vectors<DoubleSum>> computation(
        DoubleSum{&kernel_}, 1, 1, 1, {window(static_cast<std::size_t>(count)), 1});
    double target = 0;
    const double seconds = time(
        ranks, [&] { computation.fold_own(0, count, 0, 1, &target); },
        quick_         ? 5
        : count < many ? 9
                       : 5);
    times.push_back({count, seconds});
  });
  return times;
}

std::vector<MeasuredWork::Fold> WorkMeasurement::copies(const Communicator& ranks) {
  constexpr std::size_t most = std::size_t{1} << 23;
  target_.resize(std::min(elements_.size(), quick_ ? most / 8 : most));
  std::vector<MeasuredWork::Fold> times;
  for_each_count(static_cast<Index>(target_.size()), quick_, [&](Index count) {
    ComputationOf<DoubleSum, Vectors<DoubleSum>> computation(
        DoubleSum{&kernel_}, 1, 1, 1, {window(static_cast<std::size_t>(count)), 1});
    const double seconds = time(
        ranks, [&] { computation.copy_own(0, count, 0, 1, target_.data()); },
        quick_         ? 5
        : count < many ? 9
                       : 5);
    times.push_back({count, seconds});
  });
  return times;
}

double WorkMeasurement::join(const Communicator& ranks) const {
  ComputationOf<DoubleSum, Vectors<DoubleSum>> computation(DoubleSum{&kernel_}, 1, 1, 1,
                                                           {elements_.data(), 1});
  double target = 1;
  const double one = 1;
  return time(
      ranks, [&] { computation.join(&target, &one, 0, 1, &target); }, quick_ ? 3 : 9);
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

}  // namespace bracket::runtime::calibration
