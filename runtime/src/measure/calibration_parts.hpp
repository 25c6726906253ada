// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bracket/model/operation.hpp"
#include "bracket/runtime/calibrate.hpp"
#include "bracket/runtime/computation.hpp"

/// The parts of `calibrate`. Collective over the communicator; their results are valid on rank 0.
namespace bracket::runtime::calibration {

struct MeasuredMessages {
  std::vector<MessageTimes> times;
  std::vector<MessageTimes> cold;     // for data that are in no cache
  std::vector<MessageTimes> library;  // through MPI, if short messages go through mailboxes
  double eager_bytes = 0;
};

/// Measures messages between rank 0 and `partner`; the others sleep.
MeasuredMessages measure_messages(const Communicator& communicator, Rank partner, bool quick);

/// Memory of this rank for `WorkMeasurement` and `measure_kernels`. Throws `Error` if there is not
/// enough.
std::vector<double> make_elements(Rank ranks_on_host);

/// `count` ones of a type.
std::shared_ptr<std::byte> ones(Type type, Index count);

/// Computations of one operation, over elements at any address.
class MeasuredComputation {
 public:
  virtual ~MeasuredComputation() = default;
  /// The computation over `count` elements from `first` on.
  virtual std::unique_ptr<Computation> over(const void* first, Index count) = 0;
  [[nodiscard]] virtual std::size_t element_bytes() const = 0;
  /// The type of the numbers in an element.
  [[nodiscard]] virtual Type type() const { return Type::float64; }
  [[nodiscard]] virtual std::size_t result_bytes() const { return sizeof(double); }
  /// Writes the results of `count` partials.
  virtual void finish(const void* partials, Index count, void* results) const = 0;
  /// Whether elements may have several items.
  [[nodiscard]] virtual bool takes_vectors() const { return true; }
  /// Returns whether a rank folds several brackets of its elements, or always all of them together.
  [[nodiscard]] virtual bool folds_neighbours() const { return true; }
  /// Returns whether a plan can send elements as partials, which the receiving rank folds.
  [[nodiscard]] virtual bool folds_partials() const { return false; }
};

/// The sum of float64 by a kernel, any operation as a `Reducer` computes it, and a sum of a rank's
/// elements by any function.
std::unique_ptr<MeasuredComputation> measured_sum(const Kernel& kernel);
std::unique_ptr<MeasuredComputation> measured_operation(const Operation& operation,
                                                        const Kernel& kernel);
std::unique_ptr<MeasuredComputation> measured_baseline(const Operation& operation,
                                                       const CalibrationMethod& method,
                                                       const Kernel& kernel);

/// Measures folds, copies and joins. Each call uses different elements.
class WorkMeasurement {
 public:
  /// `quick` takes fewer large sizes and fewer samples; `fine` takes more sizes between powers of
  /// two.
  WorkMeasurement(const Communicator& communicator,
                  std::unique_ptr<MeasuredComputation> computation,
                  const std::vector<double>& elements, bool quick, bool fine);

  OperationTimes measure();

 private:
  [[nodiscard]] OperationTimes::Fold fold(const Communicator& ranks, Index count) const;
  std::vector<OperationTimes::Fold> folds(const Communicator& ranks) const;
  [[nodiscard]] double join(const Communicator& ranks) const;
  [[nodiscard]] double result(const Communicator& ranks) const;
  [[nodiscard]] std::vector<OperationTimes::Fold> copies(const Communicator& ranks) const;
  [[nodiscard]] std::vector<OperationTimes::Fold> joins(const Communicator& ranks) const;
  [[nodiscard]] bool has_vectors() const;
  std::vector<OperationTimes::Fold> complete_folds(const Communicator& ranks) const;
  [[nodiscard]] std::vector<OperationTimes::Fold> vector_folds(const Communicator& ranks) const;
  [[nodiscard]] std::vector<OperationTimes::Fold> partial_folds(const Communicator& ranks) const;
  /// The computation over the `count` elements that this round uses.
  [[nodiscard]] std::unique_ptr<Computation> over(Index count) const;
  /// Number of elements that fit into so many bytes.
  [[nodiscard]] Index elements_in(std::size_t bytes) const {
    return static_cast<Index>(bytes / computation_->element_bytes());
  }

