// SPDX-License-Identifier: MIT

#include "bracket/runtime/field_reducer.hpp"

#include <new>

#include "bracket/runtime/mailboxes.hpp"
#include "bracket/runtime/native_execution.hpp"
#include "bracket/runtime/program_execution.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "program/fused_computation.hpp"
#include "reducer/device_computation.hpp"
#include "reducer/field_setup.hpp"

namespace bracket::runtime {

FieldReducer::FieldReducer(MPI_Comm communicator, const std::vector<Field>& fields,
                           const Settings& settings, const ReducerKind& kind,
                           FieldOperations operations)
    : element_bytes_(kind.element_bytes), operations_(std::move(operations)) {
  Communicator ranks(communicator);
  task_ = set_up_fields(ranks, fields, settings, kind, words_of([&] { prepare(); }));
  make(communicator, std::move(ranks), settings);
}

FieldReducer::FieldReducer(MPI_Comm communicator, const ScheduleHeader& header,
                           const Schedule* given, const Settings& settings, const ReducerKind& kind,
                           FieldOperations operations)
    : element_bytes_(kind.element_bytes), operations_(std::move(operations)) {
  Communicator ranks(communicator);
  task_ = set_up_schedule(ranks, header, given, settings, kind, words_of([&] { prepare(); }));
  make(communicator, std::move(ranks), settings);
}

void FieldReducer::prepare() {
  for (const auto& one : operations_.all) one->prepare();
}

/// Makes computation and execution. Collective.
void FieldReducer::make(MPI_Comm communicator, Communicator ranks, const Settings& settings) {
  const std::size_t items = task_.scheduled.size();
  arrays_.resize(items + 1);
  item_of_.assign(fields(), items);
  for (std::size_t item = 0; item < items; ++item) item_of_[task_.scheduled[item]] = item;
  Sharing wanted = Sharing::never;
  const std::string failure = words_of([&] {
    wanted = sharing();
    memory_ = device::ArrayMemory::named(settings.memory);
    make_computation(settings);
    partial_bytes_ = computation_->value_bytes();
    if (by_device_ != nullptr) expect_folds();
  });
  const Agreement agreement = on_sharing(wanted);
  fail_together(ranks, failure, {&agreement, 1});
  if (task_.native) {
    auto execution = std::make_unique<NativeExecution>(communicator);
    together(execution->communicator(), [&] {
      execution->set_up(*computation_, make_order(task_.order, task_.native->elements()),
                        task_.items[0].held);
    });
    execution->settle(*task_.native);
    execution_ = std::move(execution);
    return;
  }
  auto execution = std::make_unique<ProgramExecution>(std::move(ranks));
  const std::string no_program = words_of([&] {
    const bool of_fields = task_.vector_items == 0;
    const Range all{0, task_.delivers ? static_cast<Index>(task_.items.size()) : 0};
    execution->set_up(*computation_, task_.part, task_.items, of_fields ? all : task_.delivered);
  });
  execution->share_memory(wanted, no_program);
  execution_ = std::move(execution);
}

void FieldReducer::make_computation(const Settings& settings) {
  if (task_.vector_items > 1) {
    computation_ = operations_.all.front()->vectors(arrays_.data(), task_.vector_items, task_.chunk,
                                                    settings.threads);
    return;
  }
  std::vector<std::unique_ptr<Computation>> all;
  for (const auto& operation : operations_.all) {
    all.push_back(operation->computation(task_.item_cells.data(), arrays_.data(), task_.chunk,
                                         settings.threads));
  }
  std::vector<std::size_t> of_item;
  std::vector<const Operation*> asked;
  for (const std::size_t field : task_.scheduled) {
    of_item.push_back(operations_.of_field.empty() ? 0 : operations_.of_field[field]);
    asked.push_back(operations_.asked.empty() ? nullptr : &operations_.asked[of_item.back()]);
  }
  std::unique_ptr<Computation> host =
      all.size() == 1 ? std::move(all.front())
                      : std::make_unique<FusedComputation>(std::move(all), std::move(of_item));
  auto by_device = std::make_unique<DeviceComputation>(std::move(host), task_.item_cells.data(),
                                                       arrays_.data(), asked, task_.chunk, memory_);
  by_device_ = by_device.get();
  computation_ = std::move(by_device);
}

/// Announces the folds of this rank's own elements, which every run needs.
void FieldReducer::expect_folds() {
  const auto expect = [&](std::size_t item, Range elements) {
    const Range held = task_.items[item].held;
    if (elements.empty() || !held.contains(elements)) return;
    by_device_->expect(item, {elements.begin - held.begin, elements.end - held.begin});
  };
  if (task_.native) {
    const auto order = make_order(task_.order, task_.native->elements());
    if (order.explicit_tree() != nullptr) return;
    for (const Partial& partial : order.frontier(task_.items[0].held)) {
      if (!partial.run) expect(0, partial.range);
    }
    return;
  }
  for (const Step& step : task_.part.steps()) {
    if (step.kind != StepKind::fold) continue;
    const Partial& folded = task_.part.operands(step)[0];
    for (Index item = folded.segment.begin; item < folded.segment.end; ++item) {
      expect(static_cast<std::size_t>(item), folded.range);
    }
  }
}

void FieldReducer::do_move(std::size_t field, const Layout& elements,
                           const std::optional<Layout>& factors) {
  execution_->check_idle();
  try {
    move_cells(task_, field, elements, factors, element_bytes_);
  } catch (const Error& wrong) {
    execution_->fail(wrong.what());
  }
}

void FieldReducer::do_refuse(const std::string& words) {
  execution_->check_idle();
  execution_->fail(words);
}

void FieldReducer::do_start(const Call& call) {
  take(call);
  execution_->start();
}

void FieldReducer::do_run(const Call& call) {
  take(call);
  execution_->run();
  complete();
}

/// Takes over the arguments of a run, and looks up where the arrays lie.
void FieldReducer::take(const Call& call) {
  execution_->check_idle();
  const auto wanted = static_cast<std::size_t>(task_.delivered.size());
  const bool no_place = call.room < wanted || (wanted > 0 && call.results == nullptr);
  if (call.fields != fields() || no_place) refuse_call(call);
  complete_ = false;
  memory_.begin_run();
  try {
    take_results(wanted > 0 ? call.results : nullptr);
    take_arrays(call);
  } catch (...) {
    execution_->fail(words_of_current_exception());
  }
}

void FieldReducer::refuse_call(const Call& call) {
  const Index wanted = task_.delivered.size();
  if (call.fields != fields()) {
    execution_->fail(text(call.fields, " field(s) given, the reducer has ", fields()));
  }
  execution_->fail(call.room < static_cast<std::size_t>(wanted)
                       ? text("room for ", call.room, " result(s), there are ", wanted)
                       : text("the address for ", wanted, " result(s) is null"));
}

void FieldReducer::take_results(void* results) {
  results_ = results;
  results_on_device_ = nullptr;
  if (results == nullptr || memory_.device_of_results(results) == device::no_device) return;
  results_on_device_ = results;
  result_room_.resize(result_bytes() / sizeof(std::max_align_t) + 1);
  results_ = result_room_.data();
}

void FieldReducer::take_arrays(const Call& call) {
  for (std::size_t field = 0; field < call.fields; ++field) {
    FieldArrays* const arrays = &arrays_[item_of_[field]];
    // Constructed in place. A copy reads 16 bytes at once that were just written as twice 8, and
    // the processor waits for both.
    ::new (static_cast<void*>(arrays)) FieldArrays(call.arrays_of(field));
    const FieldCells& cells = item_of_[field] < task_.item_cells.size()
                                  ? task_.item_cells[item_of_[field]]
                                  : task_.cells[field];
    if (!suit(*arrays, cells)) refuse_arrays(field, cells, *arrays);
  }
  if (task_.vector_items > 1 && arrays_.front().make != nullptr) {
    throw Error("vectors are reduced from an array, not by a function");
  }
  if (by_device_ != nullptr) {
    execution_->compute_by(by_device_->begin_run());
  } else if (memory_.device_of(arrays_.front().elements) != device::no_device) {
    throw Error("devices do not reduce vectors: reduce arrays of the host");
  }
}

/// Bytes of this rank's results.
std::size_t FieldReducer::result_bytes() const {
  return static_cast<std::size_t>(task_.delivered.size()) * operations_.all.front()->result_bytes();
}

bool FieldReducer::do_test() {
  const bool due = execution_->under_way();
  if (!execution_->test()) return false;
  if (due) complete();
  return true;
}

void FieldReducer::do_wait() {
  const bool due = execution_->under_way();
  execution_->wait();
  if (due) complete();
}

/// Delivers the results of a complete run.
void FieldReducer::complete() {
  complete_ = true;
  if (!task_.delivers) return;
  if (task_.everywhere) return deliver();
  execution_->deliver_alone([&] { deliver(); });
}

void FieldReducer::deliver() {
  finish(execution_->result());
  if (results_on_device_ == nullptr) return;
  device::copy_bytes(device::Kind::cuda, results_on_device_, results_, result_bytes());
}

/// Computes the results. `partials` are those of the scheduled items, contiguous.
void FieldReducer::finish(const void* partials) const {
  if (task_.vector_items > 0) return finish_vector(partials);
  if (task_.scheduled.size() < task_.elements.size()) {
    for (std::size_t field = 0; field < task_.elements.size(); ++field) {
      if (task_.elements[field] == 0) operation_of(field).finish_of_nothing(results_, field);
    }
  }
  const auto* partial = static_cast<const std::byte*>(partials);
  for (const std::size_t field : task_.scheduled) {
    try {
      operation_of(field).finish(partial, 1, results_, field);
    } catch (const Error& wrong) {  // the result does not fit
      if (task_.elements.size() == 1) throw;
      throw Error(text("field ", field, ": ", wrong.what()));
    }
    partial += partial_bytes_;
  }
}

Accuracy FieldReducer::do_accuracy(std::size_t field) const {
  if (field >= task_.elements.size()) {
    throw Error(text("there is no field ", field, ": the reducer has ", task_.elements.size()));
  }
  if (!operation_of(field).accuracy(nullptr)) {
    throw Error("only the algorithm stochastic says how many digits of a sum are correct");
  }
  if (!task_.delivers) throw Error("this rank does not get the results");
  if (!complete_) throw Error("no run is complete, so there is no result");
  const std::size_t item = item_of_[field];
  if (item == task_.scheduled.size()) return *operation_of(field).accuracy(nullptr);
  return *operation_of(field).accuracy(static_cast<const std::byte*>(execution_->result()) +
                                       item * partial_bytes_);
}

/// Computes the results of the items of a vector that this rank gets.
void FieldReducer::finish_vector(const void* partials) const {
  operations_.all.front()->finish(partials, task_.delivered.size(), results_, 0);
}

}  // namespace bracket::runtime
