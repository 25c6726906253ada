// SPDX-License-Identifier: MIT

#include "bracket/model/machine_json.hpp"

#include <nlohmann/json.hpp>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace machine_json_test {

using namespace bracket;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

const NamedMachine example{"a", "b", {1, 2, 3, 4, 5, 8, 6, 7}};

std::string refusal(const Json& json) {
  try {
    machine_from_json(json);
  } catch (const Error& failure) {
    return failure.what();
  }
  return "accepted";
}

Json changed(const char* key, const Json& value) {
  Json json = to_json(example);
  json[key] = value;
  return json;
}

}  // namespace

TEST_CASE("a machine as JSON and back") {
  const auto back = machine_from_json(Json::parse(to_json(example).dump()));
  CHECK(back.name == "a");
  CHECK(back.source == "b");
  CHECK(back.machine.latency == 1);
  CHECK(back.machine.overhead == 2);
  CHECK(back.machine.gap == 3);
  CHECK(back.machine.gap_per_byte == 4);
  CHECK(back.machine.seconds_per_addition == 5);
  CHECK(back.machine.overhead_per_byte == 6);
  CHECK(back.machine.eager_bytes == 7);
  NamedMachine unlimited = example;
  unlimited.machine.eager_bytes = Machine().eager_bytes;
  CHECK(to_json(unlimited).at("eager_bytes").is_null());
  CHECK(machine_from_json(to_json(unlimited)).machine.eager_bytes == Machine().eager_bytes);
}

TEST_CASE("a machine of nodes as JSON and back") {
  NamedMachine machine = example;
  machine.machine.inside_node = MessageCosts{9, 10, 11, 12};
  const Json json = to_json(machine);
  CHECK_FALSE(to_json(example).contains("inside_node"));
  CHECK(machine_from_json(Json::parse(json.dump())).machine.inside_node ==
        machine.machine.inside_node);
  const auto refusal_inside = [&](const char* key, const Json& value) {
    Json other = json;
    other["inside_node"][key] = value;
    return refusal(other);
  };
  CHECK_THAT(refusal_inside("gap_seconds", -1), Contains("inside a node: gap in seconds"));
  CHECK_THAT(refusal_inside("gap_seconds", "no"), Contains("\"inside_node\": \"gap_seconds\""));
  CHECK_THAT(refusal_inside("eager_bytes", 1), Contains("\"eager_bytes\" has no place"));
  CHECK_THAT(refusal(changed("inside_node", 1)), Contains("\"inside_node\""));
}

