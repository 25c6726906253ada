// SPDX-License-Identifier: MIT

#include <memory>
#include <utility>

#include "bracket.h"
#include "bracket/runtime/any_accumulator.hpp"
#include "calls.hpp"
#include "constants.hpp"

struct bracket_accumulator {
  bracket::AnyAccumulator accumulator;
};

namespace {

using bracket::at;
using bracket::guarded;

template <class Handle>
auto& accumulator_of(Handle* handle) {
  if (handle == nullptr) throw bracket::Error("the accumulator is NULL: not created, or freed");
  return handle->accumulator;
}

}  // namespace

int bracket_accumulator_create(int type, int op, int64_t first, const bracket_settings* settings,
                               bracket_accumulator** accumulator) {
  return guarded([&] {
    bracket_accumulator*& place = at(accumulator, "the place of the accumulator");
    place = nullptr;
    place = new bracket_accumulator{
        {bracket::type_of(type), bracket::op_of(op), bracket::settings_of(settings), first}};
  });
}

int bracket_accumulator_add(bracket_accumulator* accumulator, const void* elements, int64_t count) {
  return guarded([&] { accumulator_of(accumulator).add(elements, count); });
}

int bracket_accumulator_add_other(bracket_accumulator* accumulator,
                                  const bracket_accumulator* other) {
  return guarded([&] { accumulator_of(accumulator).add(accumulator_of(other)); });
}

int bracket_accumulator_count(const bracket_accumulator* accumulator, int64_t* count) {
  return guarded(
      [&] { at(count, "the place of the answer") = accumulator_of(accumulator).held().size(); });
}

int bracket_accumulator_reset(bracket_accumulator* accumulator, int64_t first) {
  return guarded([&] { accumulator_of(accumulator).reset(first); });
}

int bracket_accumulator_value(bracket_accumulator* accumulator, void* result) {
  return guarded([&] {
    if (result == nullptr) throw bracket::Error("the place of the result is NULL");
    accumulator_of(accumulator).value(result);
  });
}

int bracket_accumulator_reduce(bracket_accumulator* accumulator, MPI_Comm communicator,
                               void* result) {
  return guarded([&] { accumulator_of(accumulator).reduce(communicator, result); });
}

int bracket_accumulator_refuse(MPI_Comm communicator, const char* words) {
  return guarded(
      [&] { bracket::AnyAccumulator::refuse(communicator, bracket::words_or_default(words)); });
}

int bracket_accumulator_free(bracket_accumulator** accumulator) {
  return guarded(
      [&] { delete std::exchange(at(accumulator, "the place of the accumulator"), nullptr); });
}
