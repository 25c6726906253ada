// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/device.hpp"
#include "bracket/runtime/execution.hpp"
#include "bracket/runtime/field_operation.hpp"
#include "bracket/runtime/program.hpp"

/// Implementation of the reducers of all types and languages. Programs do not use it.
namespace bracket::runtime {

class DeviceComputation;

/// Type and operator of a reducer, for the comparison between ranks and for its set-up.
struct ReducerKind {
  std::string type;
  std::string op;
  std::size_t element_bytes = 0;
  std::string order;         ///< for `make_order`
  bool associative = false;  ///< as its operation has it
  bool of_nothing = false;   ///< whether a field may have no elements
};

/// One rank's part in reducing all fields.
struct FieldTask {
  std::vector<FieldCells> cells;       // of each field
  std::vector<Index> elements;         // of each field on all ranks
  std::vector<Range> held;             // of each field on this rank
  std::vector<std::size_t> scheduled;  // the fields that have elements: the items below
  std::vector<FieldCells> item_cells;  // their cells
  std::vector<Program::Item> items;
  RankPart part;  // not of the plan `native`
  std::string order;
  std::optional<Distribution>
      native;  // of the only field that has elements, if the plan is `native`
  Index chunk = 1;
  Index vector_items = 0;  // numbers in an element of a schedule; 0 for fields
  Range delivered;         // fields, or items of a vector, whose results this rank gets
  bool delivers = false;
  bool everywhere = false;  // all ranks get the results
};

/// Makes every rank throw `CollectiveError` because this rank refuses, with the message `failure`.
/// Collective: takes the place of making a `FieldReducer`.
[[noreturn]] void refuse_fields(MPI_Comm communicator, const std::string& failure);

/// Returns the algorithm of the settings, and writes its full name into them, so that ranks which
/// mean the same algorithm agree. Throws `Error` for settings that make no sense for any elements.
Algorithm checked_algorithm(Settings& settings);

/// A reducer of fields of any type, by any operations.
class FieldReducer final : public AnyReducer {
 public:
  /// Collective. Throws `CollectiveError` as `make_reducer` does, and if preparing or copying an
  /// operation throws on any rank.
  FieldReducer(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings,
               const ReducerKind& kind, FieldOperations operations);

  /// Executes a schedule with this header: the `given` one or, if that is null, the one that the
  /// header's plan makes. Collective; throws as above.
  FieldReducer(MPI_Comm communicator, const ScheduleHeader& header, const Schedule* given,
               const Settings& settings, const ReducerKind& kind, FieldOperations operations);

  [[nodiscard]] bool delivers() const override { return task_.delivers; }
  [[nodiscard]] Range delivered() const override { return task_.delivered; }
  [[nodiscard]] std::size_t fields() const override { return task_.cells.size(); }
  [[nodiscard]] Range held(std::size_t field) const override { return task_.held.at(field); }
  [[nodiscard]] Index elements(std::size_t field) const override {
    return task_.elements.at(field);
  }
  [[nodiscard]] Index messages_sent() const override { return execution_->messages_sent(); }

 private:
  void do_move(std::size_t field, const Layout& elements,
               const std::optional<Layout>& factors) override;
  [[noreturn]] void do_refuse(const std::string& words) override;
  void do_start(const Call& call) override;
  void do_run(const Call& call) override;
  bool do_test() override;
  void do_wait() override;
  [[nodiscard]] Accuracy do_accuracy(std::size_t field) const override;

  [[nodiscard]] const FieldOperation& operation_of(std::size_t field) const {
    return *operations_.all[operations_.of_field.empty() ? 0 : operations_.of_field[field]];
  }
  void make_computation(const Settings& settings);
  void expect_folds();
  void make(MPI_Comm communicator, Communicator ranks, const Settings& settings);
  void prepare();
  [[nodiscard]] std::size_t result_bytes() const;
  inline void take(const Call& call);
  inline void take_results(void* results);
  inline void take_arrays(const Call& call);
  [[noreturn]] void refuse_call(const Call& call);
  inline void complete();
  inline void deliver();
  inline void finish(const void* partials) const;
  void finish_vector(const void* partials) const;

  std::size_t element_bytes_;  // in the arrays
  FieldOperations operations_;
  FieldTask task_;
  device::ArrayMemory memory_;
  std::vector<std::size_t>
      item_of_;  // the item of each field; for one without elements, the number of items
  std::vector<FieldArrays>
      arrays_;  // of each item in a run, then one for all fields without elements
  std::unique_ptr<Computation> computation_;
  DeviceComputation* by_device_ = nullptr;  // the same, unless elements are vectors
  std::size_t partial_bytes_ = 0;           // what the computation yields for an item
  std::unique_ptr<Execution> execution_;

  // State of the run under way.
  bool complete_ = false;  // a run, and no other has begun
  void* results_ = nullptr;
  void* results_on_device_ = nullptr;  // or null; `results_` is then in the room
  std::vector<std::max_align_t> result_room_;
};

}  // namespace bracket::runtime
