// SPDX-License-Identifier: MIT

#include "bracket/support/whole_number.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cstdint>
#include <string>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::support {

namespace {

using boost::multiprecision::cpp_int;

struct CountSuffix {
  std::string_view written;
  std::int64_t factor;
};

constexpr CountSuffix count_suffixes[] = {
    {"", 1},           {"k", 1'000},      {"M", 1'000'000},  {"G", 1'000'000'000},
    {"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30},
};

/// Removes the leading digits from `rest` and returns them.
std::string_view take_digits(std::string_view& rest) {
  const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  rest.remove_prefix(digits.size());
  return digits;
}

/// digits * 10^tens * factor. The digits have no zeros at either end; 0 has no digits.
struct WrittenCount {
  bool negative = false;
  std::string digits;
  std::int64_t tens = 0;
  std::int64_t factor = 1;
};

/// Adds the exponent that `rest` consists of to `tens`. Returns false if `rest` is not an exponent.
/// Reduces an exponent beyond any number.
bool add_exponent(std::string_view rest, std::int64_t& tens) {
  constexpr std::int64_t beyond = 1'000'000'000;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto digits = take_digits(rest);
  if (digits.empty() || !rest.empty()) return false;
  std::int64_t exponent = beyond;  // kept if the exponent is out of range
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  exponent = std::min(exponent, beyond);
  tens += negative ? -exponent : exponent;
  return true;
}

/// Parses `rest` into `count`. Returns false if it is not written as a count.
bool read_count(std::string_view rest, WrittenCount& count) {
  count.negative = rest.starts_with('-');
  if (count.negative) rest.remove_prefix(1);
  count.digits = take_digits(rest);
  if (count.digits.empty()) return false;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const auto fraction = take_digits(rest);
    if (fraction.empty()) return false;
    count.digits += fraction;
    count.tens = -static_cast<std::int64_t>(fraction.size());
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    if (!add_exponent(rest.substr(1), count.tens)) return false;
  } else {
    const auto* const suffix =
        std::find_if(std::begin(count_suffixes), std::end(count_suffixes),
                     [&](const CountSuffix& known) { return known.written == rest; });
    if (suffix == std::end(count_suffixes)) return false;
    count.factor = suffix->factor;
  }
  count.digits.erase(0, std::min(count.digits.find_first_not_of('0'), count.digits.size()));
  while (!count.digits.empty() && count.digits.back() == '0') {
    count.digits.pop_back();
    ++count.tens;
  }
  return true;
}

cpp_int ten_to_the(std::int64_t exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

}  // namespace

std::int64_t parse_count(std::string_view written, std::string_view what, std::int64_t most) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const auto not_whole = [&] {
    return Error(text(what, ": '", excerpt(written),
                      "' is not a whole number, such as 1000000, 1e6, 1M or 64Ki"));
  };
  const auto out_of_range = [&](std::string_view bound, std::int64_t value) {
    return Error(text(what, ": '", excerpt(written), "' is out of range: ", bound, ' ', value));
  };
  WrittenCount count;
  if (!read_count(written, count)) throw not_whole();
  if (count.digits.empty()) return 0;
  // At most 30 tenths can cancel, because the digits have no trailing zero and no factor is a
  // multiple of 2^31.
  if (count.tens < -30) throw not_whole();
  cpp_int value = cpp_int(most) + 1;
  if (static_cast<std::int64_t>(count.digits.size()) + count.tens <= 20) {
    value =
        cpp_int(count.digits) * count.factor * ten_to_the(std::max<std::int64_t>(count.tens, 0));
    const cpp_int parts = ten_to_the(std::max<std::int64_t>(-count.tens, 0));
    if (value % parts != 0) throw not_whole();
    value /= parts;
  } else if (count.negative) {
    value = -cpp_int(least) + 1;
  }
  if (count.negative) value = -value;
  if (value > most) throw out_of_range("at most", most);
  if (value < least) throw out_of_range("at least", least);
  return static_cast<std::int64_t>(value);
}

}  // namespace bracket::support
