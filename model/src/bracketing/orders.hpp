#pragma once

#include <memory>

#include "bracket/model/order.hpp"

/// Factories of the orders.
namespace bracket {

std::unique_ptr<Order> make_tree_order(const Spec& spec, Index elements);
std::unique_ptr<Order> make_chunked_tree_order(const Spec& spec, Index elements);
std::unique_ptr<Order> make_sequential_order(const Spec& spec, Index elements);
std::unique_ptr<Order> make_associative_order(const Spec& spec, Index elements);

}  // namespace bracket
