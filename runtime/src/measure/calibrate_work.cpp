// SPDX-License-Identifier: MIT

#include <algorithm>
#include <span>
#include <thread>

#include "bracket/runtime/measure.hpp"
#include "bracket/runtime/threads.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/order_statistics.hpp"
#include "bracket/support/text.hpp"
#include "measure/caches.hpp"
#include "measure/calibration_parts.hpp"

namespace bracket::runtime::calibration {

namespace {

/// A number of samples, and the seconds of untimed calls before each.
struct Sampling {
  int repetitions = 9;
  double lead_in_seconds = 1e-3;
};

/// Seconds of a call of `action` on the slowest rank. Ranks do not wait for each other in `action`,
/// so a sample contains many calls without a barrier or a look at the clock in between.
double time(const Communicator& communicator, const std::function<void()>& action,
            const Sampling& sampling) {
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
  return measured(sampling.repetitions, sampling.lead_in_seconds) / calls;
}

bool supported_everywhere(const Communicator& communicator, const Kernel& kernel) {
  int supported = kernel.supported() ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &supported, 1, MPI_INT, MPI_MIN, communicator.handle()),
            "MPI_Allreduce");
  return supported != 0;
}

/// Folds of few elements, or joins, that are executed together, about as many as in a run of some
/// thousand elements.
constexpr std::size_t at_once = 8;

/// How a fold or a copy of so many elements is sampled.
Sampling sampling(Index count, bool quick, bool fine) {
  constexpr Index many = Index{1} << 20;
  return {quick || count >= many ? 5 : 9, fine ? 1e-3 : 0.2e-3};
}

