// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "bracket/model/distribution.hpp"
#include "bracket/model/ranked_order.hpp"
#include "bracket/model/schedule.hpp"

/// JSON forms, each with a `format` and a `version`. Readers throw `Error`, which names the place.
namespace bracket {

/// `{"format": "bracket-schedule", "version": 1, "order", "order_version", "plan", "elements",
/// "ranks", "boundaries", "rank_order", "collective", "root", "items", "digest", "parts":
/// [[step, …], …]}`:
///
/// - "rank_order" is the rank at each position. It is missing if rank k holds position k.
/// - "collective" is "reduce", "all-reduce" or "reduce-scatter".
/// - A step is `{"fold": [b, e]}`, `{"join": [[b, m], [m, e]]}`, `{"send": to, "partials":
///   [[b, e], …]}` or `{"recv": from, "partials": …}`.
/// - A partial is `[b, e]`, the value of a range, or `{"run": [b, e]}`, its elements. With
///   only some items it is `{"value": [b, e], "items": [lo, hi]}` or `{"run": …, "items": …}`.
/// - Several fields are "fields" in place of "items", here and in partials.
nlohmann::ordered_json to_json(const Schedule& schedule);
Schedule schedule_from_json(const nlohmann::ordered_json& json);

/// `{"format": "bracket-distribution", "version": 1, "elements", "ranks", "counts": [n0, …],
/// "rank_order": [r0, …]}`: the elements of each position and, as above, the rank that holds it.
nlohmann::ordered_json to_json(const Distribution& distribution);
Distribution distribution_from_json(const nlohmann::ordered_json& json);

/// `{"format": "bracket-order", "version": 1, "order": "explicit:…", "order_version", "ranks":
/// [r0, …]}`: an explicit order over positions, and the rank whose operand stands at each.
nlohmann::ordered_json to_json(const RankedOrder& order);
RankedOrder ranked_order_from_json(const nlohmann::ordered_json& json);

/// Parses `content`. Throws `Error`, which begins with `where`, for a syntax error, with its byte,
/// for a number beyond float64, for nesting deeper than 64 levels, and for an object with a
/// repeated key (one value would be lost) or with more than 1 000 keys (no form has as many).
nlohmann::ordered_json parse_json(std::string_view content, const std::string& where);

/// Reads a JSON file. Throws `Error`, which names the file, as `parse_json` and `read_file` do.
nlohmann::ordered_json read_json(const std::filesystem::path& path);

/// Reads a `bracket-schedule` file.
Schedule read_schedule(const std::filesystem::path& path);

/// Reads a `bracket-order` file.
RankedOrder read_ranked_order(const std::filesystem::path& path);

/// Makes a distribution by name or, if `spec` ends in `.json`, reads a `bracket-distribution` file,
/// which must have so many elements and ranks.
Distribution make_or_read_distribution(const std::string& spec, Index elements, Rank ranks);

}  // namespace bracket
