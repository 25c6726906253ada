// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "bracket/model/loggp.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

void Machine::check() const {
  const auto refuse_unless_cost = [](double value, const std::string& what) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw Error(text(what, " must be a finite number of at least 0, not ", value));
    }
  };
  between_nodes().check("");
  if (inside_node) inside_node->check("inside a node: ");
  refuse_unless_cost(seconds_per_addition, "seconds per addition");
  if (!(cache_bytes >= 0))
    throw Error(text("caches of ", cache_bytes, " bytes: at least 0 was expected"));
  if (!(eager_bytes >= 0))
    throw Error(text("eager up to ", eager_bytes, " bytes: at least 0 was expected"));
  if (value_bytes < 1) throw Error(text("a value has at least 1 byte, not ", value_bytes));
  if (element_bytes < 1) throw Error(text("an element has at least 1 byte, not ", element_bytes));
  if (work) work->check();
  if (!operations.empty() && !work) {
    throw Error("a machine with times of operations, but without those of the sum of float64");
  }
  std::set<std::string> measured{Operation{}.spec()};
  for (const auto& [operation, times] : operations) {
    if (!measured.insert(operation.spec()).second) {
      throw Error(text(operation.spec(), ": the machine already has times for this operation"));
    }
    try {
      operation.check();
      times.check();
    } catch (const Error& failure) {
      throw Error(text(operation.spec(), ": ", failure.what()));
    }
  }
}

double Machine::start(Rank ranks, Collective collective, double numbers) const {
  return work ? work->start_of(ranks, collective, numbers) : 0;
}

double Machine::end(Index delivered) const { return work ? work->end_of(delivered) : 0; }

MessageCosts Machine::between_nodes() const {
  return {.latency = latency,
          .overhead = overhead,
          .gap = gap,
          .gap_per_byte = gap_per_byte,
          .overhead_per_byte = overhead_per_byte,
          .measured = messages,
          .cold = cold_messages,
          .library = library_messages,
          .handling = work ? work->seconds_per_receive : 0};
}

void Machine::set_between_nodes(MessageCosts costs) {
  latency = costs.latency;
  overhead = costs.overhead;
  gap = costs.gap;
  gap_per_byte = costs.gap_per_byte;
  overhead_per_byte = costs.overhead_per_byte;
  messages = std::move(costs.measured);
  cold_messages = std::move(costs.cold);
  library_messages = std::move(costs.library);
}

MessageCosts Machine::within_node() const {
  if (!inside_node) return between_nodes();
  MessageCosts costs = *inside_node;
  costs.overhead_per_byte = overhead_per_byte;
  costs.handling = work ? work->seconds_per_receive : 0;
  return costs;
}

Machine Machine::out_of_cache() const {
  Machine machine = *this;
  machine.set_between_nodes(between_nodes().out_of_cache());
  if (inside_node) machine.inside_node = inside_node->out_of_cache();
  return machine;
}

Machine Machine::by_library() const {
  Machine machine = *this;
  machine.set_between_nodes(between_nodes().by_library());
  if (inside_node) machine.inside_node = inside_node->by_library();
  return machine;
}

namespace {

/// Scales the table to values that are `ratio` times as large.
void scale(std::vector<MeasuredWork::Fold>& times, double ratio) {
  std::vector<MeasuredWork::Fold> scaled;
  for (const auto& [elements, seconds] : times) {
    constexpr double most = 1e18;
    const auto count = std::max<Index>(
        1, static_cast<Index>(std::min(most, static_cast<double>(elements) / ratio)));
    if (!scaled.empty() && scaled.back().elements == count) scaled.pop_back();
    scaled.push_back({count, seconds});
  }
  times = std::move(scaled);
}

}  // namespace

Machine Machine::for_values(Index bytes) const {
  Machine machine = *this;
  const double ratio = static_cast<double>(bytes) / static_cast<double>(value_bytes);
  machine.value_bytes = bytes;
  machine.element_bytes = bytes;
  machine.seconds_per_addition *= ratio;
  if (!work || bytes == value_bytes) return machine;
  MeasuredWork& scaled = *machine.work;
  scaled.seconds_per_join *= ratio;
  scaled.seconds_per_result *= ratio;
  scale(scaled.partial_folds, ratio);
  scaled.complete_folds.clear();
  scale(scaled.folds, ratio);
  for (auto& together : scaled.folds_together) {
    scale(together.folds, ratio);
    scale(together.vector_folds, ratio);
  }
  scale(scaled.copies, ratio);
  scale(scaled.joins, ratio);
  scale(scaled.vector_folds, ratio);
  return machine;
}

namespace {

/// Whether both operations take the same time.
bool alike(const Operation& left, const Operation& right) { return left.spec() == right.spec(); }

std::string known_operations(const Machine& machine) {
  std::string known = Operation{}.spec();
  for (const auto& measured : machine.operations) known += ", " + measured.operation.spec();
  return known;
}

}  // namespace

bool Machine::computes(const Operation& operation) const {
  return alike(operation, {}) || !work ||
         std::any_of(operations.begin(), operations.end(),
                     [&](const auto& known) { return alike(known.operation, operation); });
}

Machine Machine::computing(const Operation& operation) const {
  operation.check();
  Machine machine = operation.baseline == Baseline::none ? *this : by_library();
  machine.value_bytes = operation.value_bytes();
  machine.element_bytes = operation.element_bytes();
  if (alike(operation, {})) return machine;
  if (!work) {
    machine.seconds_per_addition *= static_cast<double>(operation.flops());
    return machine;
  }
  const auto measured = std::find_if(operations.begin(), operations.end(), [&](const auto& known) {
    return alike(known.operation, operation);
  });
  if (measured == operations.end()) {
    throw Error(text("the machine has no times for ", operation.spec(), ", but for ",
                     known_operations(*this), ": measure them with bracket calibrate --operations ",
                     operation.spec()));
  }
  static_cast<OperationTimes&>(*machine.work) = measured->times;
  if (work->start_in_program && !machine.work->start_in_program) {
    machine.work->start_in_program = *work->start_in_program + machine.work->more_start;
  }
  if (auto& cache = machine.work->first_cache) {
    const double bytes = static_cast<double>(cache->elements) * static_cast<double>(element_bytes);
    cache->elements =
        std::max<Index>(1, static_cast<Index>(bytes / static_cast<double>(machine.element_bytes)));
  }
  return machine;
}

double Machine::seconds_per_element(Index elements) const {
  if (!work) return seconds_per_addition / sharing(static_cast<double>(elements));
  const double count = std::max(1.0, static_cast<double>(elements));
  return work->fold(count) / count;
}

}  // namespace bracket
