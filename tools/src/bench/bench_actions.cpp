// SPDX-License-Identifier: MIT

#include "bench/bench_actions.hpp"

#include "bracket/model/schedule.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr std::uint64_t seed_of_factors = 25'711;  // elements have other seeds

}  // namespace

BenchActions::BenchActions(const Communicator& world, const BenchMethod& method)
    : world_(world), method_(method), unordered_(world, *method.kernel, method.threads) {
  if (method.device) device_.emplace(world, unordered_);
}

void BenchActions::make_room(const BenchSize& size) {
  elements_.make_room(size.held(world_.rank()));
}

void BenchActions::read(const BenchSize& size, const input::Input& input) {
  make_room(size);
  elements_.read(input);
  if (method_.shape.products) {
    factors_.make_room(size.held(world_.rank()));
    factors_.read(*input::synthetic_input(size.elements(), seed_of_factors));
  }
  if (device_) device_->copy(elements_.all());
}

std::shared_ptr<BenchField> BenchActions::field_of(const BenchSize::Sharing& sharing) const {
  return std::make_shared<BenchField>(
      method_.shape, elements_.of(held(sharing)),
      method_.shape.products ? factors_.of(held(sharing)) : std::span<const double>());
}

std::function<void()> BenchActions::of(const BenchSize::Entrant& entrant, double& sum) {
  const BenchSize::Sharing& sharing = *entrant.sharing;
  if (device_) return device_->action(entrant, elements_.of(held(sharing)), sum);
  if (const Baseline sums = baseline_named(entrant.name); sums != Baseline::none) {
    return [this, sums, field = field_of(sharing), &sum] {
      sum = unordered_.sum(field->pieces(),
                           [&](Range some) { return field->sum(sums, *method_.kernel, some); });
    };
  }
  try {
    return by_reducer(entrant, sum);
  } catch (const CollectiveError& failure) {
    throw CollectiveError(
        text(entrant.name, " of ", sharing.order.elements(), " elements: ", failure.what()));
  }
}

std::function<void()> BenchActions::by_reducer(const BenchSize::Entrant& entrant, double& sum) {
  const BenchSize::Sharing& sharing = *entrant.sharing;
  const auto field = field_of(sharing);
  Settings settings;
  settings.threads = method_.threads;
  settings.kernel = method_.kernel->name;
  std::shared_ptr<Reducer<double>> reducer;
  if (entrant.plan != nullptr && method_.shape.plain()) {
    // The header has orders that are no algorithms, too.
    reducer = std::make_shared<Reducer<double>>(
        world_.handle(), header_of(sharing.problem(), *entrant.plan), settings);
  } else {
    settings.algorithm =
        entrant.algorithm != nullptr ? entrant.algorithm->spec() : sharing.order.spec();
    if (entrant.plan != nullptr) settings.plan = entrant.plan->spec();
    reducer = std::make_shared<Reducer<double>>(world_.handle(), field->field(sharing.distribution),
                                                settings);
  }
  return [field, reducer, &sum] { sum = field->sum(*reducer); };
}

double BenchActions::magnitudes(const BenchSize& size) const {
  return unordered_.combine(field_of(size.sharings.front())->magnitudes());
}

}  // namespace bracket::tools