TEST_CASE("measured work as JSON and back, and the record of a measurement") {
  NamedMachine machine = example;
  machine.machine.work =
      MeasuredWork{{2e-9,
                    {{1, 3e-9}, {1024, 1e-7}},
                    {{2, {{1, 4e-9}}, {{64, 2e-8}, {128, 3e-8}}}, {8, {{1, 5e-9}, {2, 6e-9}}}},
                    {{16, 1e-9}},
                    {{32, 1e-8}, {64, 3e-8}},
                    {{64, 1e-8}, {128, 2e-8}},
                    {{4, 2e-8}, {8, 3e-8}},
                    {{1, 1e-9}, {16, 9e-9}},
                    3e-10,
                    6e-8,
                    7e-7},
                   1e-9,
                   5e-10,
                   4e-10,
                   MeasuredWork::FirstCache{6144, 2e-7},
                   {{2, 1e-6}, {4, 2e-6}},
                   8e-9,
                   9e-9};
  machine.machine.cold_messages = {{8, 1e-7, 2e-7, 3e-6, 4e-7}};
  machine.machine.cache_bytes = 1 << 20;
  const Json json = to_json(machine);
  CHECK_FALSE(to_json(example).contains("work"));
  const Machine back = machine_from_json(Json::parse(json.dump())).machine;
  CHECK(back.work == machine.machine.work);
  CHECK(back.cold_messages == machine.machine.cold_messages);
  CHECK(back.cache_bytes == machine.machine.cache_bytes);
  CHECK_FALSE(to_json(example).contains("cache_bytes"));
  const auto refusal_of_work = [&](const char* pointer, const Json& value) {
    Json other = json;
    other[Json::json_pointer(pointer)] = value;
    return refusal(other);
  };
  CHECK_THAT(refusal_of_work("/work", 1), Contains("\"work\": an object was expected"));
  CHECK_THAT(refusal_of_work("/work/folds", 1), Contains("\"work\": \"folds\": an array"));
  CHECK_THAT(refusal_of_work("/work/folds", Json::array()), Contains("without a measured fold"));
  CHECK_THAT(refusal_of_work("/work/folds/1/elements", 1), Contains("more than the 1"));
  CHECK_THAT(refusal_of_work("/work/folds/1/elements", 1.5),
             Contains("\"folds\"[1]: \"elements\": an integer"));
  CHECK_THAT(refusal_of_work("/work/folds/0/seconds", "1"), Contains("[0]: \"seconds\""));
  CHECK_THAT(refusal_of_work("/work/folds/0/more", 1), Contains("\"more\" has no place"));
  CHECK_THAT(refusal_of_work("/work/more", 1), Contains("\"more\" has no place"));
  CHECK_THAT(refusal_of_work("/work/start_seconds", -1), Contains("start in seconds"));
  CHECK_THAT(refusal_of_work("/work/start_alone_seconds", -1), Contains("on one rank"));
  CHECK_THAT(refusal_of_work("/work/start_reduce_seconds", -1), Contains("start of a reduce"));
  CHECK_THAT(refusal_of_work("/work/start_in_program_seconds", -1), Contains("without a barrier"));
  CHECK_THAT(refusal_of_work("/work/start_library_seconds", -1), Contains("library's all-reduce"));
  CHECK_THAT(refusal_of_work("/work/seconds_per_receive", -1), Contains("each receive of a run"));
  CHECK_THAT(refusal_of_work("/work/first_cache/elements", 0), Contains("\"first_cache\""));
  CHECK_THAT(refusal_of_work("/work/first_cache/more_start_seconds", -1), Contains("longer start"));
  CHECK_THAT(refusal_of_work("/work/first_cache/more", 1), Contains("\"more\" has no place"));
  CHECK_THAT(refusal_of_work("/work/copies/0/seconds", "1"),
             Contains("\"copies\"[0]: \"seconds\""));
  CHECK_THAT(refusal_of_work("/work/joins/1/seconds", 1e-9), Contains("a join of 64 elements"));
  CHECK_THAT(refusal_of_work("/work/vector_folds/1/seconds", 1e-9),
             Contains("a fold of vectors of 128 elements"));
  CHECK_THAT(refusal_of_work("/work/partial_folds/1/seconds", 1e-9),
             Contains("a fold of partials of 8 elements"));
  CHECK_THAT(refusal_of_work("/work/complete_folds/1/elements", 1),
             Contains("a complete fold of 1 elements"));
  CHECK_THAT(refusal_of_work("/work/seconds_per_result", -1), Contains("seconds per result"));
  CHECK_THAT(refusal_of_work("/work/more_start_seconds", -1),
             Contains("the longer start of an operation"));
  CHECK_THAT(refusal_of_work("/work/wakes", 1), Contains("\"wakes\": an array"));
  CHECK_THAT(refusal_of_work("/work/wakes/0/threads", 1), Contains("\"wakes\"[0]: \"threads\""));
  CHECK_THAT(refusal_of_work("/work/wakes/1/threads", 2), Contains("more than the 2"));
  CHECK_THAT(refusal_of_work("/work/wakes/1/seconds", -1), Contains("wake threads"));
  CHECK_THAT(refusal_of_work("/work/wakes/0/more", 1), Contains("\"more\" has no place"));
  CHECK_THAT(refusal_of_work("/work/folds_together/1/ranks", 2), Contains("more than the 2"));
  CHECK_THAT(refusal_of_work("/work/folds_together/0/folds", Json::array()),
             Contains("no measured fold of 2 ranks"));
  CHECK_THAT(refusal_of_work("/work/folds_together/0/vector_folds/1/seconds", 1e-12),
             Contains("a fold of vectors of 128 elements"));
  CHECK_THAT(refusal_of_work("/work/vector_folds", Json::array()),
             Contains("folds of vectors of 2 ranks at once, but none of one rank alone"));
  CHECK_THAT(refusal_of_work("/work/folds_together/0/more", 1),
             Contains("\"folds_together\"[0]") && Contains("\"more\" has no place"));
  CHECK_THAT(refusal_of_work("/cache_bytes", -1), Contains("caches of -1 bytes"));
  CHECK_THAT(refusal_of_work("/cold_messages/0/gap_seconds", 0), Contains("left the caches"));

  CHECK(refusal(changed("kernels", Json::array({Json{{"bytes", 8}}}))) == "accepted");
  CHECK_THAT(refusal(changed("kernels", 1)), Contains("\"kernels\": an array was expected"));
  for (const char* object : {"residuals", "rounds", "environment"}) {
    CHECK(refusal(changed(object, Json{{"a", 8}})) == "accepted");
    CHECK_THAT(refusal(changed(object, 1)), Contains(object) && Contains("an object was expected"));
  }
}

