#include "bracket/model/algorithm.hpp"

#include "bracket/model/order.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr CatalogueEntry binned{
    "binned", "[:K]", "sums of K bins: the same bits for any sequence of the elements",
    "Demmel and Nguyen 2015"};
constexpr CatalogueEntry double_double{
    "double-double", "", "sums: the tree over double-double numbers", "He and Ding 2001"};

}  // namespace

std::vector<AlgorithmEntry> algorithms() {
  std::vector<AlgorithmEntry> rows;
  for (const OrderEntry& order : orders()) rows.push_back({order.entry});
  rows.push_back({binned});
  rows.push_back({double_double});
  return rows;
}

std::string Algorithm::spec() const {
  switch (arithmetic) {
    case Arithmetic::plain:
      break;
    case Arithmetic::binned:
      return text(bracket::binned.name, ':', bins);
    case Arithmetic::double_double:
      return std::string(bracket::double_double.name);
  }
  return order;
}

Algorithm make_algorithm(std::string_view written) {
  const Spec spec = Spec::parse(written);
  if (spec.name == binned.name) {
    spec.expect_at_most(1);
    const Index bins = spec.integer(0, "number of bins K", 3, 1);
    if (bins > Algorithm::most_bins) {
      throw Error(text("'", excerpt(written), "': there are at most ", int{Algorithm::most_bins},
                       " bins"));
    }
    return {"associative", Arithmetic::binned, static_cast<int>(bins)};
  }
  if (spec.name == double_double.name) {
    spec.expect_at_most(0);
    return {"tree", Arithmetic::double_double};
  }
  for (const OrderEntry& order : orders()) {
    if (order.entry.name == spec.name) return {make_order(written, 1).spec()};
  }
  throw Error(unknown_name("algorithm", spec.name, algorithms()));
}

}  // namespace bracket
