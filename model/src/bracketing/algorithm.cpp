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
  const ArithmeticEntry& row = row_of(arithmetic);
  std::string written(row.entry.name);
  if (parameter != 0) written += text(':', parameter);
  if (width != row.usual_width) written += text(':', width);
  return written;
}

Algorithm make_algorithm(std::string_view written) {
  const Spec spec = Spec::parse(written);
  for (const ArithmeticEntry& row : arithmetics) {
    if (row.entry.name != spec.name) continue;
    spec.expect_at_most(row.most == 0 ? 0 : row.most_width == 0 ? 1 : 2);
    Algorithm made{std::string(row.order), row.arithmetic};
    const auto number = [&](std::size_t position, std::string_view name, int usual, int least,
                            int most) {
      if (most == 0) return 0;
      const Index value = spec.integer(position, name, usual, least);
      if (value > most) {
        throw Error(text("'", excerpt(written), "': the ", name, " must be at most ", most));
      }
      return static_cast<int>(value);
    };
    made.parameter = number(0, row.parameter, row.usual, 1, row.most);
    made.width = number(1, "width of bins W", row.usual_width, row.least_width, row.most_width);
    return made;
  }
  for (const OrderEntry& order : orders()) {
    if (order.entry.name == spec.name) return {make_order(written, 1).spec()};
  }
  throw Error(unknown_name("algorithm", spec.name, algorithms()));
}

}  // namespace bracket
