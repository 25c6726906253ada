#include "bracket/model/machine_json.hpp"

#include <cmath>

#include "bracket/model/json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "files/json_fields.hpp"

namespace bracket {

using json_fields::Json;

namespace {

constexpr const char* machine_format = "bracket-machine";

/// Version 1 had no measured messages for models: its "messages" were a record.
constexpr Index machine_version = 2;

/// Figures of a machine and their keys.
struct FigureKey {
  const char* key;
  double Machine::*value;
};

constexpr FigureKey figures[] = {
    {"latency_seconds", &Machine::latency},
    {"overhead_seconds", &Machine::overhead},
    {"gap_seconds", &Machine::gap},
    {"gap_seconds_per_byte", &Machine::gap_per_byte},
    {"overhead_seconds_per_byte", &Machine::overhead_per_byte},
    {"seconds_per_addition", &Machine::seconds_per_addition},
};

constexpr const char* inside_node = "inside_node";

struct MessageFigure {
  const char* key;
  double MessageCosts::*value;
};

constexpr MessageFigure message_figures[] = {
    {"latency_seconds", &MessageCosts::latency},
    {"overhead_seconds", &MessageCosts::overhead},
    {"gap_seconds", &MessageCosts::gap},
    {"gap_seconds_per_byte", &MessageCosts::gap_per_byte},
};

constexpr const char* messages_key = "messages";
constexpr const char* cold_messages_key = "cold_messages";
constexpr const char* cache_key = "cache_bytes";

/// Times of a message size and their keys.
struct MeasuredFigure {
  const char* key;
  double MessageTimes::*value;
};

constexpr MeasuredFigure measured_figures[] = {
    {"send_overhead_seconds", &MessageTimes::send_overhead},
    {"receive_overhead_seconds", &MessageTimes::receive_overhead},
    {"round_trip_seconds", &MessageTimes::round_trip},
    {"gap_seconds", &MessageTimes::gap},
};

Json messages_to_json(const std::vector<MessageTimes>& messages) {
  Json rows = Json::array();
  for (const MessageTimes& times : messages) {
    Json row{{"bytes", times.bytes}};
    for (const auto& [key, value] : measured_figures) row[key] = times.*value;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<MessageTimes> messages_from_json(const Json& json, const std::string& where) {
  std::vector<MessageTimes> messages;
  for (const Json& row : json_fields::array(json, where)) {
    const std::string place = text(where, '[', messages.size(), ']');
    MessageTimes times;
    times.bytes =
        json_fields::integer(json_fields::member(row, "bytes", place), place + ": \"bytes\"", 1);
    for (const auto& [key, value] : measured_figures) {
      times.*value =
          json_fields::number(json_fields::member(row, key, place), text(place, ": \"", key, '"'));
    }
    json_fields::check_keys(row,
                            {"bytes", measured_figures[0].key, measured_figures[1].key,
                             measured_figures[2].key, measured_figures[3].key},
                            place);
    messages.push_back(times);
  }
  return messages;
}

MessageCosts inside_node_from_json(const Json& json) {
  const std::string where = text('"', inside_node, '"');
  if (!json.is_object()) throw Error(where + ": an object was expected");
  json_fields::check_keys(json,
                          {message_figures[0].key, message_figures[1].key, message_figures[2].key,
                           message_figures[3].key, messages_key, cold_messages_key},
                          where);
  MessageCosts costs;
  for (const auto& [key, value] : message_figures) {
    costs.*value =
        json_fields::number(json_fields::member(json, key, where), text(where, ": \"", key, '"'));
  }
  if (const auto messages = json.find(messages_key); messages != json.end()) {
    costs.measured = messages_from_json(*messages, where + ": \"messages\"");
  }
  if (const auto messages = json.find(cold_messages_key); messages != json.end()) {
    costs.cold = messages_from_json(*messages, where + ": \"cold_messages\"");
  }
  return costs;
}

constexpr const char* work_key = "work";

Json times_to_json(const std::vector<MeasuredWork::Fold>& times) {
  Json rows = Json::array();
  for (const auto& [elements, seconds] : times) {
    rows.push_back({{"elements", elements}, {"seconds", seconds}});
  }
  return rows;
}

Json work_to_json(const MeasuredWork& work) {
  Json json{{"start_seconds", work.start}};
  if (work.start_alone) json["start_alone_seconds"] = *work.start_alone;
  if (work.start_reduce) json["start_reduce_seconds"] = *work.start_reduce;
  if (work.first_cache) {
    json["first_cache"] = {{"elements", work.first_cache->elements},
                           {"more_start_seconds", work.first_cache->more_start}};
  }
  json["seconds_per_join"] = work.seconds_per_join;
  json["folds"] = times_to_json(work.folds);
  for (const auto& [ranks, folds] : work.folds_together) {
    json["folds_together"].push_back({{"ranks", ranks}, {"folds", times_to_json(folds)}});
  }
  if (!work.copies.empty()) json["copies"] = times_to_json(work.copies);
  if (!work.joins.empty()) json["joins"] = times_to_json(work.joins);
  return json;
}

double number_of(const Json& object, const char* key, const std::string& place) {
  return json_fields::number(json_fields::member(object, key, place),
                             text(place, ": \"", key, '"'));
}

/// Reads the list at `key` of an object.
std::vector<MeasuredWork::Fold> times_from_json(const Json& object, const char* key,
                                                const std::string& where) {
  const std::string list = text(where, ": \"", key, '"');
  std::vector<MeasuredWork::Fold> times;
  for (const Json& time : json_fields::array(json_fields::member(object, key, where), list)) {
    const std::string place = text(list, '[', times.size(), ']');
    const Json& elements = json_fields::member(time, "elements", place);
    times.push_back({json_fields::integer(elements, place + ": \"elements\"", 1),
                     number_of(time, "seconds", place)});
    json_fields::check_keys(time, {"elements", "seconds"}, place);
  }
  return times;
}

MeasuredWork work_from_json(const Json& json) {
  const std::string where = text('"', work_key, '"');
  MeasuredWork work;
  work.start = number_of(json, "start_seconds", where);
  if (json.contains("start_alone_seconds")) {
    work.start_alone = number_of(json, "start_alone_seconds", where);
  }
  if (json.contains("start_reduce_seconds")) {
    work.start_reduce = number_of(json, "start_reduce_seconds", where);
  }
  if (json.contains("first_cache")) {
    const Json& cache = json["first_cache"];
    const std::string place = where + ": \"first_cache\"";
    const Json& elements = json_fields::member(cache, "elements", place);
    work.first_cache = {json_fields::integer(elements, place + ": \"elements\"", 1),
                        number_of(cache, "more_start_seconds", place)};
    json_fields::check_keys(cache, {"elements", "more_start_seconds"}, place);
  }
  work.seconds_per_join = number_of(json, "seconds_per_join", where);
  work.folds = times_from_json(json, "folds", where);
  if (json.contains("folds_together")) {
    const std::string list = where + ": \"folds_together\"";
    for (const Json& table : json_fields::array(json["folds_together"], list)) {
      const std::string place = text(list, '[', work.folds_together.size(), ']');
      const Json& ranks = json_fields::member(table, "ranks", place);
      work.folds_together.push_back({json_fields::integer(ranks, place + ": \"ranks\"", 2),
                                     times_from_json(table, "folds", place)});
      json_fields::check_keys(table, {"ranks", "folds"}, place);
    }
  }
  if (json.contains("copies")) work.copies = times_from_json(json, "copies", where);
  if (json.contains("joins")) work.joins = times_from_json(json, "joins", where);
  json_fields::check_keys(
      json,
      {"start_seconds", "start_alone_seconds", "start_reduce_seconds", "first_cache",
       "seconds_per_join", "folds", "folds_together", "copies", "joins"},
      where);
  return work;
}

/// Checks the record of the measurement, which no model uses.
void check_record(const Json& json) {
  if (json.contains("kernels")) json_fields::array(json["kernels"], "\"kernels\"");
  for (const char* key : {"residuals", "rounds", "environment"}) {
    if (json.contains(key) && !json[key].is_object()) {
      throw Error(text('"', key, "\": an object was expected"));
    }
  }
}

}  // namespace

nlohmann::ordered_json to_json(const NamedMachine& machine) {
  Json json{{"format", machine_format},
            {"version", machine_version},
            {"name", machine.name},
            {"source", machine.source}};
  for (const auto& [key, value] : figures) json[key] = machine.machine.*value;
  const double eager = machine.machine.eager_bytes;
  json["eager_bytes"] = std::isinf(eager) ? Json() : Json(eager);
  if (const auto& inside = machine.machine.inside_node) {
    for (const auto& [key, value] : message_figures) json[inside_node][key] = (*inside).*value;
    if (!inside->measured.empty()) {
      json[inside_node][messages_key] = messages_to_json(inside->measured);
    }
    if (!inside->cold.empty())
      json[inside_node][cold_messages_key] = messages_to_json(inside->cold);
  }
  if (machine.machine.work) json[work_key] = work_to_json(*machine.machine.work);
  if (!machine.machine.messages.empty()) {
    json[messages_key] = messages_to_json(machine.machine.messages);
  }
  if (!machine.machine.cold_messages.empty()) {
    json[cold_messages_key] = messages_to_json(machine.machine.cold_messages);
  }
  if (std::isfinite(machine.machine.cache_bytes)) json[cache_key] = machine.machine.cache_bytes;
  return json;
}

NamedMachine machine_from_json(const nlohmann::ordered_json& json) {
  const Index version = json_fields::check_header(json, machine_format, machine_version);
  json_fields::check_keys(
      json, {"format",       "version",      "name",         "source",       figures[0].key,
             figures[1].key, figures[2].key, figures[3].key, figures[4].key, figures[5].key,
             "eager_bytes",  inside_node,    work_key,       messages_key,   cold_messages_key,
             cache_key,      "kernels",      "residuals",    "rounds",       "environment"},
      machine_format);
  const auto field = [&](const char* key) -> const Json& {
    return json_fields::member(json, key, machine_format);
  };
  NamedMachine machine{json_fields::string(field("name"), "\"name\""),
                       json_fields::string(field("source"), "\"source\""),
                       {}};
  for (const auto& [key, value] : figures) {
    machine.machine.*value = json_fields::number(field(key), text('"', key, '"'));
  }
  if (const Json& eager = field("eager_bytes"); !eager.is_null()) {
    machine.machine.eager_bytes = json_fields::number(eager, "\"eager_bytes\"");
  }
  if (const auto inside = json.find(inside_node); inside != json.end()) {
    machine.machine.inside_node = inside_node_from_json(*inside);
  }
  if (const auto work = json.find(work_key); work != json.end()) {
    machine.machine.work = work_from_json(*work);
  }
  if (const auto messages = json.find(messages_key); messages != json.end()) {
    const std::string where = text('"', messages_key, '"');
    if (version == 1) {
      json_fields::array(*messages, where);
    } else {
      machine.machine.messages = messages_from_json(*messages, where);
    }
  }
  if (const auto messages = json.find(cold_messages_key); messages != json.end()) {
    machine.machine.cold_messages =
        messages_from_json(*messages, text('"', cold_messages_key, '"'));
  }
  if (const auto cache = json.find(cache_key); cache != json.end()) {
    machine.machine.cache_bytes = json_fields::number(*cache, text('"', cache_key, '"'));
  }
  check_record(json);
  machine.machine.check();
  return machine;
}

NamedMachine read_machine(const std::filesystem::path& path) {
  const auto json = read_json(path);
  try {
    return machine_from_json(json);
  } catch (const Error& failure) {
    throw Error(text(path.string(), ": ", failure.what()));
  }
}

}  // namespace bracket
