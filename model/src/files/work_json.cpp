// SPDX-License-Identifier: MIT

#include "files/work_json.hpp"

#include "bracket/model/json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::model {

using json_fields::Json;

namespace {

Json times_to_json(const std::vector<MeasuredWork::Fold>& times) {
  Json rows = Json::array();
  for (const auto& [elements, seconds] : times) {
    rows.push_back({{"elements", elements}, {"seconds", seconds}});
  }
  return rows;
}

/// Adds the times of an operation to an object.
void add_times(Json& json, const OperationTimes& times) {
  json["seconds_per_join"] = times.seconds_per_join;
  if (times.seconds_per_result > 0) json["seconds_per_result"] = times.seconds_per_result;
  if (times.more_start > 0) json["more_start_seconds"] = times.more_start;
  if (times.start_in_program) json["start_in_program_seconds"] = *times.start_in_program;
  json["folds"] = times_to_json(times.folds);
  for (const auto& [ranks, folds, vector_folds] : times.folds_together) {
    Json table{{"ranks", ranks}, {"folds", times_to_json(folds)}};
    if (!vector_folds.empty()) table["vector_folds"] = times_to_json(vector_folds);
    json["folds_together"].push_back(std::move(table));
  }
  if (!times.copies.empty()) json["copies"] = times_to_json(times.copies);
  if (!times.joins.empty()) json["joins"] = times_to_json(times.joins);
  if (!times.vector_folds.empty()) json["vector_folds"] = times_to_json(times.vector_folds);
  if (!times.partial_folds.empty()) json["partial_folds"] = times_to_json(times.partial_folds);
  if (!times.complete_folds.empty()) json["complete_folds"] = times_to_json(times.complete_folds);
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

OperationTimes operation_times(const Json& json, const std::string& where) {
  OperationTimes times;
  times.seconds_per_join = number_of(json, "seconds_per_join", where);
  if (json.contains("seconds_per_result")) {
    times.seconds_per_result = number_of(json, "seconds_per_result", where);
  }
  if (json.contains("more_start_seconds")) {
    times.more_start = number_of(json, "more_start_seconds", where);
  }
  if (json.contains("start_in_program_seconds")) {
    times.start_in_program = number_of(json, "start_in_program_seconds", where);
  }
  times.folds = times_from_json(json, "folds", where);
  if (json.contains("folds_together")) {
    const std::string list = where + ": \"folds_together\"";
    for (const Json& table : json_fields::array(json["folds_together"], list)) {
      const std::string place = text(list, '[', times.folds_together.size(), ']');
      const Json& ranks = json_fields::member(table, "ranks", place);
      times.folds_together.push_back({json_fields::integer(ranks, place + ": \"ranks\"", 2),
                                      times_from_json(table, "folds", place)});
      if (table.contains("vector_folds")) {
        times.folds_together.back().vector_folds = times_from_json(table, "vector_folds", place);
      }
      json_fields::check_keys(table, {"ranks", "folds", "vector_folds"}, place);
    }
  }
  if (json.contains("copies")) times.copies = times_from_json(json, "copies", where);
  if (json.contains("joins")) times.joins = times_from_json(json, "joins", where);
  if (json.contains("vector_folds")) {
    times.vector_folds = times_from_json(json, "vector_folds", where);
  }
  if (json.contains("partial_folds")) {
    times.partial_folds = times_from_json(json, "partial_folds", where);
  }
  if (json.contains("complete_folds")) {
    times.complete_folds = times_from_json(json, "complete_folds", where);
  }
  return times;
}

}  // namespace

Json work_to_json(const MeasuredWork& work) {
  Json json{{"start_seconds", work.start}};
  if (work.start_alone) json["start_alone_seconds"] = *work.start_alone;
  if (work.start_reduce) json["start_reduce_seconds"] = *work.start_reduce;
  if (work.start_library > 0) json["start_library_seconds"] = work.start_library;
  if (work.seconds_per_receive > 0) json["seconds_per_receive"] = work.seconds_per_receive;
  if (work.first_cache) {
    json["first_cache"] = {{"elements", work.first_cache->elements},
                           {"more_start_seconds", work.first_cache->more_start}};
  }
  for (const auto& [threads, seconds] : work.wakes) {
    json["wakes"].push_back({{"threads", threads}, {"seconds", seconds}});
  }
  add_times(json, work);
  return json;
}

Json operations_to_json(const std::vector<Machine::MeasuredOperation>& operations) {
  Json rows = Json::array();
  for (const auto& [operation, times] : operations) {
    Json row{{"operation", operation.spec()}};
    add_times(row, times);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Machine::MeasuredOperation> operations_from_json(const Json& json,
                                                             const std::string& list) {
  std::vector<Machine::MeasuredOperation> operations;
  for (const Json& row : json_fields::array(json, list)) {
    const std::string place = text(list, '[', operations.size(), ']');
    const std::string name = json_fields::string(json_fields::member(row, "operation", place),
                                                 place + ": \"operation\"");
    try {
      operations.push_back({make_operation(name), {}});
    } catch (const Error& wrong) {
      throw Error(text(place, ": \"operation\": ", wrong.what()));
    }
    operations.back().times = operation_times(row, place);
    json_fields::check_keys(
        row,
        {"operation", "seconds_per_join", "seconds_per_result", "more_start_seconds",
         "start_in_program_seconds", "folds", "folds_together", "copies", "joins", "vector_folds",
         "partial_folds", "complete_folds"},
        place);
  }
  return operations;
}

MeasuredWork work_from_json(const Json& json, const std::string& where) {
  MeasuredWork work;
  static_cast<OperationTimes&>(work) = operation_times(json, where);
  work.start = number_of(json, "start_seconds", where);
  if (json.contains("start_alone_seconds")) {
    work.start_alone = number_of(json, "start_alone_seconds", where);
  }
  if (json.contains("start_reduce_seconds")) {
    work.start_reduce = number_of(json, "start_reduce_seconds", where);
  }
  if (json.contains("start_library_seconds")) {
    work.start_library = number_of(json, "start_library_seconds", where);
  }
  if (json.contains("seconds_per_receive")) {
    work.seconds_per_receive = number_of(json, "seconds_per_receive", where);
  }
  if (json.contains("first_cache")) {
    const Json& cache = json["first_cache"];
    const std::string place = where + ": \"first_cache\"";
    const Json& elements = json_fields::member(cache, "elements", place);
    work.first_cache = {json_fields::integer(elements, place + ": \"elements\"", 1),
                        number_of(cache, "more_start_seconds", place)};
    json_fields::check_keys(cache, {"elements", "more_start_seconds"}, place);
  }
  if (json.contains("wakes")) {
    const std::string list = where + ": \"wakes\"";
    for (const Json& wake : json_fields::array(json["wakes"], list)) {
      const std::string place = text(list, '[', work.wakes.size(), ']');
      const Json& threads = json_fields::member(wake, "threads", place);
      work.wakes.push_back({json_fields::integer(threads, place + ": \"threads\"", 2),
                            number_of(wake, "seconds", place)});
      json_fields::check_keys(wake, {"threads", "seconds"}, place);
    }
  }
  json_fields::check_keys(
      json,
      {"start_seconds", "start_alone_seconds", "start_reduce_seconds", "start_in_program_seconds",
       "start_library_seconds", "seconds_per_receive", "first_cache", "wakes", "seconds_per_join",
       "seconds_per_result", "more_start_seconds", "folds", "folds_together", "copies", "joins",
       "vector_folds", "partial_folds", "complete_folds"},
      where);
  return work;
}

}  // namespace bracket::model
