#include "bracket/runtime/any_accumulator.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "accumulator/pending_brackets.hpp"
#include "bracket/model/distribution.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/field_reducer.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "operations/operations.hpp"
#include "reducer/field_setup.hpp"

namespace bracket {

namespace {

/// Elements that wait for their fold, at most. The folds begin at multiples of it.
constexpr Index most_waiting = 256;

using runtime::FieldCells;
using runtime::FieldOperation;
using runtime::PendingBrackets;

/// Gives a rank's program the values of pending brackets in place of folds of elements.
class PendingComputation final : public runtime::Computation {
 public:
  explicit PendingComputation(const PendingBrackets& brackets)
      : brackets_(brackets), computation_(brackets.computation()) {}

  [[nodiscard]] std::size_t value_bytes() const override { return computation_.value_bytes(); }
  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const override {
    return computation_.make_slots(count);
  }
  void fold_own(Index first, Index count, Index, Index, void* target) override {
    const Index begin = brackets_.elements().begin + first;
    brackets_.combine({begin, begin + count}, target);
  }
  void copy_own(Index first, Index count, Index item, Index items, void* target) override {
    for (Index i = 0; i < count; ++i) {
      fold_own(first + i, 1, item, items,
               static_cast<std::byte*>(target) + static_cast<std::size_t>(i) * value_bytes());
    }
  }
  void fold(const void* from, Index stride, Index count, Index item, Index items,
            void* target) override {
    computation_.fold(from, stride, count, item, items, target);
  }
  void copy(const void* from, Index stride, Index count, Index items, void* target) override {
    computation_.copy(from, stride, count, items, target);
  }
  void join(const void* left, const void* right, Index item, Index items, void* target) override {
    computation_.join(left, right, item, items, target);
  }

 private:
  const PendingBrackets& brackets_;
  Computation& computation_;
};

/// The operation of a reducer whose elements are those of pending brackets.
class PendingOperation final : public FieldOperation {
 public:
  explicit PendingOperation(const PendingBrackets& brackets)
      : brackets_(brackets), operation_(brackets.operation()) {}

  [[nodiscard]] bool associative() const override { return operation_.associative(); }
  void prepare() override {}
  [[nodiscard]] std::unique_ptr<runtime::Computation> computation(const FieldCells*,
                                                                  const FieldArrays*, Index,
                                                                  int) const override {
    return std::make_unique<PendingComputation>(brackets_);
  }
  [[nodiscard]] std::unique_ptr<runtime::Computation> vectors(const FieldArrays*, Index, Index,
                                                              int) const override {
    throw Error("an accumulator has single elements, no vectors");
  }
  [[nodiscard]] std::size_t result_bytes() const override { return operation_.result_bytes(); }
  void finish(const void* partials, Index count, void* results, std::size_t field) const override {
    operation_.finish(partials, count, results, field);
  }
  void finish_of_nothing(void* results, std::size_t field) const override {
    operation_.finish_of_nothing(results, field);
  }

