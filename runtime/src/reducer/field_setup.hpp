#pragma once

#include "bracket/runtime/field_reducer.hpp"

namespace bracket::detail {

/// Finds out together with the other ranks who holds what of the fields, and what this rank does.
/// `failure`, if not empty, is what was wrong before. Collective. Throws `CollectiveError` as
/// `make_reducer` does.
FieldTask set_up_fields(const Communicator& communicator, const std::vector<Field>& fields,
                        const Settings& settings, const Kind& kind, const std::string& failure);

/// Gives a field cells that lie otherwise. Throws `Error` if they are not as many in each
/// dimension.
void move_cells(FieldTask& task, std::size_t field, const Layout& elements,
                const std::optional<Layout>& factors, std::size_t element_bytes);

/// Throws `Error` unless a field has the arrays that its cells need.
void check_arrays(std::size_t field, const FieldCells& cells, const FieldArrays& arrays);

}  // namespace bracket::detail
