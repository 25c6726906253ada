// SPDX-License-Identifier: MIT

#include "operations/operations.hpp"

#include "support/catch.hpp"

namespace operations_test {

using namespace bracket;
using namespace bracket::runtime;

/// Calls `use` with every operation that makes sense.
template <class Use>
void for_each_operation(Use use) {
  std::vector<Algorithm> all{make_algorithm("tree"), make_algorithm("chunked-tree:5")};
  for (const ArithmeticEntry& row : arithmetics) {
    const std::string name(row.entry.name);
    all.push_back(make_algorithm(name));
    for (int k = 1; k <= row.most; ++k) {
      all.push_back(make_algorithm(name + ':' + std::to_string(k)));
    }
  }
  for (const Algorithm& algorithm : all) {
    for (std::size_t op = 0; op < operators().size(); ++op) {
      for (std::size_t type = 0; type < types().size(); ++type) {
        for (int flags = 0; flags < 8; ++flags) {
          const Operation operation{algorithm,
                                    static_cast<Op>(op),
                                    static_cast<Type>(type),
                                    (flags & 1) != 0,
                                    (flags & 2) != 0,
                                    (flags & 4) != 0 ? Terms::products : Terms::elements};
          try {
            operation.check();
          } catch (const Error&) {
            continue;
          }
          use(operation);
        }
      }
    }
  }
}

TEST_CASE("the model knows the bytes of every operation's partials") {
  int count = 0;
  for_each_operation([&](const Operation& operation) {
    CAPTURE(operation.spec());
    const auto made = reducers::make_operation(operation, "");
    made->prepare();
    CHECK(made->associative() == operation.associative());
    const FieldCells cells{Cells(Layout::contiguous(1), bytes_of(operation.type)), {}, 0};
    const FieldArrays arrays{};
    const auto computation = made->computation(&cells, &arrays, 1, 1);
    CHECK(computation->value_bytes() == static_cast<std::size_t>(operation.value_bytes()));
    ++count;
  });
  CHECK(count > 200);
}

}  // namespace operations_test
