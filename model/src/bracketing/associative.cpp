#include "bracketing/orders.hpp"

namespace bracket {

namespace {

class AssociativeOrder final : public Order {
 public:
  using Order::Order;

  std::string spec() const override { return "associative"; }
  int version() const override { return 1; }
  bool fixed() const override { return false; }
  Index chunk_size() const override { return elements(); }
  Range largest_bracket(Index x) const override { return {x, elements()}; }
  Index split(Range bracket) const override { return bracket.end - 1; }
  Index left_partner(Index) const override { return 0; }
  Range leading_bracket(Range within) const override { return within; }

 protected:
  bool joins_values(Range, Range) const override { return true; }
};

}  // namespace

std::unique_ptr<Order> make_associative_order(const Spec& spec, Index elements) {
  spec.expect_at_most(0);
  return std::make_unique<AssociativeOrder>(elements);
}

}  // namespace bracket
