// SPDX-License-Identifier: MIT

#include "bracket/runtime/any_accumulator.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "accumulator/pending_brackets.hpp"
#include "accumulator/pending_operation.hpp"
#include "accumulator/shares.hpp"
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

using runtime::PendingBrackets;
using runtime::Share;

namespace {

/// Elements that wait for their fold, at most. The folds begin at multiples of it.
constexpr Index most_waiting = 256;

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
    if (algorithm.arithmetic == Arithmetic::pre_rounded) {
      throw Error(text("an accumulator cannot compute ", settings.algorithm,
                       ", which needs all elements twice: use binned"));
    }
    if (!operation->associative() && order != "tree") {
      throw Error(text("an accumulator cannot compute ", settings.algorithm, " of ", name_of(type),
                       ": use tree, double-double, stochastic or binned"));
    }
    in_sequence = !operation->associative() || op == Op::minimum_location ||
                  op == Op::maximum_location || op == Op::digest;
    brackets.emplace(*operation, bytes_of(type), settings.threads);
    room.resize(static_cast<std::size_t>(most_waiting) * bytes_of(type));
  }

  /// The reducer of the latest reduction, for the next one with the same shares. Most programs
  /// reduce again and again, and to make a reducer takes much longer than to run it.
  struct Latest {
    Communicator ranks;  // keeps MPI's communicator, so that no other has its handle
    std::vector<Share> shares;
    std::unique_ptr<runtime::FieldReducer> reducer;
  };

  Type type;
  Op op;
  Settings settings;  // with the written form of the algorithm
  std::unique_ptr<runtime::FieldOperation> operation;
  std::string order;
  bool in_sequence = false;
  std::optional<PendingBrackets> brackets;
  std::vector<std::byte> room;
  std::optional<Latest> latest;
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
  Communicator ranks(communicator);
  make_room();
  const PendingBrackets& brackets = *state_->brackets;
  const Settings& settings = state_->settings;
  const bool no_place = result == nullptr && settings.root.value_or(ranks.rank()) == ranks.rank();
  const Range elements = brackets.elements();
  Share own{state_->in_sequence ? elements : Range{0, elements.empty() ? 0 : 1}};
  std::optional<State::Latest>& latest = state_->latest;
  if (latest && latest->ranks.handle() == ranks.handle() && !no_place) {
    own.reducer = latest->ranks.number();
  }
  std::vector<Share> shares = all_shares(ranks, own);
  if (!latest || latest->shares != shares) {
    latest.reset();
    std::vector<Field> fields{Field(Layout::contiguous(own.elements.size()))};
    const std::string refused = words_of([&] {
      if (state_->in_sequence) fields[0].distribution = distribution_of(shares);
      if (no_place) throw Error("no place for the result, which this rank gets");
    });
    if (!refused.empty()) runtime::refuse_fields(communicator, refused);
    const runtime::ReducerKind kind{std::string(name_of(state_->type)),
                                    std::string(name_of(state_->op)),
                                    bytes_of(state_->type),
                                    state_->order,
                                    state_->operation->associative(),
                                    true};
    runtime::FieldOperations operations;
    operations.all.push_back(std::make_unique<runtime::PendingOperation>(brackets));
    auto reducer = std::make_unique<runtime::FieldReducer>(communicator, fields, settings, kind,
                                                           std::move(operations));
    for (Share& share : shares) share.reducer = ranks.number();
    latest.emplace(State::Latest{std::move(ranks), std::move(shares), std::move(reducer)});
  }
  // The reducer must not look for elements.
  FieldArrays no_arrays;
  no_arrays.make = [](const void*, Index, Index, void*) {};
  try {
    latest->reducer->run(
        1, [&](std::size_t) { return no_arrays; }, result, result == nullptr ? 0 : 1);
  } catch (...) {
    latest.reset();
    throw;
  }
  return latest->reducer->delivers();
}

void AnyAccumulator::refuse(MPI_Comm communicator, const std::string& words) {
  static_cast<void>(runtime::all_shares(Communicator(communicator), {}));
  runtime::refuse_fields(communicator, words);
}

}  // namespace bracket