TEST_CASE("measured operations as JSON and back") {
  NamedMachine machine = example;
  machine.machine.work = MeasuredWork{{1e-9, {{1, 1e-9}}}};
  machine.machine.operations = {
      {make_operation("binned:4/float32"),
       {2e-9, {{1, 3e-9}, {64, 1e-7}}, {{2, {{1, 4e-9}}}}, {{16, 1e-9}}, {{32, 1e-8}}}},
      {make_operation("checked/maximum/int64"), {1e-9, {{1, 1e-9}}}}};
  machine.machine.operations[0].times.start_in_program = 5e-8;
  const Json json = to_json(machine);
  CHECK_FALSE(to_json(example).contains("operations"));
  CHECK(json.at("operations").at(0).at("operation") == "binned:4/sum/float32");
  CHECK(machine_from_json(Json::parse(json.dump())).machine.operations ==
        machine.machine.operations);
  const auto refusal_of = [&](const char* pointer, const Json& value) {
    Json other = json;
    other[Json::json_pointer(pointer)] = value;
    return refusal(other);
  };
  CHECK_THAT(refusal_of("/operations", 1), Contains("\"operations\": an array was expected"));
  CHECK_THAT(refusal_of("/operations/1", 1), Contains("\"operations\"[1]"));
  CHECK_THAT(refusal_of("/operations/1/operation", "summe"),
             Contains("\"operations\"[1]: \"operation\": 'summe' is no algorithm"));
  CHECK_THAT(refusal_of("/operations/1/operation", "binned/int32"), Contains("for floats"));
  CHECK_THAT(refusal_of("/operations/1/operation", 3), Contains("a string was expected"));
  CHECK_THAT(refusal_of("/operations/1/operation", "float32/binned:4"),
             Contains("already has times for this operation"));
  CHECK_THAT(refusal_of("/operations/1/operation", "float64"), Contains("already has times"));
  Json without_work = json;
  without_work.erase("work");
  CHECK_THAT(refusal(without_work), Contains("without those of the sum of float64"));
  CHECK_THAT(refusal_of("/operations/0/more", 1), Contains("\"more\" has no place"));
  CHECK_THAT(refusal_of("/operations/0/start_in_program_seconds", -1),
             Contains("binned:4/sum/float32: the start of a run without a barrier"));
  CHECK_THAT(refusal_of("/operations/0/folds", Json::array()),
             Contains("binned:4/sum/float32: measured work without a measured fold"));
  CHECK_THAT(refusal_of("/operations/0/folds/1/seconds", 1e-9), Contains("less than one of 1"));
}

