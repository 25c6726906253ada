// SPDX-License-Identifier: MIT

#include "plan/range_set.hpp"

#include <algorithm>
#include <set>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace range_set_test {

using bracket::Range;

TEST_CASE("a set of ranges has the ranges that a std::set has") {
  bracket::testing::property("set", [] {
    bracket::model::RangeSet ranges;
    std::set<Range> expected;
    std::size_t most = 0;
    const int inserted = *rc::gen::inRange(0, 300);
    for (int i = 0; i < inserted; ++i) {
      if (*rc::gen::inRange(0, 100) == 0) {
        const std::size_t capacity = ranges.capacity();
        ranges.clear();
        expected.clear();
        RC_ASSERT(ranges.capacity() == capacity);
      }
      const auto begin = *rc::gen::inRange<bracket::Index>(0, 20);
      const Range range{begin, begin + *rc::gen::inRange<bracket::Index>(1, 20)};
      RC_ASSERT(ranges.insert(range) == expected.insert(range).second);
      most = std::max(most, expected.size());
      RC_ASSERT(ranges.capacity() <= std::max<std::size_t>(16, 4 * most));
    }
  });
}

}  // namespace range_set_test
