// SPDX-License-Identifier: MIT

#include <bit>
#include <cstdint>
#include <cstdio>

#include "support/reference.hpp"
#include "tools/record/recorded.hpp"

namespace fixed_order_mpi_test {

using namespace bracket::testing;

namespace {

/// The environment of the programs: the library, and which all-reduce the MPI library has, by its
/// number in Open MPI.
Words preloaded(const std::string& algorithm = "") {
  Words words{"env", "LD_PRELOAD=" BRACKET_REPRODUCIBLE};
  if (algorithm.empty()) return words;
  const std::string in_mpich = algorithm == "1"   ? "tsp_ring"
                               : algorithm == "3" ? "sched_recursive_doubling"
                                                  : "tsp_tree";
  return words + Words{"OMPI_MCA_coll_tuned_use_dynamic_rules=1",
                       "OMPI_MCA_coll_tuned_allreduce_algorithm=" + algorithm,
                       "MPIR_CVAR_DEVICE_COLLECTIVES=none",
                       "MPIR_CVAR_COLLECTIVE_FALLBACK=silent",
                       "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=nb",
                       "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=" + in_mpich};
}

Words launch(int ranks) {
  return {BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, std::to_string(ranks)};
}

std::string output_of(const Words& command) {
  const auto outcome = run_process(command, with_mpi({}));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome.out;
}

/// The output of `cg mpi ROWS ITERATIONS` if all-reduces add in tree order, by one process without
/// MPI.
class SerialCg {
 public:
  SerialCg(int ranks, std::size_t rows) : ranks_(static_cast<std::size_t>(ranks)), rows_(rows) {}

  [[nodiscard]] std::string history(int iterations) const {
    std::vector<double> residual;
    for (std::size_t row = 0; row < rows_; ++row) {
      residual.push_back(1 / static_cast<double>(row + 1));
    }
    std::vector<double> direction = residual;
    std::vector<double> product(rows_);
    std::string lines;
    double square = dot(residual, residual);
    for (int k = 1; k <= iterations; ++k) {
      for (std::size_t i = 0; i < rows_; ++i) {
        const double left = i > 0 ? direction[i - 1] : 0;
        const double right = i + 1 < rows_ ? direction[i + 1] : 0;
        product[i] = 2 * direction[i] - left - right;
      }
      const double step = square / dot(direction, product);
      for (std::size_t i = 0; i < rows_; ++i) residual[i] -= step * product[i];
      const double next = dot(residual, residual);
      const double share = next / square;
      for (std::size_t i = 0; i < rows_; ++i) direction[i] = residual[i] + share * direction[i];
      square = next;
      char line[40];
      std::snprintf(line, sizeof line, "%d %016llX\n", k,
                    static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(square)));
      lines += line;
    }
    return lines;
  }

 private:
  [[nodiscard]] double dot(const std::vector<double>& x, const std::vector<double>& y) const {
    std::vector<double> sums;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      double sum = 0;
      const std::size_t end = rows_ * (rank + 1) / ranks_;
      for (std::size_t i = rows_ * rank / ranks_; i < end; ++i) sum += x[i] * y[i];
      sums.push_back(sum);
    }
    return tree_sum(sums);
  }

  std::size_t ranks_;
  std::size_t rows_;
};

void check_cg(const std::string& program, int ranks, const std::string& algorithm) {
  CAPTURE(program, ranks, algorithm);
  CHECK(output_of(launch(ranks) + preloaded(algorithm) + Words{program, "mpi", "1000", "20"}) ==
        SerialCg(ranks, 1000).history(20));
}

}  // namespace

TEST_CASE("reproducible: CG has the residuals of a serial emulation of its ranks") {
  check_cg(BRACKET_CG, 3, "1");
}

TEST_CASE("reproducible: CG refuses numbers that it cannot take") {
  for (const std::string program : {BRACKET_CG, BRACKET_CG_FORTRAN}) {
    if (program.empty()) continue;
    for (const char* const rows : {"-1", "0", "1", "nan", "1e400", "9223372036854775808", "100x"}) {
      const auto outcome = run_process(launch(2) + Words{program, "mpi", rows, "2"}, with_mpi({}));
      CAPTURE(program, rows, outcome.err);
      CHECK(outcome.code == 2);
      CHECK((outcome.err.find("a whole number from 1 on was expected") != std::string::npos) ==
            (std::string(rows) != "1"));
      CHECK((outcome.err.find("at least as many rows as ranks") != std::string::npos) ==
            (std::string(rows) == "1"));
    }
    const auto outcome = run_process(launch(2) + Words{program, "none", "9", "2"}, with_mpi({}));
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Catch::Contains("no method none; there are mpi"));
  }
}

