// SPDX-License-Identifier: MIT

#include "reducer/two_reductions.hpp"

#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "operations/operations.hpp"

namespace bracket::runtime {

TwoReductions::TwoReductions(MPI_Comm communicator, const std::vector<Field>& fields,
                             const Settings& settings, const std::vector<Operation>& asked)
    : magnitudes_(fields.size()) {
  check_mpi(MPI_Comm_rank(communicator, &rank_), "MPI_Comm_rank");
  const Type type = asked.front().type;
  FieldOperations sums;
  FieldOperations largest;
  for (const Operation& operation : asked) {
    sums.of_field.push_back(sums.all.size());
    sums.all.push_back(reducers::make_operation(operation, settings.kernel));
    operations_.push_back(sums.all.back().get());
  }
  largest.all.push_back(reducers::make_largest_magnitude(type, settings.kernel));
  sums.asked = asked;
  largest.asked = {asked.front()};  // what devices are asked for, and refuse
  ReducerKind kind{std::string(name_of(type)),
                   std::string(name_of(Op::sum)),
                   bytes_of(type),
                   "associative",
                   true,
                   true};
  sums_ = std::make_unique<FieldReducer>(communicator, fields, settings, kind, std::move(sums));
  // On all ranks, by a plan that suits: plan and distribution of the settings are for the sums.
  Settings everywhere = settings;
  everywhere.plan.clear();
  everywhere.root.reset();
  everywhere.held.reset();
  kind.op = "largest magnitude";
  largest_ =
      std::make_unique<FieldReducer>(communicator, fields, everywhere, kind, std::move(largest));
}

template <class Action>
auto TwoReductions::guarded(Action&& action) {
  try {
    return action();
  } catch (const std::exception& failure) {
    if (std::exchange(stage_, Stage::none) == Stage::sums) end_first(failure.what());
    throw;
  }
}

/// If the second reduction has failed on this rank and cannot go on, tells the other ranks, which
/// may wait in the first one of the next run. A failure of another rank is told by that rank.
void TwoReductions::end_first(const std::string& words) {
  if (words_of([&] { sums_->test(); }).empty()) return;
  const std::string any_rank = "rank ";
  const std::string this_rank = text(any_rank, rank_, ": ");
  if (words.starts_with(this_rank)) {
    static_cast<void>(words_of([&] { largest_->refuse(words.substr(this_rank.size())); }));
  } else if (!words.starts_with(any_rank)) {
    static_cast<void>(words_of([&] { largest_->refuse(words); }));
  }
}

void TwoReductions::do_move(std::size_t field, const Layout& elements,
                            const std::optional<Layout>& factors) {
  if (stage_ != Stage::none) throw Error(run_under_way);
  largest_->move(field, elements, factors);
  sums_->move(field, elements, factors);
}

void TwoReductions::do_refuse(const std::string& words) {
  if (stage_ != Stage::none) throw Error(run_under_way);
  largest_->refuse(words);
}

void TwoReductions::do_start(const Call& call) {
  if (stage_ != Stage::none) throw Error(run_under_way);
  const std::string refused = words_of([&] {
    arrays_.clear();
    for (std::size_t field = 0; field < call.fields; ++field) {
      arrays_.push_back(call.arrays_of(field));
    }
  });
  if (!refused.empty()) largest_->refuse(refused);
  room_ = call.room;
  results_ = call.results;
  largest_->start(
      arrays_.size(), [&](std::size_t field) { return arrays_[field]; }, magnitudes_.data(),
      magnitudes_.size());
  stage_ = Stage::largest;
}

void TwoReductions::do_run(const Call& call) {
  do_start(call);
  do_wait();
}

void TwoReductions::start_sums() {
  stage_ = Stage::sums;
  for (std::size_t field = 0; field < operations_.size(); ++field) {
    operations_[field]->set_magnitude(magnitudes_[field], sums_->elements(field));
  }
  sums_->start(
      arrays_.size(), [&](std::size_t field) { return arrays_[field]; }, results_, room_);
}

bool TwoReductions::do_test() {
  return guarded([&] {
    if (stage_ != Stage::sums) {
      if (!largest_->test()) return false;
      if (stage_ == Stage::none) return true;
      start_sums();
    }
    if (!sums_->test()) return false;
    stage_ = Stage::none;
    return true;
  });
}

void TwoReductions::do_wait() {
  guarded([&] {
    if (stage_ != Stage::sums) {
      largest_->wait();
      if (stage_ == Stage::none) return;
      start_sums();
    }
    sums_->wait();
    stage_ = Stage::none;
  });
}

Accuracy TwoReductions::do_accuracy(std::size_t field) const { return sums_->accuracy(field); }

}  // namespace bracket::runtime
