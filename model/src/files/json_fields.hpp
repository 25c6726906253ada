// SPDX-License-Identifier: MIT

#pragma once

#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bracket/model/items.hpp"
#include "bracket/model/range.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

/// Reading of parts of JSON documents. Each reader throws `Error` with a message that begins with
/// `where`.
namespace bracket::json_fields {

using Json = nlohmann::ordered_json;

/// Version of all JSON formats except that of machines.
inline constexpr int format_version = 1;

/// The first 60 bytes of `json` on one line, in ASCII. The time does not depend on the rest.
std::string json_excerpt(const Json& json);

const Json& member(const Json& json, const char* key, const std::string& where);
Index integer(const Json& json, const std::string& where, Index least,
              Index most = std::numeric_limits<Index>::max());
Rank rank_number(const Json& json, const std::string& where);
double number(const Json& json, const std::string& where);
std::string string(const Json& json, const std::string& where);
const Json& array(const Json& json, const std::string& where);

/// Collective named by "collective".
Collective collective(const Json& json);

/// Key of the items in a document: "items" of vectors, or "fields".
inline const char* items_key(Items items) { return items.fields ? "fields" : "items"; }

/// Value of "items", or of "fields" in its place, in an object that `where` names.
Items items(const Json& json, const std::string& where);

/// Runs `action` and puts `where` in front of its errors, which do not name the place.
template <class Action>
auto about(const std::string& where, Action&& action) {
  try {
    return action();
  } catch (const Error& failure) {
    throw Error(text(where, ": ", failure.what()));
  }
}

/// Throws `Error` for a key that is not among `keys`, so that a misspelt key is not taken for a
/// missing one.
void check_keys(const Json& json, std::initializer_list<const char*> keys,
                const std::string& where);

/// Checks that "format" is `format` and that "version" is from 1 to `latest`. Returns the version.
Index check_header(const Json& json, const char* format, Index latest = format_version);

}  // namespace bracket::json_fields