TEST_CASE("reproducible: each kind that is left to the MPI library is named once") {
  const auto outcome =
      run_process(launch(3) + preloaded() + Words{BRACKET_RECORD_CALLS_C}, with_mpi({}));
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto lines_with = [&](const std::string& kind) {
    return occurrences(outcome.err, "bracket: the order of " + kind + " is left to");
  };
  for (const char* const kind : {"MPI_Scan", "MPI_Exscan", "MPI_Iallreduce", "MPI_Ireduce",
                                 "reductions by operators of the program"}) {
    CHECK(lines_with(kind) == 1);
  }
  CHECK(lines_with("MPI_Allreduce_init") + lines_with("MPIX_Allreduce_init") == 1);
  CHECK(lines_with("reductions on intercommunicators") == 2);  // of both groups
  CHECK(occurrences(outcome.err, "bracket: ") == 8);
}

TEST_CASE("reproducible in C++ and Fortran on 2, 3, 4 and 5 ranks") {
  for (const int ranks : {2, 3, 4, 5}) {
    check_cg(BRACKET_CG, ranks, "");
    if (std::string(BRACKET_CG_FORTRAN) != "") check_cg(BRACKET_CG_FORTRAN, ranks, "4");
  }
}

TEST_CASE("reproducible in reveal: one order with every setting of the library") {
  for (const auto& [algorithm, collective] : {std::pair{"1", "all-reduce"},
                                              {"3", "all-reduce"},
                                              {"4", "all-reduce"},
                                              {"1", "reduce"},
                                              {"1", "reduce-scatter"}}) {
    CAPTURE(algorithm, collective);
    const auto outcome = run_process(
        launch(5) + preloaded(algorithm) +
            Words{BRACKET_FRONT, "reveal", "--collective", collective, "--items", "1,9", "--json"},
        with_mpi({}));
    for (const Json& row : rows_of(outcome)) {
      CHECK(row.at("tree") == "(((0+1)+(2+3))+4)");
      CHECK(row.at("varies").empty());
    }
  }
}

TEST_CASE("reproducible in reveal and tune --for: the preloaded library is named") {
  const auto words =
      run_process(launch(2) + preloaded() + Words{BRACKET_FRONT, "reveal"}, with_mpi({}));
  CHECK_THAT(words.out, Catch::StartsWith("all-reduce on 2 ranks by libbracket_reproducible.so, "
                                          "which is preloaded before "));
  const auto row = rows_of(run_process(
      launch(2) + preloaded() + Words{BRACKET_FRONT, "reveal", "--json"}, with_mpi({})))[0];
  CHECK(row.at("preloaded") == BRACKET_REPRODUCIBLE);
  const auto scan = rows_of(run_process(
      launch(2) + preloaded() + Words{BRACKET_FRONT, "reveal", "--collective", "scan", "--json"},
      with_mpi({})))[0];
  CHECK_FALSE(scan.contains("preloaded"));
  const auto alone =
      run_process(launch(2) + preloaded() + Words{BRACKET_FRONT, "reveal", "--algorithms", "all"},
                  with_mpi({}));
  CHECK(alone.code == 2);
  const Scratch scratch;
  Setting setting;
  setting.environment = {{"LD_PRELOAD", BRACKET_REPRODUCIBLE}};
  const std::string library =
      row.at("library").get<std::string>().starts_with("Open") ? "openmpi" : "mpich";
  check_refused(cli({"tune", "--for", library, "-p", "2", "--items", "1,9", "--oversubscribe", "-o",
                     (scratch.path() / "rules").string()},
                    setting),
                BRACKET_REPRODUCIBLE " is preloaded and gets the calls before ");
  CHECK(names_in(scratch.path()).empty());
}

TEST_CASE("reproducible in a recorded program: the recorder sees the reductions") {
  const Scratch scratch;
  for (const std::string algorithm : {"1", "3"}) {
    const auto folder = (scratch.path() / algorithm).string();
    output_of(launch(3) + preloaded(algorithm) +
              Words{BRACKET_FRONT, "record", "-o", folder, "--", BRACKET_CG, "mpi", "1000", "8"});
  }
  const auto equal = rows_of(
      cli({"diff", (scratch.path() / "1").string(), (scratch.path() / "3").string(), "--json"}));
  REQUIRE(equal.size() == 1);
  CHECK(equal[0].at("diverged") == false);
  CHECK(equal[0].at("calls") == 17);
}

}  // namespace fixed_order_mpi_test