TEST_CASE("measured messages as JSON and back") {
  NamedMachine machine = example;
  machine.machine.messages = {{8, 1, 2, 3, 4}, {16, 5, 6, 7, 8, 9}};
  machine.machine.library_messages = {{8, 2, 2, 6, 4}};
  machine.machine.inside_node = MessageCosts{
      .latency = 9, .measured = {{1, 10, 11, 12, 13}}, .library = {{1, 20, 11, 22, 13}}};
  const Json json = to_json(machine);
  CHECK_FALSE(to_json(example).contains("messages"));
  CHECK_FALSE(to_json(example).contains("library_messages"));
  const Machine back = machine_from_json(Json::parse(json.dump())).machine;
  CHECK(back.messages == machine.machine.messages);
  CHECK(back.library_messages == machine.machine.library_messages);
  CHECK_FALSE(json.at("messages")[0].contains("exchange_seconds"));
  CHECK(json.at("messages")[1].at("exchange_seconds") == 9);
  CHECK(back.inside_node == machine.machine.inside_node);
  const auto refusal_of = [&](const char* pointer, const Json& value) {
    Json other = json;
    other[Json::json_pointer(pointer)] = value;
    return refusal(other);
  };
  CHECK_THAT(refusal_of("/messages", 1), Contains("\"messages\": an array was expected"));
  CHECK_THAT(refusal_of("/messages/1/bytes", 8), Contains("messages of 8 bytes"));
  CHECK_THAT(refusal_of("/messages/0/bytes", 0), Contains("\"messages\"[0]: \"bytes\""));
  CHECK_THAT(refusal_of("/messages/0/gap_seconds", 0),
             Contains("messages of 8 bytes") && Contains("more than 0"));
  CHECK_THAT(refusal_of("/messages/0/gap_seconds", "x"),
             Contains("\"messages\"[0]: \"gap_seconds\""));
  for (const int seconds : {0, -1}) {
    CHECK_THAT(refusal_of("/messages/1/exchange_seconds", seconds), Contains("exchange"));
  }
  CHECK_THAT(refusal_of("/messages/1/exchange_seconds", "x"),
             Contains("\"messages\"[1]: \"exchange_seconds\""));
  CHECK_THAT(refusal_of("/messages/0/more", 1), Contains("\"more\" has no place"));
  CHECK_THAT(refusal_of("/inside_node/messages/0/round_trip_seconds", -1),
             Contains("inside a node: messages of 1 bytes"));
  CHECK_THAT(refusal_of("/inside_node/messages/0/bytes", "x"),
             Contains("\"inside_node\": \"messages\"[0]: \"bytes\""));
  CHECK_THAT(refusal_of("/library_messages/0/gap_seconds", 0),
             Contains("of the MPI library, messages of 8 bytes"));
  CHECK_THAT(refusal_of("/library_messages", 1), Contains("\"library_messages\": an array"));
  CHECK_THAT(refusal_of("/inside_node/library_messages/0/bytes", "x"),
             Contains("\"inside_node\": \"library_messages\"[0]: \"bytes\""));
  CHECK_THAT(refusal_of("/inside_node/messages", Json::array()),
             Contains("inside a node: measured messages of the MPI library, but no others"));
  CHECK_THAT(refusal_of("/messages", Json::array()),
             Contains("measured messages of the MPI library, but no others"));
}

TEST_CASE("the messages of a machine of version 1 are a record that no model asks for") {
  Json old = changed("version", 1);
  old["messages"] = Json::array({Json{{"bytes", 8}, {"else", "what"}}});
  CHECK(machine_from_json(old).machine.messages.empty());
  old["messages"] = 1;
  CHECK_THAT(refusal(old), Contains("\"messages\": an array was expected"));
}

TEST_CASE("what is no machine is refused") {
  CHECK_THAT(refusal(Json::array()), Contains("object"));
  CHECK_THAT(refusal(changed("format", "bracket-schedule")), Contains("bracket-machine"));
  CHECK_THAT(refusal(changed("version", 0)), Contains("is 0; this program reads 1 to 2"));
  CHECK_THAT(refusal(changed("version", 3)), Contains("is 3; this program reads 1 to 2"));
  CHECK_THAT(refusal(changed("latency_seconds", "fast")), Contains("\"latency_seconds\""));
  CHECK_THAT(refusal(changed("gap_seconds", -1)), Contains("gap in seconds"));
  CHECK_THAT(refusal(changed("eager_bytes", "all")), Contains("\"eager_bytes\""));
  CHECK_THAT(refusal(changed("latency", 1)), Contains("\"latency\" has no place"));
  Json without = to_json(example);
  without.erase("gap_seconds");
  CHECK_THAT(refusal(without), Contains("\"gap_seconds\" is missing"));
}

TEST_CASE("the machines that come along") {
  const std::filesystem::path folder(BRACKET_MACHINES);
  const auto thesis = read_machine(folder / "thesis.json").machine;
  const Machine defaults;
  CHECK(thesis.latency == defaults.latency);
  CHECK(thesis.overhead == defaults.overhead);
  CHECK(thesis.gap == defaults.gap);
  CHECK(thesis.gap_per_byte == defaults.gap_per_byte);
  CHECK(thesis.seconds_per_addition == defaults.seconds_per_addition);
  CHECK(thesis.eager_bytes == defaults.eager_bytes);
  CHECK(read_machine(folder / "loggopsim.json").machine.eager_bytes == 65535);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    CHECK(read_machine(file.path()).name == file.path().stem());
    CHECK_FALSE(read_machine(file.path()).source.empty());
  }
  CHECK_THROWS_WITH(read_machine(folder / "none.json"), Contains("none.json"));
}

}  // namespace machine_json_test
