#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bracket.h"
#include "bracket/runtime/any_reducer.hpp"

namespace bracket {

/// An operator of a C program, for elements of `bytes` bytes, 1 to `BRACKET_MOST_BYTES`.
struct OwnOperator {
  std::size_t bytes = 0;
  bracket_join* join = nullptr;
  void* context = nullptr;
};

/// Bytes from one result of a reducer of `make_own_reducer` to the next. Elements are handled in
/// blocks of a few sizes, padded with zeros.
std::size_t own_block_bytes(std::size_t element_bytes);

/// Makes a reducer by such an operator. Collective. Throws `Error`, before any collective call, if
/// the operator has no function, and `CollectiveError` as `make_reducer` does.
std::unique_ptr<AnyReducer> make_own_reducer(MPI_Comm communicator, const OwnOperator& own,
                                             const std::vector<Field>& fields,
                                             const Settings& settings);

}  // namespace bracket
