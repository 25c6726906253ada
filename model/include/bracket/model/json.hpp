#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "bracket/model/distribution.hpp"
#include "bracket/model/schedule.hpp"

/// JSON forms, each with a `format` and a `version`. Readers throw `Error` naming the place.
namespace bracket {

/// `{"format": "bracket-schedule", "version": 1, "order", "order_version", "plan", "elements",
/// "ranks", "boundaries", "rank_order", "collective", "root", "items", "digest", "parts":
/// [[step, …], …]}`; the rank at each position, "rank_order", is left out where rank k holds
/// position k; "collective" is "reduce", "all-reduce" or "reduce-scatter"; a step is
/// `{"fold": [b, e]}`, `{"join": [[b, m], [m, e]]}`, `{"send": to, "partials": [[b, e], …]}` or
/// `{"recv": from, "partials": …}`. `[b, e]` is the value of a range, `{"run": [b, e]}` its
/// elements, and `{"value": [b, e], "items": [lo, hi]}` or `{"run": …, "items": …}` some items of
/// them.
nlohmann::ordered_json to_json(const Schedule& schedule);
Schedule schedule_from_json(const nlohmann::ordered_json& json);

/// `{"format": "bracket-distribution", "version": 1, "elements", "ranks", "counts": [n0, …],
/// "rank_order": [r0, …]}`: the elements of each position and, as above, the rank that holds it.
nlohmann::ordered_json to_json(const Distribution& distribution);
Distribution distribution_from_json(const nlohmann::ordered_json& json);

/// `content` as JSON. Throws `Error`, which begins with `where`, for the byte at which it stops
/// being JSON, a number beyond float64, nesting deeper than 64 levels, an object with the same key
/// twice (one value would be lost) or with more than 1 000 keys (no form has as many).
nlohmann::ordered_json parse_json(std::string_view content, const std::string& where);

/// The file as JSON. Throws `Error` as `parse_json` and `read_file` do, naming the file.
nlohmann::ordered_json read_json(const std::filesystem::path& path);

/// A `bracket-schedule` file.
Schedule read_schedule(const std::filesystem::path& path);

/// A distribution by name, or, if `spec` ends in `.json`, from a `bracket-distribution` file,
/// which must be for `elements` and `ranks`.
Distribution make_or_read_distribution(const std::string& spec, Index elements, Rank ranks);

}  // namespace bracket
