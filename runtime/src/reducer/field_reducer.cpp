#include "bracket/runtime/field_reducer.hpp"

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "program/fused_computation.hpp"
#include "reducer/field_setup.hpp"

namespace bracket::detail {

FieldReducer::FieldReducer(MPI_Comm communicator, const std::vector<Field>& fields,
                           const Settings& settings, const Kind& kind, FieldOperations operations)
    : engine_(communicator),
      element_bytes_(kind.element_bytes),
      operations_(std::move(operations)),
      task_(set_up_fields(engine_.communicator(), fields, settings, kind, words_of([&] {
                            for (const auto& one : operations_.all) one->prepare();
                          }))),
      arrays_(fields.size()),
      item_arrays_(task_.items.size()) {
  together(engine_.communicator(), [&] {
    make_computation(settings.threads);
    const Range wanted{0, task_.delivers ? static_cast<Index>(task_.items.size()) : 0};
    engine_.set_up(*computation_, task_.part, task_.items, wanted);
  });
}

const FieldOperation& FieldReducer::operation_of(std::size_t field) const {
  return *operations_.all[operations_.of_field.empty() ? 0 : operations_.of_field[field]];
}

void FieldReducer::make_computation(int threads) {
  std::vector<std::unique_ptr<Computation>> all;
  for (const auto& operation : operations_.all) {
    all.push_back(
        operation->computation(task_.item_cells.data(), item_arrays_.data(), task_.chunk, threads));
  }
  if (all.size() == 1) {
    computation_ = std::move(all.front());
    return;
  }
  std::vector<std::size_t> of_item;
  for (const std::size_t field : task_.scheduled) of_item.push_back(operations_.of_field[field]);
  computation_ = std::make_unique<FusedComputation>(std::move(all), std::move(of_item));
}

void FieldReducer::do_move(std::size_t field, const Layout& elements,
                           const std::optional<Layout>& factors) {
  engine_.check_idle();
  try {
    move_cells(task_, field, elements, factors, element_bytes_);
  } catch (const Error& wrong) {
    engine_.fail(wrong.what());
  }
}

void FieldReducer::do_refuse(const std::string& words) {
  engine_.check_idle();
  engine_.fail(words);
}

void FieldReducer::begin(std::size_t fields, std::size_t room, void* results) {
  engine_.check_idle();
  const std::size_t wanted = task_.delivers ? arrays_.size() : 0;
  if (fields != arrays_.size()) {
    engine_.fail(text(fields, " field(s) given, the reducer has ", arrays_.size()));
  }
  if (room < wanted || (wanted > 0 && results == nullptr)) {
    engine_.fail(
        text("room for ", results == nullptr ? 0 : room, " result(s), there are ", wanted));
  }
  results_ = results;
}

void FieldReducer::set(std::size_t field, const FieldArrays& arrays) {
  try {
    check_arrays(field, task_.cells[field], arrays);
  } catch (const Error& wrong) {
    engine_.fail(wrong.what());
  }
  arrays_[field] = arrays;
}

void FieldReducer::go() {
  for (std::size_t item = 0; item < item_arrays_.size(); ++item) {
    item_arrays_[item] = arrays_[task_.scheduled[item]];
  }
  engine_.start();
}

bool FieldReducer::do_test() {
  const bool due = engine_.under_way();
  if (!engine_.test()) return false;
  if (due) complete();
  return true;
}

void FieldReducer::do_wait() {
  const bool due = engine_.under_way();
  engine_.wait();
  if (due) complete();
}

/// Delivers the results of a complete run.
void FieldReducer::complete() {
  if (!task_.delivers) return;
  engine_.deliver(task_.everywhere, [&] { finish(engine_.result()); });
}

/// Computes the results. `partials` are those of the scheduled items, contiguous.
void FieldReducer::finish(const void* partials) const {
  for (std::size_t field = 0; field < task_.elements.size(); ++field) {
    if (task_.elements[field] == 0) operation_of(field).finish_of_nothing(results_, field);
  }
  const auto* partial = static_cast<const std::byte*>(partials);
  for (const std::size_t field : task_.scheduled) {
    try {
      operation_of(field).finish(partial, results_, field);
    } catch (const Error& wrong) {  // the result does not fit
      if (task_.elements.size() == 1) throw;
      throw Error(text("field ", field, ": ", wrong.what()));
    }
    partial += computation_->value_bytes();
  }
}

}  // namespace bracket::detail