 private:
  const PendingBrackets& brackets_;
  const FieldOperation& operation_;
};

/// The ranges of all ranks. Collective.
std::vector<Range> all_ranges(MPI_Comm communicator, Range own) {
  const Communicator ranks(communicator);
  std::vector<Range> all(static_cast<std::size_t>(ranks.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallgather(&own, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, ranks.handle(), &request),
      "MPI_Iallgather");
  wait(request);
  return all;
}

/// The distribution in which each rank holds its range, or none without elements. Throws `Error` if
/// the ranges overlap or have gaps.
std::optional<Distribution> distribution_of(const std::vector<Range>& ranges) {
  // Ranks in element order. An empty rank stays behind the rank below it.
  std::vector<std::pair<Index, Rank>> sequence;
  Index begin = 0;
  for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
    if (!ranges[rank].empty()) begin = ranges[rank].begin;
    sequence.emplace_back(begin, static_cast<Rank>(rank));
  }
  std::sort(sequence.begin(), sequence.end());
  std::vector<Index> counts;
  std::vector<Rank> order;
  Index next = 0;
  for (const auto& [position, rank] : sequence) {
    const Range range = ranges[static_cast<std::size_t>(rank)];
    if (!range.empty() && range.begin != next) {
      throw Error(text("the accumulator of rank ", rank, " begins at the global index ",
                       range.begin, ", the elements before it end at ", next,
                       ": make each accumulator with the global index of its first element, or "
                       "use binned, for which elements have no sequence"));
    }
    next += range.size();
    counts.push_back(range.size());
    order.push_back(rank);
  }
  if (next == 0) return std::nullopt;
  return Distribution::from_counts(counts).with_rank_order(std::move(order));
}

}  // namespace

struct AnyAccumulator::State {
  State(Type type_in, Op op_in, const Settings& given)
      : type(type_in), op(op_in), settings(with_environment(given, type_in, op_in)) {
    const Algorithm algorithm = runtime::checked_algorithm(settings);
    if (!settings.memory.empty() && settings.memory != "host") {
      throw Error(text("memory is ", settings.memory,
                       ": an accumulator takes elements in the memory of the host"));
    }
    runtime::check_floating_point();
    operation = runtime::reducers::make_operation(
        {algorithm, op, type, settings.widened, settings.checked}, settings.kernel);
    operation->prepare();
    order = operation->associative() ? "associative" : algorithm.order;
    if (!operation->associative() && order != "tree") {
      throw Error(text("an accumulator cannot compute ", settings.algorithm, " of ", name_of(type),
                       ": use tree, double-double, stochastic or binned"));
    }
    in_sequence = !operation->associative() || op == Op::minimum_location ||
                  op == Op::maximum_location || op == Op::digest;
    brackets.emplace(*operation, bytes_of(type), settings.threads);
    room.resize(static_cast<std::size_t>(most_waiting) * bytes_of(type));
  }

