// SPDX-License-Identifier: MIT

#include "bracket/viz/document.hpp"

#include "support/catch.hpp"
#include "support/property.hpp"

namespace document_test {

using namespace bracket::viz;
using Catch::Contains;

namespace {

std::string decoded(std::string words) {
  const std::pair<const char*, const char*> entities[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
  for (const auto& [entity, character] : entities) {
    for (auto at = words.find(entity); at != std::string::npos; at = words.find(entity, at + 1)) {
      words.replace(at, std::string(entity).size(), character);
    }
  }
  return words;
}

}  // namespace

TEST_CASE("texts of a page are escaped and decode to themselves") {
  bracket::testing::property("escaping", [] {
    const auto words = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '\x7f'));
    const std::string written = html_text(words);
    RC_ASSERT(written.find_first_of("<>\"") == std::string::npos);
    RC_ASSERT(decoded(written) == words);
  });
}

TEST_CASE("bytes that a page cannot have are replaced") {
  CHECK(html_text("µ…\U0001d11e\n\t") == "µ…\U0001d11e\n\t");
  for (const char* const bad : {"\xff", "\x80", "\x01", "\x7f", "\xc0", "\xf8"}) {
    CHECK(html_text(bad) == "\ufffd");
  }
  CHECK(html_text("\xc2") == "\ufffd");
  CHECK(html_text("\xe2\x82") == "\ufffd\ufffd");
  CHECK(html_text("\xc0\xbc") == "\ufffd\ufffd");                      // overlong <
  CHECK(html_text("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");            // a surrogate
  CHECK(html_text("\xf4\x90\x80\x80") == "\ufffd\ufffd\ufffd\ufffd");  // above U+10FFFF
  CHECK(html_text(std::string_view("\0", 1)) == "\ufffd");
}

TEST_CASE("a page has all of its texts escaped, and loads nothing") {
  const std::string hostile = "</pre><script src=\"http://x\">&'";
  const Page page{
      .title = hostile,
      .command = hostile,
      .facts = {{hostile, hostile}},
      .sections = {{.title = hostile,
                    .sentences = {hostile},
                    .figures = {{hostile, "<svg></svg>\n", hostile}, {"second", "<svg></svg>\n"}},
                    .table = {{hostile, "n"}, {false, true}, {{hostile, "1"}}, hostile},
                    .csv = hostile,
                    .csv_note = hostile},
                   {.title = "empty"}}};
  const std::string written = html(page);
  CHECK(written == html(page));
  const std::string escaped = html_text(hostile);
  std::size_t times = 0;
  for (auto at = written.find(escaped); at != std::string::npos;
       at = written.find(escaped, at + 1)) {
    ++times;
  }
  CHECK(times == 14);  // the title twice
  for (const char* const loads : {"<script", "src=\"", "<link", "@import", "url(", "<img"}) {
    CHECK_THAT(written, !Contains(loads));
  }
  CHECK_THAT(written, Contains("prefers-color-scheme:dark") &&
                          Contains("<td class=\"number\">1</td>") &&
                          Contains("default-src 'none'"));
}

}  // namespace document_test