  const Communicator& communicator_;
  std::unique_ptr<MeasuredComputation> computation_;
  const std::vector<double>& elements_;
  bool quick_;
  bool fine_;
  Rank on_host_ = 0;  // this rank's number on its host
  Rank most_on_host_ = 1;
  std::size_t round_ = 0;
};

/// Repeated measurements of the same work: other programs may slow the machine down temporarily.
class WorkRounds {
 public:
  static constexpr std::size_t least = 3;
  static constexpr std::size_t most = 5;
  static constexpr double agreement = 0.1;

  /// Adds a round. Every round has the same tables.
  void add(OperationTimes round) { rounds_.push_back(std::move(round)); }

  [[nodiscard]] int count() const { return static_cast<int>(rounds_.size()); }

  /// Whether the last two rounds agree, or there are `most` rounds.
  [[nodiscard]] bool settled() const;

  /// Median of each figure. A fold or a copy takes at least as long as one of fewer elements.
  [[nodiscard]] OperationTimes median() const;

  /// Spread of the rounds: for a quarter of the fold sizes, about as many as exceed a cache, the
  /// slowest round took longer than the fastest by this share or more.
  [[nodiscard]] double apart() const;

 private:
  std::vector<OperationTimes> rounds_;
};

/// A schedule and the seconds that its runs take.
struct TimedRun {
  Schedule schedule;
  double seconds = 0;
};

/// `MeasuredWork::seconds_per_receive` of a machine. The i-th runs of both lists are over the same
/// elements; one of `several` has several messages to one rank, one of `single` at most one. With
/// the result, LogGP's predictions of the two differ by as much as their times: the median of all
/// pairs, at least 0. Returns 0 without runs of several messages.
double seconds_per_receive(Machine machine, std::span<const TimedRun> several,
                           std::span<const TimedRun> single);

/// What comes before a run that is measured.
enum class Before : std::uint8_t {
  barrier,     ///< as in `bench`
  other_runs,  ///< in which all ranks wait for each other, as in those below
  other_work   ///< as in a program, whose time is subtracted
};

/// Measures small runs: reduces to rank 0 or all-reduces of rank 0 and `partner`, or of rank 0
/// alone without a partner. The other ranks sleep. Other programs may slow the machine down for a
/// while, so `measure` is called at several moments of a calibration.
class StartMeasurement {
 public:
  /// The sum of float64. With a partner, also measures runs whose elements fill the first cache of
  /// each rank.
  static StartMeasurement of_sum(const Communicator& communicator, std::optional<Rank> partner,
                                 Delivery delivery, const Kernel& kernel,
                                 Index first_cache_elements);

  /// The sum of float64 in a reduce to rank 0 in which each partial is a message of its own.
  static StartMeasurement of_messages(const Communicator& communicator, Rank partner,
                                      const Kernel& kernel);

  /// MPI_Allreduce of one float64. Its messages are assumed to be those of recursive doubling.
  static StartMeasurement of_library(const Communicator& communicator, Rank partner, Before before);

  /// An operation by a reducer, on rank 0 alone or, with a partner, in all-reduces of a program. No
  /// reducer computes a baseline: its start is 0.
  static StartMeasurement of_reducer(const Communicator& communicator, std::optional<Rank> partner,
                                     const Operation& operation, const Kernel& kernel);

  /// Measures each number of elements once more, at one more moment.
  void measure();

  /// Seconds of the first number of elements at the last moment. Requires that this rank took part.
  [[nodiscard]] double latest() const { return seconds_.front().back(); }

  /// Forgets all moments but these.
  void keep(const std::vector<std::size_t>& moments);

  /// Seconds that a run takes beyond LogGP's prediction for the machine and the operation, at least
  /// 0: for each number of elements the mean of all moments but the outer quarters, and of these
  /// the median.
  [[nodiscard]] double start(const Machine& machine) const;

  /// Like `start`, for runs whose elements fill the first cache. Requires that these are measured.
  [[nodiscard]] double start_with_full_cache(const Machine& machine) const;

  /// The runs whose elements do not fill the first cache; none on a rank that took no part.
  [[nodiscard]] std::vector<TimedRun> small_runs() const;

