#pragma once

#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "bracket/model/range.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/support/error.hpp"

/// What readers of JSON forms ask of their parts. Each throws `Error`, which begins with `where`.
namespace bracket::json_fields {

using Json = nlohmann::ordered_json;

/// Of all forms but for a machine's.
inline constexpr int format_version = 1;

/// The first 60 bytes of `json` on one line, in ASCII. Takes time for those alone.
std::string json_excerpt(const Json& json);

const Json& member(const Json& json, const char* key, const std::string& where);
Index integer(const Json& json, const std::string& where, Index least,
              Index most = std::numeric_limits<Index>::max());
Rank rank_number(const Json& json, const std::string& where);
double number(const Json& json, const std::string& where);
std::string string(const Json& json, const std::string& where);
const Json& array(const Json& json, const std::string& where);

/// What "collective" is.
Collective collective(const Json& json);

/// Runs `action`, which is about a place that its errors do not name.
template <class Action>
auto about(const std::string& where, Action&& action) {
  try {
    return action();
  } catch (const Error& failure) {
    throw Error(text(where, ": ", failure.what()));
  }
}

/// So that no misspelt key is taken for one that is missing.
void check_keys(const Json& json, std::initializer_list<const char*> keys,
                const std::string& where);

/// Whether "format" is what is read, and "version" a version up to `latest`, which is returned.
Index check_header(const Json& json, const char* format, Index latest = format_version);

}  // namespace bracket::json_fields
