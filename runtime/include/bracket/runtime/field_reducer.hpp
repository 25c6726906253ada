#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/engine.hpp"

/// What the reducers of all types and languages are made of; nothing that a program uses.
namespace bracket::detail {

/// What a reducer is of, as ranks compare it and as its set-up needs to know it.
struct Kind {
  std::string type;
  std::string op;
  std::size_t element_bytes = 0;
  std::string order;         ///< `tree`, `chunked-tree:K` or `associative`
  bool associative = false;  ///< as its operation says
  bool of_nothing = false;   ///< whether a field may have no elements
};

/// What one rank does for all fields.
struct FieldTask {
  std::vector<FieldCells> cells;       // of each field
  std::vector<Index> elements;         // of each field on all ranks
  std::vector<Range> held;             // of each field on this rank
  std::vector<std::size_t> scheduled;  // the fields that have elements, which are the items below
  std::vector<FieldCells> item_cells;  // their cells
  std::vector<Program::Field> items;
  RankPart part;
  Index chunk = 1;
  bool delivers = false;
  bool everywhere = false;  // as on all other ranks
};

/// Whether any field is of products.
bool of_products(const std::vector<Field>& fields);

/// What making a `FieldReducer` throws on all ranks if this one refuses for `failure`. Collective,
/// in its place.
[[noreturn]] void refuse_fields(MPI_Comm communicator, const std::string& failure);

/// Throws `Error` for settings that make no sense whatever the elements.
void check_settings(const Settings& settings);

/// The order of the settings' algorithm, as `make_order` takes it.
std::string order_of(const Settings& settings, bool associative);

/// A reducer of fields, whatever the type and the operation.
class FieldReducer : public AnyReducer {
 public:
  [[nodiscard]] bool delivers() const override { return task_.delivers; }
  [[nodiscard]] std::size_t fields() const override { return arrays_.size(); }
  [[nodiscard]] Range held(std::size_t field) const override { return task_.held.at(field); }
  [[nodiscard]] Index elements(std::size_t field) const override {
    return task_.elements.at(field);
  }
  [[nodiscard]] Index messages_sent() const override { return engine_.messages_sent(); }

 protected:
  /// `failure`, if not empty, is what was wrong before. Collective. Throws `CollectiveError` as
  /// `make_reducer` does.
  FieldReducer(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings,
               const Kind& kind, const std::string& failure);

  /// Once, with the computation that `make` returns a reference to, which must last. Collective.
  /// Throws `CollectiveError` if that throws anywhere.
  void set_up(const std::function<Computation&(const FieldTask&)>& make);

  /// To `results`, of as many fields as there are: that of each scheduled item from its partial,
  /// which lie side by side, and those of the fields without elements.
  virtual void finish(const FieldTask& task, const void* partials, void* results) const = 0;

  /// Of each scheduled item, at a run.
  [[nodiscard]] const FieldArrays* item_arrays() const { return item_arrays_.data(); }

 private:
  void do_move(std::size_t field, const Layout& elements,
               const std::optional<Layout>& factors) override;
  [[noreturn]] void do_refuse(const std::string& words) override;
  void begin(std::size_t fields, std::size_t room, void* results) override;
  void set(std::size_t field, const FieldArrays& arrays) override;
  void go() override;
  bool do_test() override;
  void do_wait() override;
  void complete();

  Engine engine_;
  std::size_t element_bytes_;  // in the arrays
  FieldTask task_;
  std::vector<FieldArrays> arrays_;
  std::vector<FieldArrays> item_arrays_;
  void* results_ = nullptr;  // of the run under way
};

/// A reducer of fields of `Type` by an operation.
template <class Operation, class Type>
class FieldReducerOf final : public FieldReducer {
 public:
  using Result = typename Operation::Result;

  /// `nothing` is the result of no elements. Collective. `operation` may throw in `prepare` and
  /// when it is copied. Throws `CollectiveError`.
  FieldReducerOf(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings,
                 const Kind& kind, Operation&& operation, std::optional<Result> nothing)
      : FieldReducer(communicator, fields, settings, kind, words_of([&] { operation.prepare(); })),
        nothing_(nothing) {
    set_up([&](const FieldTask& task) -> Computation& {
      return computation_.emplace(operation, task.chunk, 1, settings.threads,
                                  Source(task.item_cells.data(), item_arrays()));
    });
  }

 private:
  using Source = Arrays<Operation, Type>;

  void finish(const FieldTask& task, const void* partials, void* results) const override {
    auto* const finished = static_cast<Result*>(results);
    for (std::size_t field = 0; field < task.elements.size(); ++field) {
      if (task.elements[field] == 0) finished[field] = *nothing_;
    }
    const auto* const values = static_cast<const typename Operation::Value*>(partials);
    for (std::size_t item = 0; item < task.scheduled.size(); ++item) {
      finished[task.scheduled[item]] = computation_->operation().finish(values[item]);
    }
  }

  std::optional<Result> nothing_;
  std::optional<ComputationOf<Operation, Source>> computation_;
};

}  // namespace bracket::detail
