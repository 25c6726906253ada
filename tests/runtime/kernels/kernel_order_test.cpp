// SPDX-License-Identifier: MIT

#include <numeric>

#include "bracket/model/order_search.hpp"
#include "bracket/runtime/kernel.hpp"
#include "support/catch.hpp"
#include "support/reference.hpp"

namespace kernel_order_test {

using namespace bracket;
using namespace bracket::runtime;

TEST_CASE("every kernel adds in the order that is revealed from its sums: the tree") {
  for (const Rank count : {1, 2, 3, 7, 16, 31, 64, 100, 257}) {
    AdditionTree tree;
    std::vector<AdditionTree::Node> operands;
    for (Rank x = 0; x < count; ++x) operands.push_back(tree.operand(x));
    const auto root =
        testing::reduced(std::span<const AdditionTree::Node>(operands), 1,
                         [&](auto left, auto right) { return tree.add(left, right); });
    for (const Kernel& kernel : kernels()) {
      if (!kernel.supported()) continue;
      CAPTURE(kernel.name, count);
      const auto found = reveal_order(count, [&](auto elements) {
        return kernel.folds<double>().sum(elements.data(), static_cast<Index>(elements.size()));
      });
      REQUIRE(found);
      CHECK(*found == tree.order(root));
    }
  }
}

}  // namespace kernel_order_test
