// SPDX-License-Identifier: MIT

#include "rows/text_table.hpp"

#include "support/catch.hpp"

namespace text_table_test {

using bracket::tools::TextTable;

TEST_CASE("columns are as wide as their widest cell, to the left or to the right") {
  TextTable table({{}, {TextTable::Side::right}, {}});
  CHECK(table.text() == "");
  table.line({"plan", "ranks", "words"});
  table.line({"direct", "9", ""});
  table.line({"", "", ""});
  CHECK(table.text() ==
        "plan    ranks  words\n"
        "direct      9\n"
        "\n");
}

TEST_CASE("a column keeps its least width until a cell needs more") {
  TextTable table({{TextTable::Side::left, 4}, {TextTable::Side::right, 3}});
  table.line({"a", "1"});
  CHECK(table.text() == "a       1\n");
  table.line({"longer", "1000"});
  CHECK(table.text() ==
        "a          1\n"
        "longer  1000\n");
}

}  // namespace text_table_test
