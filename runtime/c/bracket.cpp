// SPDX-License-Identifier: MIT

#include "bracket.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/digest.hpp"
#include "bracket/runtime/field_reducer.hpp"
#include "bracket/runtime/location.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "c_operator.hpp"
#include "calls.hpp"
#include "constants.hpp"

using bracket::AnyReducer;
using bracket::at;
using bracket::Error;
using bracket::guarded;
using bracket::Index;
using bracket::text;

struct bracket_reducer {
  std::unique_ptr<AnyReducer> reducer;
};

namespace {

template <class C, class Number>
constexpr bool laid_out_as = sizeof(C) == sizeof(bracket::Located<Number>) &&
                             alignof(C) == alignof(bracket::Located<Number>) &&
                             offsetof(C, value) == offsetof(bracket::Located<Number>, value) &&
                             offsetof(C, index) == offsetof(bracket::Located<Number>, index);
static_assert(laid_out_as<bracket_located_int32, std::int32_t>);
static_assert(laid_out_as<bracket_located_int64, std::int64_t>);
static_assert(laid_out_as<bracket_located_uint32, std::uint32_t>);
static_assert(laid_out_as<bracket_located_uint64, std::uint64_t>);
static_assert(laid_out_as<bracket_located_float32, float>);
static_assert(laid_out_as<bracket_located_float64, double>);
static_assert(sizeof(bracket_digest) == sizeof(bracket::Digest) &&
              offsetof(bracket_digest, sequence) == offsetof(bracket::Digest, sequence));

AnyReducer& reducer_of(bracket_reducer* handle) {
  if (handle == nullptr) throw Error("the reducer is NULL: not created, or freed");
  return *handle->reducer;
}

bracket::Layout layout_of(const bracket_layout& given) {
  if (given.dimensions < 0 || given.dimensions > 5) {
    throw Error(text("an array of ", given.dimensions, " dimensions: there may be 0 to 5"));
  }
  bracket::Layout layout;
  const auto dimensions = static_cast<std::size_t>(given.dimensions);
  if (dimensions == 0) return layout;
  const Index* const extents = &at(given.extents, "the list of extents");
  layout.extents.assign(extents, extents + dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    layout.ranges.push_back({given.begin == nullptr ? 0 : given.begin[i],
                             given.end == nullptr ? extents[i] : given.end[i]});
  }
  if (given.strides != nullptr) layout.strides.assign(given.strides, given.strides + dimensions);
  return layout;
}

std::optional<bracket::Layout> layout_of(const bracket_layout* given) {
  if (given == nullptr) return std::nullopt;
  return layout_of(*given);
}

bracket::Field field_of(const bracket_field& given, int ranks) {
  bracket::Field field(layout_of(given.elements));
  field.factors = layout_of(given.factors);
  if (given.distribution != nullptr) {
    field.distribution = bracket::Distribution::from_boundaries(
        {given.distribution, given.distribution + ranks + 1});
  }
  if (given.op != 0) field.op = bracket::op_of(given.op);
  return field;
}

std::vector<bracket::Field> fields_of(MPI_Comm communicator, const bracket_field* given,
                                      Index count) {
  if (count < 1) throw Error(text(count, " fields: give at least one"));
  at(given, "the list of fields");
  int ranks = 0;
  bracket::check_mpi(MPI_Comm_size(communicator, &ranks), "MPI_Comm_size");
  std::vector<bracket::Field> fields;
  for (Index k = 0; k < count; ++k) {
    try {
      fields.push_back(field_of(given[k], ranks));
    } catch (const Error& wrong) {
      throw Error(text("field ", k, ": ", wrong.what()));
    }
  }
  return fields;
}

/// Makes a reducer by `make(handle, fields, settings)`. If the arguments on this rank are wrong,
/// refuses it on all ranks. `make` may throw `Error` only before its first collective call.
template <class Make>
int create(MPI_Comm communicator, const bracket_field* given_fields, Index count,
           const bracket_settings* given_settings, bracket_reducer** place, Make&& make) {
  return guarded([&] {
    if (place != nullptr) *place = nullptr;
    bracket::check_communicator(communicator);
    std::string refused;
    try {
      at(place, "the place of the reducer");
      auto handle = std::make_unique<bracket_reducer>();
      const auto fields = fields_of(communicator, given_fields, count);
      make(*handle, fields, bracket::settings_of(given_settings));
      *place = handle.release();
      return;
    } catch (const bracket::CollectiveError&) {
      throw;
    } catch (...) {
      refused = bracket::words_of_current_exception();
    }
    bracket::runtime::refuse_fields(communicator, refused);
  });
}

/// Calls `begin(fields, arrays, results, room)`, a function of `AnyReducer`.
template <class Begin>
void begin_run(bracket_reducer* handle, const bracket_arrays* arrays, void* results,
               Begin&& begin) {
  AnyReducer& reducer = reducer_of(handle);
  if (arrays == nullptr) reducer.refuse("the list of arrays is NULL");
  const auto arrays_of = [=](std::size_t k) {
    bracket::FieldArrays given{arrays[k].elements, arrays[k].factors};
    given.make = arrays[k].make;
    return given;
  };
  const std::size_t fields = reducer.fields();
  const std::size_t room = results == nullptr ? 0 : fields;
  begin(reducer, fields, arrays_of, results, room);
}

std::size_t field_number(const AnyReducer& reducer, Index field) {
  if (field < 0 || static_cast<std::size_t>(field) >= reducer.fields()) {
    throw Error(text("there is no field ", field, ": the reducer has ", reducer.fields()));
  }
  return static_cast<std::size_t>(field);
}

/// Sums contiguous arrays once; every rank gets the result.
void sum(MPI_Comm communicator, const double* elements, Index count,
         const bracket::Settings& settings, double* result) {
  const auto reducer = bracket::make_reducer(communicator, bracket::Type::float64, bracket::Op::sum,
                                             {bracket::Layout::contiguous(count)}, settings);
  const auto arrays = [=](std::size_t) { return bracket::FieldArrays{elements, nullptr}; };
  reducer->run(1, arrays, result, 1);
}

}  // namespace

