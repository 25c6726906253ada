// SPDX-License-Identifier: MIT

#include "npy.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::input {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

Index byte_at(std::string_view head, std::size_t position) {
  return static_cast<unsigned char>(head[position]);
}

/// Reads the text of the header, a Python dictionary, from left to right.
class Dictionary {
 public:
  /// `long_suffix`: whether a whole number may end with the L of Python 2.
  Dictionary(std::string_view whole, bool long_suffix) : rest_(whole), long_suffix_(long_suffix) {}

  /// Reads the type, the order and the number of elements. Each must be given exactly once.
  NpyHeader read() {
    skip(" \t");
    expect("{");
    bool first = true;
    while (!next("}")) {
      if (!first) {
        expect(",");
        if (next("}")) break;
      }
      first = false;
      entry();
    }
    skip(spaces);
    if (!rest_.empty()) refuse("nothing but spaces behind the dictionary");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!given_[i]) throw Error(text("the NumPy header has no '", keys[i], "'"));
    }
    return header_;
  }

 private:
  static constexpr std::array<std::string_view, 3> keys{"descr", "fortran_order", "shape"};
  static constexpr std::string_view spaces = " \t\n\f\r";
  static constexpr std::string_view digits = "0123456789";

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(text("the NumPy header cannot be read: ", expected, " expected, not '",
                     excerpt(rest_), "'"));
  }

  void skip(std::string_view characters) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(characters), rest_.size()));
  }

  bool next(std::string_view word) {
    skip(spaces);
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void expect(std::string_view word) {
    if (!next(word)) refuse(text("'", word, "'"));
  }

  /// Reads a string and returns the text between its quotes. Refuses escapes, because the text
  /// would not be their value.
  std::string_view string() {
    skip(spaces);
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
      refuse("a string in quotes");
    }
    const std::size_t end = rest_.find(rest_.front(), 1);
    const auto inside = rest_.substr(1, std::min(end, rest_.size()) - 1);
    if (end == std::string_view::npos || inside.find_first_of("\\\n\r") != std::string_view::npos) {
      refuse("a string in quotes, without backslashes,");
    }
    rest_.remove_prefix(end + 1);
    return inside;
  }

  void entry() {
    const auto before = rest_;
    const auto key = string();
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end()) {
      rest_ = before;
      refuse("'descr', 'fortran_order' or 'shape'");
    }
    bool& given = given_[static_cast<std::size_t>(known - keys.begin())];
    if (given) throw Error(text("the NumPy header has '", key, "' twice"));
    given = true;
    expect(":");
    if (key == "descr") {
      type();
    } else if (key == "shape") {
      shape();
    } else if (!next("True") && !next("False")) {
      refuse("True or False");
    }
  }

  void type() {
    skip(spaces);
    if (rest_.starts_with("[")) {
      throw Error("holds elements of several fields; float64 and float32 are read");
    }
    const auto name = string();
    if (name != "<f8" && name != "<f4") {
      throw Error(text("holds elements of type '", excerpt(name),
                       "'; little-endian float64 '<f8' and float32 '<f4' are read"));
    }
    header_.item_bytes = name == "<f8" ? 8 : 4;
  }

  void shape() {
    expect("(");
    const auto written = rest_.substr(0, std::min(rest_.find(')'), rest_.size()));
    const auto elements = only_length();
    if (!elements) {
      throw Error(text("has the shape (", excerpt(written), "); one dimension, (N,), is read"));
    }
    header_.elements = *elements;
  }

  /// Reads `5,)`. Empty if the text has another form.
  std::optional<Index> only_length() {
    skip(spaces);
    const auto number = rest_.substr(0, std::min(rest_.find_first_not_of(digits), rest_.size()));
    if (number.empty() || (number.size() > 1 && number.front() == '0')) return std::nullopt;
    rest_.remove_prefix(number.size());
    if (long_suffix_ && rest_.starts_with('L')) rest_.remove_prefix(1);
    if (!next(",") || !next(")")) return std::nullopt;
    // 30 digits are enough: they exceed the range of an `Index` already.
    return parse_integer(number.substr(0, 30), "N");
  }

  std::string_view rest_;
  bool long_suffix_;
  std::array<bool, keys.size()> given_{};
  NpyHeader header_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view head) {
  if (!head.starts_with(magic)) {
    throw Error("is no NumPy file: it does not begin with the bytes 93 4E 55 4D 50 59");
  }
  if (head.size() < 10) throw Error("is truncated inside the NumPy header");
  const Index major = byte_at(head, 6);
  const Index minor = byte_at(head, 7);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(text("is of NumPy format version ", major, ".", minor,
                     "; versions 1.0, 2.0 and 3.0 are read"));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t dictionary_at = 8 + length_bytes;
  if (head.size() < dictionary_at) throw Error("is truncated inside the NumPy header");
  Index length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | byte_at(head, 8 + i);
  if (length > static_cast<Index>(head.size() - dictionary_at)) {
    throw Error(text("is truncated inside the NumPy header, which promises ", length, " bytes"));
  }
  const auto dictionary = head.substr(dictionary_at, static_cast<std::size_t>(length));
  NpyHeader header = Dictionary(dictionary, major <= 2).read();
  header.data_offset = static_cast<Index>(dictionary_at) + length;
  return header;
}

}  // namespace bracket::input
