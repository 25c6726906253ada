// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bracket/runtime/field_reducer.hpp"

namespace bracket::runtime {

/// Determines, together with the other ranks, the distribution of the fields and this rank's task.
/// `failure`, if not empty, is an earlier error. Collective. Throws `CollectiveError` as
/// `make_reducer` does.
FieldTask set_up_fields(const Communicator& communicator, const std::vector<Field>& fields,
                        const Settings& settings, const ReducerKind& kind,
                        const std::string& failure);

/// Determines, together with the other ranks, this rank's task in a schedule. Without
/// a `given` one of this header, the header's plan makes this rank's part. The rest as above.
FieldTask set_up_schedule(const Communicator& communicator, const ScheduleHeader& header,
                          const Schedule* given, const Settings& settings, const ReducerKind& kind,
                          std::string failure);

/// Checks that a schedule can be executed, by any operation. Throws `Error` if the communicator has
/// another number of ranks, if the processor's floating-point mode would change the bits, if the
/// order leaves the bracketing open and the operation is not `associative`, or if several threads
/// are to fold and MPI was not started with MPI_THREAD_FUNNELED at least.
void check_executable(const ScheduleHeader& header, const Order& order,
                      const Communicator& communicator, bool associative, int threads);

/// Appends what all ranks must have alike of their settings.
void append_agreements(const Settings& settings, std::vector<Agreement>& agreements);
/// A fingerprint for an agreement between ranks.
std::uint64_t digest_of(const std::string& words);

/// Gives a field cells with another layout. Throws `Error` unless they have the same count in each
/// dimension.
void move_cells(FieldTask& task, std::size_t field, const Layout& elements,
                const std::optional<Layout>& factors, std::size_t element_bytes);

/// Whether an array of so many bytes is long enough for these cells. Without cells, any is.
inline bool covers(const void* array, std::size_t bytes, const Cells& cells) {
  if (cells.count() == 0) return true;
  const Cells::Reach reach = cells.reach();
  return array != nullptr &&
         (reach.begin < 0 ? bytes == unknown_size : static_cast<std::uint64_t>(reach.end) <= bytes);
}

/// Whether a field has all arrays that its cells need, long enough, and no array that they do not
/// need.
inline bool suit(const FieldArrays& arrays, const FieldCells& cells) {
  if (cells.factors
          ? arrays.make != nullptr || !covers(arrays.factors, arrays.factor_bytes, *cells.factors)
          : arrays.factors != nullptr) {
    return false;
  }
  return arrays.make != nullptr || covers(arrays.elements, arrays.element_bytes, cells.elements);
}

/// Throws `Error` with what is wrong, for arrays that do not suit.
[[noreturn]] void refuse_arrays(std::size_t field, const FieldCells& cells,
                                const FieldArrays& arrays);

}  // namespace bracket::runtime