int bracket_sum_double(MPI_Comm communicator, const double* elements, int64_t count,
                       double* result) {
  return guarded([&] { sum(communicator, elements, count, {}, result); });
}

int bracket_binned_sum_double(MPI_Comm communicator, const double* elements, int64_t count,
                              double* result) {
  return guarded([&] { sum(communicator, elements, count, {.algorithm = "binned"}, result); });
}

int bracket_reducer_create(MPI_Comm communicator, int type, int op, const bracket_field* fields,
                           int64_t count, const bracket_settings* settings,
                           bracket_reducer** reducer) {
  return create(communicator, fields, count, settings, reducer,
                [&](bracket_reducer& made, const std::vector<bracket::Field>& described,
                    const bracket::Settings& set) {
                  const auto what = bracket::type_of(type);
                  const auto by = bracket::op_of(op);
                  made.reducer = bracket::make_reducer(communicator, what, by, described, set);
                });
}

int bracket_reducer_create_own(MPI_Comm communicator, int64_t element_bytes, bracket_join* join,
                               void* context, const bracket_field* fields, int64_t count,
                               const bracket_settings* settings, bracket_reducer** reducer) {
  return create(communicator, fields, count, settings, reducer,
                [&](bracket_reducer& made, const std::vector<bracket::Field>& described,
                    const bracket::Settings& set) {
                  if (element_bytes < 1 || element_bytes > BRACKET_MOST_BYTES) {
                    throw Error(text("elements of ", element_bytes, " bytes: they have 1 to ",
                                     int{BRACKET_MOST_BYTES}));
                  }
                  if (join == nullptr)
                    throw Error("no function that combines two elements: give one");
                  const auto own = bracket::make_c_operator(static_cast<std::size_t>(element_bytes),
                                                            join, context);
                  made.reducer = bracket::make_own_reducer(communicator, *own, described, set);
                });
}

