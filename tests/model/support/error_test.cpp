// SPDX-License-Identifier: MIT

#include "bracket/support/error.hpp"

#include "support/property.hpp"

namespace error_test {

using namespace bracket;

TEST_CASE("an excerpt is printable and short") {
  CHECK(excerpt("tree") == "tree");
  CHECK(excerpt("") == "");
  CHECK(excerpt("a\x1b[31m\n\xff") == "a\\x1b[31m\\x0a\\xff");
  CHECK(excerpt(std::string(80, 'a')) == std::string(80, 'a'));
  CHECK(excerpt(std::string(81, 'a')) == std::string(80, 'a') + " ...");
  CHECK(excerpt("abc", 2) == "ab ...");
}

TEST_CASE("any words have an excerpt without control characters") {
  testing::property("bounded and printable", [] {
    const auto words = *rc::gen::arbitrary<std::string>();
    const auto shown = excerpt(words, 20);
    RC_ASSERT(shown.size() <= 4 * 20 + 4u);
    for (const char c : shown) RC_ASSERT(c >= ' ' && c <= '~');
  });
}

}  // namespace error_test
