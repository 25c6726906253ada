#include "bracket/runtime/executor.hpp"

namespace bracket {

void check_executable(const Schedule& outline, const Order& order, const Communicator& communicator,
                      bool associative) {
  check_floating_point();
  if (outline.ranks() != communicator.size()) {
    throw Error(text("the schedule is for ", outline.ranks(), " ranks, the communicator has ",
                     communicator.size()));
  }
  if (outline.order_version != order.version()) {
    throw Error(text("the schedule is for version ", outline.order_version, " of the ",
                     outline.order, " order, this is version ", order.version()));
  }
  if (!order.fixed() && !associative) {
    throw Error(text("the ", outline.order,
                     " order leaves the bracketing open, and the operator's result depends on it"));
  }
}

template class Executor<DoubleSum>;

}  // namespace bracket
