// SPDX-License-Identifier: MIT

#include "bracket/model/machine_json.hpp"

#include <cmath>

#include "bracket/model/json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "files/json_fields.hpp"
#include "files/work_json.hpp"

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
constexpr const char* library_messages_key = "library_messages";
constexpr const char* cache_key = "cache_bytes";

/// Times of a message size and their keys.
struct MeasuredFigure {
  const char* key;
  double MessageTimes::*value;
};

constexpr const char* exchange_key = "exchange_seconds";

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
    if (times.exchange > 0) row[exchange_key] = times.exchange;
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
    if (const auto exchange = row.find(exchange_key); exchange != row.end()) {
      times.exchange = json_fields::number(*exchange, text(place, ": \"", exchange_key, '"'));
      if (times.exchange == 0) {
        throw Error(text(place, ": \"", exchange_key, "\": more than 0 was expected, not 0"));
      }
    }
    json_fields::check_keys(row,
                            {"bytes", measured_figures[0].key, measured_figures[1].key,
                             measured_figures[2].key, measured_figures[3].key, exchange_key},
                            place);
    messages.push_back(times);
  }
  return messages;
}

MessageCosts inside_node_from_json(const Json& json) {
  const std::string where = text('"', inside_node, '"');
  if (!json.is_object()) throw Error(where + ": an object was expected");
  json_fields::check_keys(
      json,
      {message_figures[0].key, message_figures[1].key, message_figures[2].key,
       message_figures[3].key, messages_key, cold_messages_key, library_messages_key},
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
  if (const auto messages = json.find(library_messages_key); messages != json.end()) {
    costs.library = messages_from_json(*messages, where + ": \"library_messages\"");
  }
  return costs;
}

constexpr const char* work_key = "work";
constexpr const char* operations_key = "operations";

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
    if (!inside->library.empty()) {
      json[inside_node][library_messages_key] = messages_to_json(inside->library);
    }
  }
  if (machine.machine.work) json[work_key] = model::work_to_json(*machine.machine.work);
  if (!machine.machine.operations.empty()) {
    json[operations_key] = model::operations_to_json(machine.machine.operations);
  }
  if (!machine.machine.messages.empty()) {
    json[messages_key] = messages_to_json(machine.machine.messages);
  }
  if (!machine.machine.cold_messages.empty()) {
    json[cold_messages_key] = messages_to_json(machine.machine.cold_messages);
  }
  if (!machine.machine.library_messages.empty()) {
    json[library_messages_key] = messages_to_json(machine.machine.library_messages);
  }
  if (std::isfinite(machine.machine.cache_bytes)) json[cache_key] = machine.machine.cache_bytes;
  return json;
}

NamedMachine machine_from_json(const nlohmann::ordered_json& json) {
  const Index version = json_fields::check_header(json, machine_format, machine_version);
  json_fields::check_keys(
      json, {"format",       "version",           "name",         "source",       figures[0].key,
             figures[1].key, figures[2].key,      figures[3].key, figures[4].key, figures[5].key,
             "eager_bytes",  inside_node,         work_key,       messages_key,   cold_messages_key,
             cache_key,      operations_key,      "kernels",      "residuals",    "rounds",
             "environment",  library_messages_key},
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
    machine.machine.work = model::work_from_json(*work, text('"', work_key, '"'));
  }
  if (const auto operations = json.find(operations_key); operations != json.end()) {
    machine.machine.operations =
        model::operations_from_json(*operations, text('"', operations_key, '"'));
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
  if (const auto messages = json.find(library_messages_key); messages != json.end()) {
    machine.machine.library_messages =
        messages_from_json(*messages, text('"', library_messages_key, '"'));
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