/// Calls `take(count)` for each number of elements in a table, in ascending order up to `most`.
template <class Take>
void for_each_count(Index most, bool fine, Take&& take) {
  // Few shares are powers of two. The elements behind a kernel's last whole block take longer.
  const auto with_rest = [](Index count) { return count - count / 24; };
  // The larger the complete trees of which a fold consists, the faster it is. This matters in the
  // caches between the first and the last.
  constexpr Index first_fine = 8192;
  constexpr Index last_fine = 65536;
  constexpr Index rest = 683;  // elements behind whole trees
  for (Index count = 1; count < most; count *= 2) {
    if (!fine || count < first_fine || count > 2 * last_fine) take(with_rest(count));
    if (!fine || 2 * count > most) continue;
    if (count >= first_fine && count <= last_fine) {
      for (Index quarters = 4; quarters < 8; ++quarters) take(count / 4 * quarters + rest);
      take(2 * count - rest / 2);
    } else if (count >= 4096) {
      // Cache sizes lie between powers of two, too.
      take(with_rest(count / 2 * 3));
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

WorkMeasurement::WorkMeasurement(const Communicator& communicator,
                                 std::unique_ptr<MeasuredComputation> computation,
                                 const std::vector<double>& elements, bool quick, bool fine)
    : communicator_(communicator),
      computation_(std::move(computation)),
      elements_(elements),
      quick_(quick),
      fine_(fine) {
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

/// Vectors need the elements' own arithmetic: other operations have no such tables.
bool WorkMeasurement::has_vectors() const {
  return computation_->takes_vectors() && over(1)->value_bytes() == computation_->element_bytes();
}

OperationTimes WorkMeasurement::measure() {
  OperationTimes work;
  on_some(communicator_, on_host_ == 0, [&](MPI_Comm some) {
    const Communicator ranks(some);
    work.folds = folds(ranks);
    work.copies = copies(ranks);
    work.seconds_per_join = join(ranks);
    work.seconds_per_result = result(ranks);
    work.joins = joins(ranks);
    work.vector_folds = vector_folds(ranks);
    work.partial_folds = partial_folds(ranks);
    work.complete_folds = complete_folds(ranks);
  });
  for (Rank together = 2; together / 2 < most_on_host_; together *= 2) {
    const Rank count = std::min(together, most_on_host_);
    on_some(communicator_, on_host_ < count, [&](MPI_Comm some) {
      const Communicator ranks(some);
      work.folds_together.push_back({count, folds(ranks), vector_folds(ranks)});
    });
  }
  ++round_;
  return work;
}

/// Each round uses other pages, because the way pages share a cache is random, in a real run too.
/// The first element has the offset in its page that a large array has, because the speed of a fold
/// depends on it.
std::unique_ptr<Computation> WorkMeasurement::over(Index count) const {
  constexpr std::size_t rounds = 5;
  constexpr std::size_t page = 4096 / sizeof(double);
  const std::size_t doubles =
      (static_cast<std::size_t>(count) * computation_->element_bytes() + 7) / sizeof(double);
  const std::size_t room = elements_.size() - doubles;
  return computation_->over(elements_.data() + room / rounds * (round_ % rounds) / page * page,
                            count);
}

OperationTimes::Fold WorkMeasurement::fold(const Communicator& ranks, Index count) const {
  constexpr Index few = 256;
  const std::size_t neighbours = count <= few && computation_->folds_neighbours() ? at_once : 1;
  std::vector<Program::Instruction> steps;
  for (std::size_t i = 0; i < neighbours; ++i) {
    steps.push_back({.action = Program::Action::fold_own,
                     .target = i,
                     .offset = static_cast<Index>(i) * count,
                     .count = count,
                     .neighbours = neighbours - i});
  }
  const auto computation = over(static_cast<Index>(neighbours) * count);
  const auto slots = computation->make_slots(neighbours);
  const double seconds = time(
      ranks, [&] { computation->execute(steps, slots.get()); }, sampling(count, quick_, fine_));
  return {count, seconds / static_cast<double>(neighbours)};
}

std::vector<OperationTimes::Fold> WorkMeasurement::folds(const Communicator& ranks) const {
  constexpr std::size_t few_bytes = std::size_t{1} << 26;
  const std::size_t bytes = elements_.size() * sizeof(double);
  std::vector<OperationTimes::Fold> times;
  for_each_count(elements_in(quick_ ? std::min(bytes, few_bytes) : bytes), fine_,
                 [&](Index count) { times.push_back(fold(ranks, count)); });
  return times;
}

std::vector<OperationTimes::Fold> WorkMeasurement::copies(const Communicator& ranks) const {
  constexpr std::size_t most_bytes = std::size_t{1} << 26;
  const std::size_t bytes =
      std::min(elements_.size() * sizeof(double), quick_ ? most_bytes / 8 : most_bytes);
  const auto one = over(1);
  const Index most = std::min(elements_in(bytes), static_cast<Index>(bytes / one->value_bytes()));
  const auto target = one->make_slots(static_cast<std::size_t>(most));
  std::vector<OperationTimes::Fold> times;
  for_each_count(most, fine_, [&](Index count) {
    const auto computation = over(count);
    const double seconds = time(
        ranks, [&] { computation->copy_own(0, count, 0, 1, target.get()); },
        sampling(count, quick_, fine_));
    times.push_back({count, seconds});
  });
  return times;
}

double WorkMeasurement::join(const Communicator& ranks) const {
  // As in a run, each join needs the value of the one before.
  std::vector<Program::Instruction> steps;
  for (std::size_t i = 1; i <= at_once; ++i) {
    steps.push_back({.action = Program::Action::join,
                     .target = at_once + i,
                     .left = i,
                     .right = at_once + i - 1});
  }
  steps.front().right = 0;
  const auto computation = over(at_once + 1);
  const auto slots = computation->make_slots(2 * at_once + 1);
  computation->copy_own(0, at_once + 1, 0, 1, slots.get());
  return time(ranks, [&] { computation->execute(steps, slots.get()); }, {quick_ ? 3 : 9}) / at_once;
}

double WorkMeasurement::result(const Communicator& ranks) const {
  constexpr Index items = 1000;  // whose results and partials the first cache holds
  // The bits of other numbers may be integers with too large a product.
  const auto elements = ones(computation_->type(), 2 * items);
  const auto computation = computation_->over(elements.get(), items);
  const auto partials = computation->make_slots(items);
  computation->copy_own(0, items, 0, 1, partials.get());
  std::vector<std::byte> results(items * computation_->result_bytes());
  return time(ranks, [&] { computation_->finish(partials.get(), items, results.data()); },
              {quick_ ? 3 : 9}) /
         items;
}

std::vector<OperationTimes::Fold> WorkMeasurement::joins(const Communicator& ranks) const {
  constexpr Index most = Index{1} << 20;
  const auto one = over(1);
  std::vector<OperationTimes::Fold> times;
  if (!has_vectors()) return times;
  // As in a run, the vectors lie side by side. Here they are some items apart, because addresses
  // that differ by a multiple of 4096 bytes slow each other.
  constexpr Index apart = 24;
  const auto slots = one->make_slots(static_cast<std::size_t>(3 * (most + apart)));
  for (Index items = 2; items <= most; items *= quick_ ? 4 : 2) {
    const std::size_t bytes = static_cast<std::size_t>(items + apart) * one->value_bytes();
    auto* const left = static_cast<std::byte*>(slots.get());
    auto* const right = left + bytes;
    auto* const target = right + bytes;
    const double seconds = time(
        ranks, [&] { one->join(left, right, 0, items, target); }, sampling(items, quick_, fine_));
    times.push_back({items, seconds});
  }
  return times;
}

std::vector<OperationTimes::Fold> WorkMeasurement::vector_folds(const Communicator& ranks) const {
  // Some items at a time go through all elements. Long vectors are so far apart in memory that they
  // fold in another time than short ones; few numbers are of short vectors, many of long ones.
  constexpr Index few_items = 64;
  constexpr Index many_items = 1000;
  constexpr Index many_numbers = 8 * many_items;
  std::vector<OperationTimes::Fold> times;
  if (!has_vectors()) return times;
  const Index most = many_numbers << (quick_ ? 7 : 9);
  const auto one = over(1);
  const auto slots = one->make_slots(static_cast<std::size_t>(most));
  const auto target = one->make_slots(many_items);
  const auto measure = [&](Index from, Index to, Index items) {
    for (Index numbers = from; numbers <= to; numbers *= quick_ ? 4 : 2) {
      const double seconds = time(
          ranks, [&] { one->fold(slots.get(), items, numbers / items, 0, items, target.get()); },
          sampling(numbers, quick_, fine_));
      times.push_back({numbers, seconds});
    }
  };
  measure(few_items, 4096, few_items);
  measure(many_numbers, most, many_items);
  return times;
}

std::vector<OperationTimes::Fold> WorkMeasurement::complete_folds(const Communicator& ranks) const {
  constexpr Index most = Index{1} << 17;
  std::vector<OperationTimes::Fold> times;
  for (Index count = 1; count <= most; count *= 2) times.push_back(fold(ranks, count));
  return times;
}

/// If elements may be vectors, partials are like elements and folded as fast.
std::vector<OperationTimes::Fold> WorkMeasurement::partial_folds(const Communicator& ranks) const {
  constexpr Index most = Index{1} << 18;
  std::vector<OperationTimes::Fold> times;
  const auto one = over(1);
  if (!computation_->folds_partials() || has_vectors()) return times;
  const auto slots = over(most)->make_slots(static_cast<std::size_t>(most));
  over(most)->copy_own(0, most, 0, 1, slots.get());
  const auto target = one->make_slots(1);
  for_each_count(most, fine_, [&](Index count) {
    const double seconds = time(
        ranks, [&] { one->fold(slots.get(), 1, count, 0, 1, target.get()); },
        sampling(count, quick_, fine_));
    times.push_back({count, seconds});
  });
  return times;
}

std::vector<MeasuredWork::Wake> measure_wakes(const Communicator& communicator) {
  std::vector<MeasuredWork::Wake> wakes;
  // Respects the cores that the launcher gives to this rank.
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  on_some(communicator, communicator.rank() == 0, [&](MPI_Comm alone) {
    const Communicator one(alone);
    for (int threads = 2; threads <= cores && have_threads();) {
      const auto wake = [&] { for_each_part(threads, threads, [](Index) {}); };
      wakes.push_back({threads, time(one, wake, {})});
      if (threads == cores) break;
      threads = std::min(2 * threads, cores);
    }
  });
  return wakes;
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
      return time(communicator, [&] { result = kernel.float64.sum(elements.data(), count); },
                  {repetitions}) /
             static_cast<double>(count - 1);
    };
    rates.push_back({kernel.name, rate(few, quick ? 8 : 30), rate(most, quick ? 2 : 10)});
  }
  return rates;
}

}  // namespace bracket::runtime::calibration
