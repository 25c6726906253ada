// SPDX-License-Identifier: MIT

#include "mpi/mpi_command.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "bracket/runtime/kernel.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/fnv1a.hpp"
#include "bracket/support/text.hpp"
#include "common/options.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

Agreement agreement_on(const std::string& what, const std::vector<std::string>& words) {
  support::Fnv1a digest;
  for (const std::string& word : words) digest.string(word);
  return {digest.value(), text("the ranks were started with different options: ", what,
                               " must be the same on all of them")};
}

}  // namespace

void start_together(const Communicator& world, const std::string& failure,
                    const CLI::App* command) {
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  if (command != nullptr) {
    for (const CLI::Option* const option : command->get_options()) {
      options.emplace_back(option->get_name(), option->results());
    }
  }
  start_together(world, failure, command == nullptr ? "" : command->get_name(), options);
}

void start_together(const Communicator& world, const std::string& failure,
                    const std::string& command,
                    const std::vector<std::pair<std::string, std::vector<std::string>>>& options) {
  const Agreement subcommand = agreement_on("the subcommand, --help and --version", {command});
  fail_together(world, failure, {&subcommand, 1});
  if (options.empty()) return;
  std::vector<Agreement> agreements;
  for (const auto& [name, words] : options) agreements.push_back(agreement_on(name, words));
  fail_together(world, "", agreements);
}

void on_ranks(CLI::App& command, const Communicator& world, std::function<void()> action) {
  command.callback([action = std::move(action), &world] {
    try {
      action();
    } catch (const CollectiveError&) {
      throw;
    } catch (const std::exception& failure) {
      // The other ranks do not know of the failure and would wait.
      fmt::print(stderr, "bracket: rank {}: {}\n", world.rank(), failure.what());
      MPI_Abort(world.handle(), exit_code_bad_input);
    }
  });
}

void refuse_rank_count(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "-p,--ranks",
          [name = command.get_name()](const std::string& count) {
            throw Error(text("-p ", count, ": the ranks come from the launcher: mpiexec -n ", count,
                             " bracket ", name, " ..."));
          })
      ->group("");  // not in the help
}

namespace {

/// "scalar, portable, avx2 or avx512".
std::string kernel_names() {
  std::string names;
  for (const auto& kernel : runtime::kernels()) {
    if (!names.empty()) names += &kernel == &runtime::kernels().back() ? " or " : ", ";
    names += kernel.name;
  }
  return names;
}

}  // namespace

void add_kernel(CLI::App& command, std::string& kernel) {
  command
      .add_option("--kernel", kernel,
                  text(kernel_names(),
                       ": kernel that adds the elements; if not given here or in BRACKET_KERNEL, "
                       "the fastest that the processor supports"))
      ->type_name("NAME");
}

Order make_sum_order(const std::string& spec, Index elements, const std::string& said) {
  auto order = make_order(spec, elements);
  if (!order.fixed()) {
    throw Error(
        text(said, " ", order.spec(),
             ": a sum of float64 needs an order with a fixed bracketing: ", fixed_orders()));
  }
  return order;
}

void make_room(std::vector<double>& numbers, Range range) {
  try {
    numbers.resize(static_cast<std::size_t>(range.size()));
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw Error(text("no memory for the rank's ", range.size(), " numbers of 8 bytes"));
  }
}

void warn_of_oversubscription(const runtime::Environment& environment, int threads) {
  if (!environment.oversubscribed(threads)) return;
  fmt::print(stderr, "bracket: {}{} share {}: times are those of an oversubscribed machine\n",
             counted(environment.ranks_on_host, "rank"), of_threads(threads),
             counted(environment.cores_available, "core"));
}

void tell_environment(nlohmann::ordered_json& row, const runtime::Environment& environment,
                      int threads) {
  row["oversubscribed"] = environment.oversubscribed(threads);
  row["environment"] = {{"processor", environment.processor},
                        {"mpi_library", environment.mpi_library},
                        {"compiler", environment.compiler},
                        {"ranks_on_host", environment.ranks_on_host},
                        {"cores_available", environment.cores_available},
                        {"shares_memory", environment.shares_memory}};
}

}  // namespace bracket::tools
