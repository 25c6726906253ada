#include "input/npy.hpp"

#include <algorithm>
#include <string>

#include "bracket/model/error.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

Index byte_at(std::string_view head, std::size_t position) {
  return static_cast<unsigned char>(head[position]);
}

constexpr std::string_view quotes = "'\"";
constexpr std::string_view digits = "0123456789";

/// Takes the next character off `rest` if it is one of `wanted`.
bool take(std::string_view& rest, std::string_view wanted) {
  if (rest.empty() || wanted.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

void skip_spaces(std::string_view& rest) {
  while (take(rest, " \t\n\v\f\r")) {
  }
}

/// What a message shows of a text from the file.
std::string excerpt(std::string_view whole) {
  constexpr std::size_t most = 200;
  if (whole.size() <= most) return std::string(whole);
  return text(whole.substr(0, most), "…");
}

/// What stands between one of `opening` and the next of `closing` after `key` and a colon in the
/// header's Python dictionary.
std::string_view field(std::string_view dictionary, std::string_view key, std::string_view opening,
                       std::string_view closing) {
  for (std::size_t at = dictionary.find(key); at != std::string_view::npos;
       at = dictionary.find(key, at + 1)) {
    if (at == 0 || quotes.find(dictionary[at - 1]) == std::string_view::npos) continue;
    std::string_view rest = dictionary.substr(at + key.size());
    if (!take(rest, quotes)) continue;
    skip_spaces(rest);
    if (!take(rest, ":")) continue;
    skip_spaces(rest);
    if (!take(rest, opening)) continue;
    const std::size_t end = rest.find_first_of(closing);
    if (end == std::string_view::npos) break;
    return rest.substr(0, end);
  }
  throw Error(text("the NumPy header has no readable '", key, "': ", excerpt(dictionary)));
}

/// The number of elements in a shape, `5,` without its parentheses.
Index elements_of(std::string_view shape) {
  std::string_view rest = shape;
  skip_spaces(rest);
  const std::string_view number =
      rest.substr(0, std::min(rest.find_first_not_of(digits), rest.size()));
  rest.remove_prefix(number.size());
  take(rest, "L");
  skip_spaces(rest);
  const bool comma = take(rest, ",");
  skip_spaces(rest);
  if (number.empty() || !comma || !rest.empty()) {
    throw Error(text("has the shape (", excerpt(shape), "); one dimension, (N,), is read"));
  }
  const auto first = std::min(number.find_first_not_of('0'), number.size() - 1);
  // More digits than any Index has are as much out of range as the first of them.
  return parse_integer(number.substr(first, 30), "N");
}

}  // namespace

NpyHeader parse_npy_header(std::string_view head) {
  if (!head.starts_with(magic)) {
    throw Error("is no NumPy file: it does not begin with the bytes 93 4E 55 4D 50 59");
  }
  if (head.size() < 10) throw Error("is truncated inside the NumPy header");
  const Index major = byte_at(head, 6);
  if (major < 1 || major > 3) {
    throw Error(text("is of NumPy format version ", major, "; versions 1 to 3 are read"));
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

  const std::string_view type = field(dictionary, "descr", quotes, quotes);
  if (type != "<f8" && type != "<f4") {
    throw Error(text("holds elements of type '", excerpt(type),
                     "'; little-endian float64 '<f8' and float32 '<f4' are read"));
  }
  const Index elements = elements_of(field(dictionary, "shape", "(", ")"));
  return {static_cast<Index>(dictionary_at) + length, elements, type == "<f8" ? 8 : 4};
}

}  // namespace bracket
