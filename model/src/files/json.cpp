// SPDX-License-Identifier: MIT

#include "bracket/model/json.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "files/json_fields.hpp"

namespace bracket {

using json_fields::about;
using json_fields::array;
using json_fields::check_header;
using json_fields::check_keys;
using json_fields::format_version;
using json_fields::integer;
using json_fields::items_key;
using json_fields::Json;
using json_fields::json_excerpt;
using json_fields::member;
using json_fields::rank_number;
using json_fields::string;

namespace {

constexpr const char* schedule_format = "bracket-schedule";
constexpr const char* distribution_format = "bracket-distribution";

Json range_json(Range range) { return Json::array({range.begin, range.end}); }

Range range_from(const Json& json, const std::string& where) {
  if (array(json, where).size() != 2) {
    throw Error(text(where, ": a range [begin, end] was expected, not ", json_excerpt(json)));
  }
  return {integer(json[0], where, 0), integer(json[1], where, 0)};
}

/// JSON form of a partial. The items, or fields, are omitted if the partial covers all of them.
Json partial_json(const Partial& partial, Items items) {
  const bool of_all_items = partial.segment == Range{0, items};
  if (!partial.run && of_all_items) return range_json(partial.range);
  Json json{{partial.run ? "run" : "value", range_json(partial.range)}};
  if (!of_all_items) json[items_key(items)] = range_json(partial.segment);
  return json;
}

Partial partial_from(const Json& json, Items items, const std::string& where) {
  if (!json.is_object()) return range_from(json, where);
  const char* const key = items_key(items);
  check_keys(json, {json.contains("run") ? "run" : "value", key}, where);
  const bool run = json.contains("run");
  const Range range = range_from(member(json, run ? "run" : "value", where), where);
  if (run && range.size() < 2) throw Error(text(where, ": a run has at least two elements"));
  const Partial partial = run ? Partial::run_of(range) : Partial(range);
  if (!json.contains(key)) return partial;
  const Range segment = range_from(json[key], where);
  if (segment.empty() || segment.end > items) {
    throw Error(text(where, ": ", key, ' ', segment, " of elements that have ", items));
  }
  return partial.over(segment);
}

std::vector<Partial> partials_from(const Json& json, Items items, const std::string& where) {
  std::vector<Partial> partials;
  for (const auto& partial : array(json, where)) {
    partials.push_back(partial_from(partial, items, where));
  }
  return partials;
}

Json rank_order_json(const Distribution& distribution) {
  const auto& ranks = distribution.rank_order();
  return ranks.empty() ? Json::object() : Json{{"rank_order", ranks}};
}

Distribution with_rank_order(Distribution distribution, const Json& json) {
  const auto found = json.find("rank_order");
  if (found == json.end()) return distribution;
  std::vector<Rank> ranks;
  for (const auto& rank : array(*found, "\"rank_order\"")) {
    ranks.push_back(rank_number(rank, text("\"rank_order\" at position ", ranks.size())));
  }
  try {
    return distribution.with_rank_order(std::move(ranks));
  } catch (const Error& failure) {
    throw Error(text("\"rank_order\": ", failure.what()));
  }
}

Json step_json(const RankPart& part, const Step& step) {
  Json operands = Json::array();
  for (const Partial& partial : part.operands(step)) {
    operands.push_back(partial_json(partial, part.items()));
  }
  const std::string name(name_of(step.kind));
  switch (step.kind) {
    case StepKind::fold:
      return Json{{name, operands[0]}};
    case StepKind::join:
      return Json{{name, operands}};
    default:
      return Json{{name, step.peer}, {"partials", operands}};
  }
}

void add_step(RankPart& part, const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error(text(where, ": a step must be an object"));
  for (const StepKind kind : {StepKind::fold, StepKind::join, StepKind::send, StepKind::recv}) {
    const auto found = json.find(std::string(name_of(kind)));
    if (found == json.end()) continue;
    const std::string name(name_of(kind));
    const bool message = kind == StepKind::send || kind == StepKind::recv;
    check_keys(json, {name.c_str(), message ? "partials" : name.c_str()}, where);
    if (kind == StepKind::fold) {
      part.fold(partial_from(*found, part.items(), where));
    } else if (kind == StepKind::join) {
      const auto operands = partials_from(*found, part.items(), where);
      if (operands.size() != 2) throw Error(text(where, ": a join has two operands"));
      part.join(operands[0], operands[1]);
    } else {
      const Rank peer = rank_number(*found, where);
      const auto partials = partials_from(member(json, "partials", where), part.items(), where);
      about(where, [&] { part.add(kind, peer, partials); });
    }
    return;
  }
  throw Error(text(where, ": a step is a \"fold\", \"join\", \"send\" or \"recv\", not ",
                   json_excerpt(json)));
}

}  // namespace

nlohmann::ordered_json to_json(const Schedule& schedule) {
  Json parts = Json::array();
  for (const auto& part : schedule.parts) {
    Json steps = Json::array();
    for (const auto& step : part.steps()) steps.push_back(step_json(part, step));
    parts.push_back(std::move(steps));
  }
  Json json{{"format", schedule_format}, {"version", format_version},
            {"order", schedule.order},   {"order_version", schedule.order_version},
            {"plan", schedule.plan},     {"elements", schedule.elements()},
            {"ranks", schedule.ranks()}, {"boundaries", schedule.distribution.boundaries()}};
  json.update(rank_order_json(schedule.distribution));
  json.update({{"collective", name_of(schedule.delivery.collective)},
               {"root", schedule.delivery.root},
               {items_key(schedule.items), schedule.items.count},
               {"digest", digest_text(schedule)},
               {"parts", std::move(parts)}});
  return json;
}

Schedule schedule_from_json(const nlohmann::ordered_json& json) {
  check_header(json, schedule_format);
  check_keys(
      json,
      {"format", "version", "order", "order_version", "plan", "elements", "ranks", "boundaries",
       "rank_order", "collective", "root", "items", "fields", "digest", "parts"},
      schedule_format);
  const auto field = [&](const char* key) -> const Json& {
    return member(json, key, schedule_format);
  };
  std::vector<Index> boundaries;
  for (const auto& boundary : array(field("boundaries"), "\"boundaries\"")) {
    boundaries.push_back(integer(boundary, "\"boundaries\"", 0));
  }
  auto distribution = Distribution::from_boundaries(std::move(boundaries));
  if (integer(field("elements"), "\"elements\"", 1) != distribution.elements()) {
    throw Error("\"elements\" is not the last boundary");
  }
  if (integer(field("ranks"), "\"ranks\"", 1) != distribution.ranks()) {
    throw Error("\"ranks\" is not the number of boundaries less one");
  }
  distribution = with_rank_order(std::move(distribution), json);
  const Items items = json_fields::items(json, schedule_format);
  check_items(distribution.elements(), items);
  Schedule schedule{
      {string(field("order"), "\"order\""),
       static_cast<int>(integer(field("order_version"), "\"order_version\"", 0,
                                std::numeric_limits<int>::max())),
       string(field("plan"), "\"plan\""),
       std::move(distribution),
       {rank_number(field("root"), "\"root\""), json_fields::collective(field("collective"))},
       items},
      {}};
  // The digest only serves as a notice to `verify`. A schedule written by hand has no digest.
  if (json.contains("digest")) string(json["digest"], "\"digest\"");
  std::size_t rank = 0;
  for (const auto& steps : array(field("parts"), "\"parts\"")) {
    RankPart part(items);
    std::size_t position = 0;
    for (const auto& step : array(steps, text("rank ", rank))) {
      add_step(part, step, text("rank ", rank, ", step ", position++));
    }
    schedule.parts.push_back(std::move(part));
    ++rank;
  }
  return schedule;
}

nlohmann::ordered_json to_json(const Distribution& distribution) {
  Json counts = Json::array();
  for (Index position = 0; position < distribution.ranks(); ++position) {
    counts.push_back(distribution.range(distribution.rank_at(position)).size());
  }
  Json json{{"format", distribution_format},
            {"version", format_version},
            {"elements", distribution.elements()},
            {"ranks", distribution.ranks()},
            {"counts", std::move(counts)}};
  json.update(rank_order_json(distribution));
  return json;
}

Distribution distribution_from_json(const nlohmann::ordered_json& json) {
  check_header(json, distribution_format);
  check_keys(json, {"format", "version", "elements", "ranks", "counts", "rank_order"},
             distribution_format);
  std::vector<Index> counts;
  for (const auto& count : array(member(json, "counts", distribution_format), "\"counts\"")) {
    counts.push_back(integer(count, text("\"counts\" of position ", counts.size()), 0));
  }
  auto distribution = Distribution::from_counts(counts);
  const auto expect = [&](const char* key, Index found) {
    const Index stated = integer(member(json, key, distribution_format), key, 1);
    if (stated != found) {
      throw Error(text("\"", key, "\" is ", stated, ", but the counts give ", found));
    }
  };
  expect("elements", distribution.elements());
  expect("ranks", distribution.ranks());
  return with_rank_order(std::move(distribution), json);
}

nlohmann::ordered_json read_json(const std::filesystem::path& path) {
  return parse_json(support::read_file(path), path.string());
}

Schedule read_schedule(const std::filesystem::path& path) {
  const auto json = read_json(path);
  return about(path.string(), [&] { return schedule_from_json(json); });
}

Distribution make_or_read_distribution(const std::string& spec, Index elements, Rank ranks) {
  if (!spec.ends_with(".json")) return make_distribution(spec, elements, ranks);
  const auto json = read_json(spec);
  return about(spec, [&] {
    auto distribution = distribution_from_json(json);
    if (distribution.elements() != elements || distribution.ranks() != ranks) {
      throw Error(text("the distribution is for N = ", distribution.elements(), " and p = ",
                       distribution.ranks(), ", not for N = ", elements, " and p = ", ranks));
    }
    return distribution;
  });
}

}  // namespace bracket
