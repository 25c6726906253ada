// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "bracket/model/json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

using Json = nlohmann::ordered_json;

/// Refuses what `parse_json` refuses but for broken JSON, which it leaves to the parser.
class LimitsCheck final : public nlohmann::json_sax<Json> {
 public:
  explicit LimitsCheck(const std::string& where) : where_(where) {}

  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& key) override {
    constexpr std::size_t most = 1000;
    if (!open_.back().insert(key).second) {
      throw Error(text(where_, ": \"", excerpt(key), "\" is twice in one object"));
    }
    if (open_.back().size() > most) {
      throw Error(text(where_, ": an object has more than ", most, " keys"));
    }
    return true;
  }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  bool enter() {
    // Json's own functions recurse, and a deep value would overflow the stack.
    constexpr std::size_t most = 64;
    if (open_.size() == most) {
      throw Error(text(where_, ": nested deeper than ", most, " levels: no valid file is"));
    }
    open_.emplace_back();
    return true;
  }
  bool leave() {
    open_.pop_back();
    return true;
  }

  const std::string& where_;
  std::vector<std::set<std::string>> open_;  // keys of each object around; none of an array
};

}  // namespace

nlohmann::ordered_json parse_json(std::string_view content, const std::string& where) {
  // The parser takes a zero byte for the end of the text.
  if (const auto zero = content.find('\0'); zero != std::string_view::npos) {
    throw Error(text(where, ": not JSON at byte ", zero, " of ", content.size(),
                     ": a zero byte is no JSON"));
  }
  try {
    // A parser with callbacks would search an array once for each object in it.
    LimitsCheck check(where);
    Json::sax_parse(content, &check);
    return Json::parse(content);
  } catch (const Json::parse_error& failure) {
    const bool cut_off = failure.byte > content.size();
    throw Error(text(where, ": not JSON at byte ", cut_off ? content.size() : failure.byte, " of ",
                     content.size(), cut_off ? ": the text is cut off there" : ""));
  } catch (const Json::out_of_range&) {
    throw Error(text(where, ": a number in it is too large for a float64"));
  }
}

}  // namespace bracket
