#include "bracket/runtime/field_reducer.hpp"

#include "bracket/model/error.hpp"
#include "field_setup.hpp"

namespace bracket::detail {

FieldReducer::FieldReducer(MPI_Comm communicator, const std::vector<Field>& fields,
                           const Settings& settings, const Kind& kind, const std::string& failure)
    : engine_(communicator),
      element_bytes_(kind.element_bytes),
      task_(set_up_fields(engine_.communicator(), fields, settings, kind, failure)),
      arrays_(fields.size()),
      item_arrays_(task_.items.size()) {}

void FieldReducer::set_up(const std::function<Computation&(const FieldTask&)>& make) {
  together(engine_.communicator(), [&] {
    const Range wanted{0, task_.delivers ? static_cast<Index>(task_.items.size()) : 0};
    engine_.set_up(make(task_), task_.part, task_.items, wanted);
  });
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
    engine_.fail(text(fields, " field(s) given, the reducer is of ", arrays_.size()));
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

/// Hands the results of a complete run over.
void FieldReducer::complete() {
  if (!task_.delivers) return;
  engine_.deliver(task_.everywhere, [&] { finish(task_, engine_.result(), results_); });
}

}  // namespace bracket::detail