int bracket_reducer_refuse_create(MPI_Comm communicator, const char* words) {
  return guarded([&] {
    bracket::check_communicator(communicator);
    bracket::runtime::refuse_fields(communicator, bracket::words_or_default(words));
  });
}

int bracket_reducer_run(bracket_reducer* reducer, const bracket_arrays* arrays, void* results) {
  return guarded([&] {
    begin_run(reducer, arrays, results,
              [](AnyReducer& any, auto... arguments) { any.run(arguments...); });
  });
}

int bracket_reducer_start(bracket_reducer* reducer, const bracket_arrays* arrays, void* results) {
  return guarded([&] {
    begin_run(reducer, arrays, results,
              [](AnyReducer& any, auto... arguments) { any.start(arguments...); });
  });
}

int bracket_reducer_test(bracket_reducer* reducer, int* complete) {
  return guarded([&] {
    AnyReducer& any = reducer_of(reducer);
    int& place = at(complete, "the place of the answer");
    place = any.test() ? 1 : 0;
  });
}

int bracket_reducer_wait(bracket_reducer* reducer) {
  return guarded([&] { reducer_of(reducer).wait(); });
}

int bracket_reducer_move(bracket_reducer* reducer, int64_t field, const bracket_layout* elements,
                         const bracket_layout* factors) {
  return guarded([&] {
    AnyReducer& any = reducer_of(reducer);
    std::string wrong;
    try {
      const bracket::Layout layout = layout_of(at(elements, "the layout of the elements"));
      any.move(field_number(any, field), layout, layout_of(factors));
    } catch (const bracket::CollectiveError&) {
      throw;
    } catch (const Error& found) {
      wrong = found.what();
    }
    if (!wrong.empty()) any.refuse(wrong);
  });
}

int bracket_reducer_refuse(bracket_reducer* reducer, const char* words) {
  return guarded([&] { reducer_of(reducer).refuse(bracket::words_or_default(words)); });
}

int bracket_reducer_fields(bracket_reducer* reducer, int64_t* fields) {
  return guarded([&] {
    at(fields, "the place of the answer") = static_cast<Index>(reducer_of(reducer).fields());
  });
}

int bracket_reducer_held(bracket_reducer* reducer, int64_t field, int64_t* begin, int64_t* end) {
  return guarded([&] {
    const AnyReducer& any = reducer_of(reducer);
    at(begin, "the place of the begin");
    at(end, "the place of the end");
    const bracket::Range held = any.held(field_number(any, field));
    *begin = held.begin;
    *end = held.end;
  });
}

int bracket_reducer_elements(bracket_reducer* reducer, int64_t field, int64_t* elements) {
  return guarded([&] {
    const AnyReducer& any = reducer_of(reducer);
    at(elements, "the place of the answer") = any.elements(field_number(any, field));
  });
}

int bracket_reducer_delivers(bracket_reducer* reducer, int* delivers) {
  return guarded(
      [&] { at(delivers, "the place of the answer") = reducer_of(reducer).delivers() ? 1 : 0; });
}

int bracket_reducer_accuracy(bracket_reducer* reducer, int64_t field, double* digits,
                             int64_t* cancellations) {
  return guarded([&] {
    AnyReducer& any = reducer_of(reducer);
    double& place = at(digits, "the place of the digits");
    const bracket::Accuracy accuracy = any.accuracy(field_number(any, field));
    place = accuracy.digits;
    if (cancellations != nullptr) *cancellations = accuracy.cancellations;
  });
}

int bracket_reducer_messages_sent(bracket_reducer* reducer, int64_t* messages) {
  return guarded(
      [&] { at(messages, "the place of the answer") = reducer_of(reducer).messages_sent(); });
}

int bracket_reducer_free(bracket_reducer** reducer) {
  return guarded([&] {
    bracket_reducer*& place = at(reducer, "the place of the reducer");
    if (place != nullptr && place->reducer->in_call()) {
      throw Error("a reducer is freed in a call of its own: free it after the call");
    }
    delete std::exchange(place, nullptr);
  });
}
