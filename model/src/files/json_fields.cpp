// SPDX-License-Identifier: MIT

#include "files/json_fields.hpp"

#include <algorithm>
#include <cstdint>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::json_fields {

namespace {

constexpr std::size_t most_shown = 60;  // bytes

/// Appends `json` as written, or at least its first `most_shown` bytes.
void write_beginning(const Json& json, std::string& out) {
  if (!json.is_structured()) {
    const bool long_string =
        json.is_string() && json.get_ref<const std::string&>().size() > most_shown;
    const Json& shown =
        long_string ? Json(json.get_ref<const std::string&>().substr(0, most_shown)) : json;
    out += shown.dump(-1, ' ', true, Json::error_handler_t::replace);
    return;
  }
  out += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (out.size() > most_shown) return;
    if (!first) out += ',';
    first = false;
    if (json.is_object()) {
      write_beginning(Json(key), out);
      out += ':';
    }
    write_beginning(value, out);
  }
  out += json.is_object() ? '}' : ']';
}

}  // namespace

std::string json_excerpt(const Json& json) {
  std::string written;
  write_beginning(json, written);
  if (written.size() > most_shown) written.replace(most_shown, std::string::npos, " ...");
  return written;
}

const Json& member(const Json& json, const char* key, const std::string& where) {
  if (!json.is_object()) throw Error(text(where, ": an object was expected"));
  const auto found = json.find(key);
  if (found == json.end()) throw Error(text(where, ": \"", key, "\" is missing"));
  return *found;
}

Index integer(const Json& json, const std::string& where, Index least, Index most) {
  const bool fits =
      json.is_number_integer() &&
      !(json.is_number_unsigned() &&
        json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()));
  if (!fits || json.get<Index>() < least || json.get<Index>() > most) {
    throw Error(text(where, ": an integer from ", least, " to ", most, " was expected, not ",
                     json_excerpt(json)));
  }
  return json.get<Index>();
}

Rank rank_number(const Json& json, const std::string& where) {
  return static_cast<Rank>(integer(json, where, 0, std::numeric_limits<Rank>::max()));
}

std::string string(const Json& json, const std::string& where) {
  if (!json.is_string())
    throw Error(text(where, ": a string was expected, not ", json_excerpt(json)));
  return json.get<std::string>();
}

const Json& array(const Json& json, const std::string& where) {
  if (!json.is_array()) throw Error(text(where, ": an array was expected"));
  return json;
}

double number(const Json& json, const std::string& where) {
  if (!json.is_number())
    throw Error(text(where, ": a number was expected, not ", json_excerpt(json)));
  return json.get<double>();
}

Collective collective(const Json& json) {
  const std::string name = string(json, "\"collective\"");
  for (const Collective collective :
       {Collective::reduce, Collective::all_reduce, Collective::reduce_scatter}) {
    if (name == name_of(collective)) return collective;
  }
  throw Error(
      text("\"collective\" is \"", excerpt(name), "\", not reduce, all-reduce or reduce-scatter"));
}

Items items(const Json& json, const std::string& where) {
  if (!json.contains("fields")) return integer(member(json, "items", where), "\"items\"", 1);
  if (json.contains("items")) {
    throw Error(text(where, ": \"items\" and \"fields\": one of the two was expected"));
  }
  return Items::of_fields(integer(json["fields"], "\"fields\"", 1, Items::most_fields));
}

void check_keys(const Json& json, std::initializer_list<const char*> keys,
                const std::string& where) {
  for (const auto& [key, _] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw Error(text(where, ": \"", excerpt(key), "\" has no place in ", json_excerpt(json)));
    }
  }
}

Index check_header(const Json& json, const char* format, Index latest) {
  const auto found = string(member(json, "format", format), "\"format\"");
  if (found != format)
    throw Error(text("\"format\" is \"", excerpt(found), "\", not \"", format, '"'));
  const auto version = integer(member(json, "version", format), "\"version\"", 0);
  if (version < 1 || version > latest) {
    throw Error(text("\"version\" of ", format, " is ", version, "; this program reads ",
                     latest == 1 ? text(1) : text("1 to ", latest)));
  }
  return version;
}

}  // namespace bracket::json_fields
