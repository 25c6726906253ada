// SPDX-License-Identifier: MIT

#include "tune/rule_file.hpp"

#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace rule_file_test {

using namespace bracket::tools;
using Catch::Contains;
using Json = nlohmann::ordered_json;

TEST_CASE("rules for Open MPI are in the form of its component tuned") {
  const std::vector<RankRules> ranks{
      {4, {{0, "recursive_doubling", 3}, {512, "segmented_ring:65536", 5}}},
      {5, {{0, "linear", 1}}},
      {8, {{0, "rabenseifner", 6}}}};
  // Collective 2 is ALLREDUCE. A line of a rule has bytes, algorithm, fan-out and segments.
  CHECK(open_mpi_rules(SumCollective::all_reduce, ranks, {"one order"}) ==
        "# one order\n"
        "1  # collectives\n"
        "2  # all-reduce\n"
        "6  # numbers of ranks\n"
        "0 1  # from 0 ranks on, number of rules\n"
        "0 0 0 0  # bytes, the library's own choice\n"
        "4 2  # from 4 ranks on, number of rules\n"
        "0 3 0 0  # bytes, recursive_doubling\n"
        "4096 5 0 65536  # bytes, segmented_ring:65536\n"
        "5 1  # from 5 ranks on, number of rules\n"
        "0 1 0 0  # bytes, linear\n"
        "6 1  # from 6 ranks on, number of rules\n"
        "0 0 0 0  # bytes, the library's own choice\n"
        "8 1  # from 8 ranks on, number of rules\n"
        "0 6 0 0  # bytes, rabenseifner\n"
        "9 1  # from 9 ranks on, number of rules\n"
        "0 0 0 0  # bytes, the library's own choice\n");
  // A chain has 4 children, as the library's variable has it by default. REDUCE is 11.
  CHECK(open_mpi_rules(SumCollective::reduce, {{2, {{0, "chain:32768", 2}}}}, {}) ==
        "1  # collectives\n"
        "11  # reduce\n"
        "3  # numbers of ranks\n"
        "0 1  # from 0 ranks on, number of rules\n"
        "0 0 0 0  # bytes, the library's own choice\n"
        "2 1  # from 2 ranks on, number of rules\n"
        "0 2 4 32768  # bytes, chain:32768\n"
        "3 1  # from 3 ranks on, number of rules\n"
        "0 0 0 0  # bytes, the library's own choice\n");
  CHECK_THAT(open_mpi_rules(SumCollective::reduce_scatter, {{2, {{0, "ring", 3}}}}, {}),
             Contains("12  # reduce-scatter\n"));
  CHECK_THROWS_WITH(open_mpi_rules(SumCollective::scan, {}, {}), Contains("not for scan"));
}

TEST_CASE("rules for MPICH replace one collective in its selection") {
  const auto selection = Json::parse(R"({
    "collective=bcast": {"algorithm=MPIR_Bcast_intra_binomial": {}},
    "collective=allreduce": {
      "comm_type=intra": {"algorithm=MPIR_Allreduce_intra_smp": {}},
      "comm_type=inter": {"algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast": {}}}})");
  const std::vector<RankRules> ranks{
      {3, {{0, "recursive_doubling", 3}}},
      {4, {{0, "recursive_doubling", 3}, {100, "reduce_scatter_allgather", 4}}}};
  const auto expected = Json::parse(R"({
    "collective=bcast": {"algorithm=MPIR_Bcast_intra_binomial": {}},
    "collective=allreduce": {
      "comm_type=intra": {
        "comm_size<=2": {"algorithm=MPIR_Allreduce_intra_smp": {}},
        "comm_size<=3": {
          "is_op_built_in=yes": {
            "avg_msg_size=any": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}},
          "is_op_built_in=no": {"algorithm=MPIR_Allreduce_intra_smp": {}}},
        "comm_size<=4": {
          "is_op_built_in=yes": {
            "avg_msg_size<=799": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
            "avg_msg_size=any": {
              "count<pow2": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
              "count=any": {"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather": {}}}},
          "is_op_built_in=no": {"algorithm=MPIR_Allreduce_intra_smp": {}}},
        "comm_size=any": {"algorithm=MPIR_Allreduce_intra_smp": {}}},
      "comm_type=inter": {"algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast": {}}}})");
  const auto written = mpich_rules(selection, SumCollective::all_reduce, ranks);
  // MPICH takes the first condition that holds, so that the sequence matters.
  CHECK(Json::parse(written).dump() == expected.dump());
  CHECK_THROWS_WITH(mpich_rules(selection, SumCollective::reduce, ranks),
                    Contains("no collective=reduce"));
}

TEST_CASE("a file for MPICH never ends at the end of a page") {
  // MPICH maps the file into memory, and needs a zero byte after it.
  const auto size_with = [](std::size_t more) {
    const Json selection{{"collective=reduce",
                          {{"comm_type=intra", {{"algorithm=MPIR_Reduce_intra_smp", {}}}},
                           {"comm_type=inter", {{std::string(more, 'x'), {}}}}}}};
    return mpich_rules(selection, SumCollective::reduce, {{2, {{0, "binomial", 2}}}}).size();
  };
  const std::size_t page = 4096;
  const std::size_t more = page - size_with(0) % page;
  CHECK(size_with(more - 1) % page == page - 1);
  CHECK(size_with(more) % page == 1);
  CHECK(size_with(more + 1) % page == 1);
}

TEST_CASE("the selection of MPICH is found in its library") {
  const std::string of_device = R"({"collective=allreduce":{"algorithm=MPIDI_x":{}}})";
  const std::string own = R"({"collective=allreduce":{"algorithm=MPIR_Allreduce_intra_smp":{}}})";
  const std::string zero(1, '\0');
  CHECK(selection_in("code" + zero + of_device + zero + own + zero + "code", "lib.so").dump() ==
        own);
  for (const std::string& other : {std::string(), of_device + zero, own.substr(0, 60) + zero}) {
    CHECK_THROWS_WITH(selection_in(other, "lib.so"),
                      "lib.so: it has no selection of algorithms: the library of MPICH 4 was "
                      "expected");
  }
}

TEST_CASE("the environment names the file of rules") {
  using Settings = std::vector<std::string>;
  CHECK(rule_settings(MpiLibrary::open_mpi, SumCollective::reduce, "/x y") ==
        Settings{"OMPI_MCA_coll_tuned_use_dynamic_rules=1",
                 "OMPI_MCA_coll_tuned_dynamic_rules_filename=/x y"});
  CHECK(rule_settings(MpiLibrary::mpich, SumCollective::all_reduce, "/x") ==
        Settings{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=/x",
                 "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE=0"});
}

}  // namespace rule_file_test
