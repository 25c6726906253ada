// SPDX-License-Identifier: MIT

#include "bracket/model/algorithm.hpp"

#include "bracket/model/order.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

std::vector<AlgorithmEntry> algorithms() {
  std::vector<AlgorithmEntry> rows;
  for (const OrderEntry& order : orders()) rows.push_back({order.entry});
  for (const ArithmeticEntry& row : arithmetics) rows.push_back({row.entry});
  return rows;
}

std::string other_arithmetics() {
  std::vector<CatalogueEntry> rows;
  for (const ArithmeticEntry& row : arithmetics) rows.push_back(row.entry);
  return alternatives(rows);
}

std::string Algorithm::spec() const {
  if (arithmetic == Arithmetic::plain) return order;
  const std::string_view name = row_of(arithmetic).entry.name;
  return parameter == 0 ? std::string(name) : text(name, ':', parameter);
}

Algorithm make_algorithm(std::string_view written) {
  const Spec spec = Spec::parse(written);
  for (const ArithmeticEntry& row : arithmetics) {
    if (row.entry.name != spec.name) continue;
    spec.expect_at_most(row.most == 0 ? 0 : 1);
    const Index parameter = row.most == 0 ? 0 : spec.integer(0, row.parameter, row.usual, 1);
    if (parameter > row.most) {
      throw Error(
          text("'", excerpt(written), "': the ", row.parameter, " must be at most ", row.most));
    }
    return {std::string(row.order), row.arithmetic, static_cast<int>(parameter)};
  }
  for (const OrderEntry& order : orders()) {
    if (order.entry.name == spec.name) return {make_order(written, 1).spec()};
  }
  throw Error(unknown_name("algorithm", spec.name, algorithms()));
}

}  // namespace bracket