  Type type;
  Op op;
  Settings settings;  // with the written form of the algorithm
  std::unique_ptr<FieldOperation> operation;
  std::string order;
  bool in_sequence = false;
  std::optional<PendingBrackets> brackets;
  std::vector<std::byte> room;
};

AnyAccumulator::AnyAccumulator(Type type, Op op, const Settings& settings, Index first)
    : state_(std::make_unique<State>(type, op, settings)) {
  reset(first);
}

AnyAccumulator::~AnyAccumulator() = default;
AnyAccumulator::AnyAccumulator(AnyAccumulator&& other) noexcept = default;
AnyAccumulator& AnyAccumulator::operator=(AnyAccumulator&& other) noexcept = default;

/// Number of elements in the room.
Index AnyAccumulator::waiting() const {
  return (next_ - state_->room.data()) / static_cast<Index>(bytes_of(state_->type));
}

/// Empties the room, which ends where the next fold does.
void AnyAccumulator::open_room() {
  const Index past = state_->brackets->elements().end % most_waiting;
  next_ = state_->room.data();
  end_ = next_ + static_cast<std::size_t>(most_waiting - past) * bytes_of(state_->type);
}

/// Folds the elements that wait.
void AnyAccumulator::make_room() {
  state_->brackets->append(state_->room.data(), waiting());
  open_room();
}

void AnyAccumulator::add(const void* elements, Index count) {
  if (count < 0) throw Error(text(count, " elements: their number must not be negative"));
  if (count > 0 && elements == nullptr) throw Error("no array of elements");
  const std::size_t bytes = bytes_of(state_->type);
  const auto* from = static_cast<const std::byte*>(elements);
  const auto full = static_cast<std::ptrdiff_t>(state_->room.size());
  while (count > 0) {
    if (next_ == end_) make_room();
    Index taken = std::min(count, (end_ - next_) / static_cast<Index>(bytes));
    if (end_ - next_ == full && count >= most_waiting) {
      taken = count - count % most_waiting;
      state_->brackets->append(from, taken);
    } else {
      std::memcpy(next_, from, static_cast<std::size_t>(taken) * bytes);
      next_ += static_cast<std::size_t>(taken) * bytes;
    }
    from += static_cast<std::size_t>(taken) * bytes;
    count -= taken;
  }
}

void AnyAccumulator::add(const AnyAccumulator& other) {
  const State& from = *other.state_;
  if (&from == state_.get()) throw Error("an accumulator is added to itself: give another one");
  if (from.type != state_->type || from.op != state_->op ||
      from.settings.algorithm != state_->settings.algorithm ||
      from.settings.widened != state_->settings.widened ||
      from.settings.checked != state_->settings.checked) {
    throw Error(
        "the accumulators have different types, operators, algorithms, widened or checked: make "
        "both with the same");
  }
  const Range theirs = other.held();
  if (theirs.empty()) return;
  if (state_->in_sequence && theirs.begin != held().end) {
    throw Error(text("the other accumulator begins at the global index ", theirs.begin,
                     ", this one ends at ", held().end, ": add them in their sequence"));
  }
  make_room();
  state_->brackets->append(*from.brackets);
  open_room();
  add(from.room.data(), other.waiting());
}

Range AnyAccumulator::held() const {
  const Range folded = state_->brackets->elements();
  return {folded.begin, folded.end + waiting()};
}

bool AnyAccumulator::in_sequence() const { return state_->in_sequence; }

void AnyAccumulator::reset(Index first) {
  if (first < 0) throw Error(text("the first global index is ", first, ": it must be at least 0"));
  state_->brackets->reset(state_->in_sequence ? first : 0);
  open_room();
}

void AnyAccumulator::value(void* result) {
  make_room();
  const Range elements = state_->brackets->elements();
  if (elements.empty()) return state_->operation->finish_of_nothing(result, 0);
  if (elements.begin != 0) {
    throw Error(text("the elements begin at the global index ", elements.begin,
                     ": only those from 0 on have a value of their own"));
  }
  const auto whole = state_->brackets->computation().make_slots(1);
  state_->brackets->combine(elements, whole.get());
  state_->operation->finish(whole.get(), 1, result, 0);
}

bool AnyAccumulator::reduce(MPI_Comm communicator, void* result) {
  check_communicator(communicator);
  make_room();
  const Range elements = state_->brackets->elements();
  const std::vector<Range> ranges = all_ranges(communicator, elements);
  std::vector<Field> fields{Field(Layout::contiguous(elements.size()))};
  const std::string refused = words_of([&] {
    if (state_->in_sequence) fields[0].distribution = distribution_of(ranges);
    int rank = 0;
    check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
    if (result == nullptr && state_->settings.root.value_or(rank) == rank) {
      throw Error("no place for the result, which this rank gets");
    }
  });
  if (!refused.empty()) runtime::refuse_fields(communicator, refused);
  const runtime::ReducerKind kind{std::string(name_of(state_->type)),
                                  std::string(name_of(state_->op)),
                                  bytes_of(state_->type),
                                  state_->order,
                                  state_->operation->associative(),
                                  true};
  runtime::FieldOperations operations;
  operations.all.push_back(std::make_unique<PendingOperation>(*state_->brackets));
  runtime::FieldReducer reducer(communicator, fields, state_->settings, kind,
                                std::move(operations));
  // The reducer must not look for elements.
  FieldArrays no_arrays;
  no_arrays.make = [](const void*, Index, Index, void*) {};
  reducer.run(
      1, [&](std::size_t) { return no_arrays; }, result, result == nullptr ? 0 : 1);
  return reducer.delivers();
}

void AnyAccumulator::refuse(MPI_Comm communicator, const std::string& words) {
  check_communicator(communicator);
  static_cast<void>(all_ranges(communicator, {}));
  runtime::refuse_fields(communicator, words);
}

}  // namespace bracket