 private:
  /// Makes a run of so many elements on the ranks of a communicator.
  using MakeRun = std::function<std::function<void()>(MPI_Comm ranks, Index count)>;

  StartMeasurement(const Communicator& communicator, std::optional<Rank> partner, Delivery delivery,
                   const char* plan, std::vector<Index> counts, MakeRun make_run);

  /// The runs of the numbers of elements at these positions; none on a rank that took no part.
  [[nodiscard]] std::vector<TimedRun> runs(std::size_t begin, std::size_t end) const;
  [[nodiscard]] double more_than_predicted(const Machine& found,
                                           const std::vector<TimedRun>& runs) const;

  const Communicator& communicator_;
  std::optional<Rank> partner_;
  Delivery delivery_;
  Before before_ = Before::barrier;
  const char* plan_;
  Operation operation_{};
  std::vector<Index> counts_;
  MakeRun make_run_;
  std::vector<std::vector<double>> seconds_;  // by number of elements, of each moment
};

/// Returns the moments whose probe differs from `usual` by at most a quarter, or all moments if
/// these are fewer than `least`. `probes` has a time of the same messages for each moment.
std::vector<std::size_t> moments_like(std::span<const double> probes, double usual,
                                      std::size_t least);

/// Measures the start of runs at several moments.
///
/// The host of a virtual machine may move its cores apart or together. Then messages take twice as
/// long, or half as long, as some seconds before. So the starts come from moments at which messages
/// take as long as when their tables were measured: the library's all-reduce is the probe.
class RunStarts {
 public:
  /// Measures runs of the sum of float64, and those of `operations` in a program.
  RunStarts(const Communicator& communicator, Rank partner, const Kernel& kernel,
            Index first_cache_elements, const std::vector<Operation>& operations);

  /// Measures all starts at so many moments.
  void measure(int moments);

  /// Marks the messages that are measured next, between two calls of `measure`.
  void mark_messages() { messages_ = probes_.size(); }

  /// Whether messages took the same time before and after the marked ones. Requires a moment before
  /// them and one after them.
  [[nodiscard]] bool steady() const;

  /// Number of moments at which messages took the same time as the marked ones.
  [[nodiscard]] std::size_t like_messages() const;

  /// Seconds of the library's all-reduce of one float64, when the marked messages were measured.
  [[nodiscard]] double usual() const;

  /// By which share messages took longer at one moment than at another.
  [[nodiscard]] double apart() const;

  /// Fills in the starts and `seconds_per_receive` of the machine's work and, in a program, of its
  /// operations, which are those of the constructor. The same on every rank.
  void find(Machine machine, MeasuredWork& work,
            std::vector<Machine::MeasuredOperation>& operations);

 private:
  /// Calls `use` for each measurement.
  template <class Use>
  void for_each(Use use) {
    for (auto* start : {&all_reduce_, &in_program_, &reduce_, &alone_}) use(*start);
    for (auto& [_, start] : operations_in_program_) use(start);
    for (auto* start : {&probe_, &library_, &direct_}) use(*start);
  }

  const Communicator& communicator_;
  Index first_cache_elements_;
  StartMeasurement all_reduce_;
  StartMeasurement in_program_;
  StartMeasurement reduce_;
  StartMeasurement alone_;
  StartMeasurement probe_;  // of the state of the machine
  StartMeasurement library_;
  StartMeasurement direct_;
  std::vector<std::pair<std::size_t, StartMeasurement>> operations_in_program_;  // by number
  std::vector<double> probes_;  // of each moment, the same on every rank
  std::size_t messages_ = 0;    // number of moments before the messages that were marked last
};

/// Measures on rank 0 how long it takes to wake 2, 4, … and as many threads as it has cores. Empty
/// with one core or without OpenMP.
std::vector<MeasuredWork::Wake> measure_wakes(const Communicator& communicator);

std::vector<KernelRate> measure_kernels(const Communicator& communicator,
                                        const std::vector<double>& elements, bool quick);

/// A barrier in which waiting ranks sleep, so that the others get the cores.
void rest(const Communicator& communicator);

/// Calls `action` on the participating ranks, with a communicator of them, while the others sleep.
void on_some(const Communicator& communicator, bool takes_part,
             const std::function<void(MPI_Comm)>& action);

}  // namespace bracket::runtime::calibration
