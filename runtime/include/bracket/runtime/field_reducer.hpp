#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/engine.hpp"

namespace bracket {

/// What a reducer is of, as ranks compare it and as `set_up_fields` needs to know it.
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
};

/// Finds out together with the other ranks who holds what of the fields, and what this rank does.
/// `failure`, if not empty, is what was wrong before. Collective. Throws `CollectiveError` as
/// `make_reducer` does.
FieldTask set_up_fields(const Communicator& communicator, const std::vector<Field>& fields,
                        const Settings& settings, const Kind& kind, const std::string& failure);

/// Whether any field is of products.
bool of_products(const std::vector<Field>& fields);

/// What `set_up_fields` throws on all ranks if this one refuses for `failure`. Collective, in place
/// of making a `FieldReducer`.
[[noreturn]] void refuse_fields(MPI_Comm communicator, const std::string& failure);

/// Throws `Error` for settings that make no sense whatever the elements.
void check_settings(const Settings& settings);

/// The order of the settings' algorithm, as `make_order` takes it.
std::string order_of(const Settings& settings, bool associative);

/// Gives a field cells that lie otherwise. Throws `Error` if they are not as many in each
/// dimension.
void move_cells(FieldTask& task, std::size_t field, const Layout& elements,
                const std::optional<Layout>& factors, std::size_t element_bytes);

/// Throws `Error` unless a field has the arrays that its cells need.
void check_arrays(std::size_t field, const FieldCells& cells, const FieldArrays& arrays);

/// A reducer of fields of `Type` by an operation.
template <class Operation, class Type>
class FieldReducer final : public AnyReducer {
 public:
  using Result = typename Operation::Result;

  /// `nothing` is the result of no elements. Collective. `operation` may throw in `prepare`. Throws
  /// `CollectiveError`.
  FieldReducer(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings,
               const Kind& kind, Operation operation, std::optional<Result> nothing)
      : engine_(communicator), element_bytes_(kind.element_bytes), nothing_(nothing) {
    std::string failure;
    try {
      operation.prepare();
    } catch (...) {
      failure = words_of_current_exception();
    }
    task_ = set_up_fields(engine_.communicator(), fields, settings, kind, failure);
    arrays_.resize(fields.size());
    item_arrays_.resize(task_.items.size());
    together(engine_.communicator(), [&] {
      const Range wanted{0, task_.delivers ? static_cast<Index>(task_.items.size()) : 0};
      engine_.set_up(operation, task_.chunk, settings.threads, task_.part, task_.items, wanted);
    });
  }

  [[nodiscard]] bool delivers() const override { return task_.delivers; }
  [[nodiscard]] std::size_t fields() const override { return arrays_.size(); }
  [[nodiscard]] Range held(std::size_t field) const override { return task_.held.at(field); }
  [[nodiscard]] Index elements(std::size_t field) const override {
    return task_.elements.at(field);
  }
  [[nodiscard]] Index messages_sent() const override { return engine_.messages_sent(); }

 private:
  void do_move(std::size_t field, const Layout& elements,
               const std::optional<Layout>& factors) override {
    engine_.check_idle();
    try {
      move_cells(task_, field, elements, factors, element_bytes_);
    } catch (const Error& wrong) {
      engine_.fail(wrong.what());
    }
  }

  [[noreturn]] void do_refuse(const std::string& words) override {
    engine_.check_idle();
    engine_.fail(words);
  }

  void begin(std::size_t fields, std::size_t room, void* results) override {
    engine_.check_idle();
    const std::size_t wanted = task_.delivers ? arrays_.size() : 0;
    if (fields != arrays_.size()) {
      engine_.fail(text(fields, " field(s) given, the reducer is of ", arrays_.size()));
    }
    if (room < wanted || (wanted > 0 && results == nullptr)) {
      engine_.fail(
          text("room for ", results == nullptr ? 0 : room, " result(s), there are ", wanted));
    }
    results_ = static_cast<Result*>(results);
  }

  void set(std::size_t field, const FieldArrays& arrays) override {
    try {
      check_arrays(field, task_.cells[field], arrays);
    } catch (const Error& wrong) {
      engine_.fail(wrong.what());
    }
    arrays_[field] = arrays;
  }

  void go() override {
    for (std::size_t item = 0; item < item_arrays_.size(); ++item) {
      item_arrays_[item] = arrays_[task_.scheduled[item]];
    }
    engine_.start({task_.item_cells.data(), item_arrays_.data()});
  }

  bool do_test() override {
    const bool due = engine_.under_way();
    if (!engine_.test()) return false;
    if (due) finish();
    return true;
  }

  void do_wait() override {
    const bool due = engine_.under_way();
    engine_.wait();
    if (due) finish();
  }

  /// Hands the results of a complete run over.
  void finish() {
    if (!task_.delivers) return;
    for (std::size_t field = 0; field < arrays_.size(); ++field) {
      if (task_.elements[field] == 0) results_[field] = *nothing_;
    }
    const auto values = engine_.result();
    for (std::size_t item = 0; item < values.size(); ++item) {
      results_[task_.scheduled[item]] = engine_.operation().finish(values[item]);
    }
  }

  Engine<Operation, Arrays<Operation, Type>> engine_;
  std::size_t element_bytes_;  // in the arrays, where `Type` may be longer
  std::optional<Result> nothing_;
  FieldTask task_;
  std::vector<FieldArrays> arrays_;
  std::vector<FieldArrays> item_arrays_;
  Result* results_ = nullptr;
};

}  // namespace bracket
