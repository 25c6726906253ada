// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/digest.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "mpi/reducer_settings.hpp"
#include "rows/row_table.hpp"
#include "run/reducer_input.hpp"
#include "run/run_command.hpp"

namespace bracket::tools {

namespace {

/// The results of all fields.
using ResultBytes = std::vector<std::byte>;

/// `run_reducers` on one rank.
class ReducerRun {
 public:
  ReducerRun(const RunOptions& options, const Communicator& world)
      : options_(options),
        world_(world),
        speaks_(world.rank() == 0),
        environment_(runtime::environment(world)),
        table_(run_columns({{"result", "result"},
                            {"result_index", "index"},
                            {"result_set", "digest of the set"},
                            {"result_sequence", "digest of the sequence"},
                            {"result_hex", "hexadecimal"},
                            {"result_bits", "bits"},
                            {"result_digest", "digest of the bits"}}),
               options.json) {}

  void run() {
    together(world_, [&] {
      kernel_ = &runtime::select_kernel(options_.kernel);
      check_reducible(options_);
      input_.emplace(options_.input, options_.arithmetic.element_type(), fields());
      options_.schedule.take_tuned(input_->elements(), world_.size());
      asked_ = make_request(options_, input_->elements());
      make_distributions();
    });
    agree_on_input(world_, input_->input());
    make_candidates();
    std::vector<Range> ranges;
    for (const Distribution& held : distributions_) ranges.push_back(held.range(world_.rank()));
    input_->read(ranges, world_);
    elements_digest_ = elements_digest(world_, input_->digest(ranges.front()));
    introduce();
    measure();
    if (speaks_) table_.finish();
  }

 private:
  /// A measured candidate: a plan over a distribution.
  struct ReducerCandidate {
    std::string plan;
    std::string distribution;
    Range held;  // elements on this rank
    std::unique_ptr<AnyReducer> reducer;
    ResultBytes result;
    std::vector<FieldArrays> arrays{};  // of each field, once the elements are read
    Index runs = 0;
  };

  void make_distributions() {
    if (options_.given) {
      options_.check_given(input_->elements(), world_.size());
      distributions_.push_back(options_.given->distribution);
      return;
    }
    for (const auto& name : options_.schedule.distributions) {
      distributions_.push_back(
          options_.schedule.distribution(name, input_->elements(), world_.size()));
    }
  }

  /// Makes all reducers before any time-consuming measurement.
  void make_candidates() {
    const std::size_t result =
        static_cast<std::size_t>(fields()) * result_bytes(asked_.type, asked_.op);
    if (const auto& given = options_.given) {
      Settings settings;
      settings.threads = options_.threads;
      settings.kernel = options_.kernel;
      candidates_.push_back(
          {given->plan, options_.schedule_file, given->distribution.range(world_.rank()),
           make_reducer(world_.handle(), asked_.type, asked_.op, *given, &*given, settings),
           ResultBytes(result)});
      return;
    }
    for (std::size_t i = 0; i < distributions_.size(); ++i) {
      const Range held = distributions_[i].range(world_.rank());
      const std::vector<Field> fields(static_cast<std::size_t>(this->fields()),
                                      Field(Layout::contiguous(held.size()), distributions_[i]));
      for (const std::string& plan : asked_.plans) {
        Settings settings = asked_.settings;
        settings.plan = plan;
        candidates_.push_back(
            {plan, options_.schedule.distributions[i], held,
             make_reducer(world_.handle(), asked_.type, asked_.op, fields, settings),
             ResultBytes(result)});
      }
    }
  }

  [[nodiscard]] std::string kernel_words() const {
    return asked_.of_integers() ? "" : fmt::format(", kernel {}", kernel_->name);
  }

  void introduce() const {
    if (!speaks_) return;
    if (!options_.json) {
      std::cout << fmt::format("{} ({}) on {}{}, {} of {} by {}{}, {}\n",
                               counted(input_->elements(), "element") +
                                   (fields() > 1 ? text(" in ", fields(), " fields") : ""),
                               input_->description(), counted(world_.size(), "rank"),
                               of_threads(options_.threads), name_of(asked_.op),
                               name_of(asked_.type), asked_.algorithm, kernel_words(),
                               environment_.mpi_library)
                << std::flush;
    }
    warn_of_oversubscription(environment_, options_.threads);
  }

  void measure() {
    std::vector<std::function<void()>> actions;
    for (ReducerCandidate& candidate : candidates_) {
      for (std::size_t field = 0; field < candidate.reducer->fields(); ++field) {
        candidate.arrays.push_back(input_->arrays(field, candidate.held));
      }
      actions.emplace_back([&candidate] {
        candidate.reducer->run(
            candidate.arrays.size(), [&](std::size_t field) { return candidate.arrays[field]; },
            candidate.result.data(), candidate.arrays.size());
        ++candidate.runs;
      });
    }
    if (asked_.settings.checked) {
      // Run once before the measurement, in which other ranks would wait: a result that does not
      // fit is an error only on the ranks that get the result.
      for (const auto& reduce : actions) together(world_, reduce);
    }
    const auto samples = tools::measure(
        world_, actions, options_.measurement, options_.input.seed, speaks_ ? &progress_ : nullptr,
        counted(static_cast<std::int64_t>(candidates_.size()), "candidate"));
    for (std::size_t i = 0; i < candidates_.size(); ++i) tell(candidates_[i], samples[i]);
  }

  void tell(const ReducerCandidate& candidate, const runtime::Samples& samples) {
    nlohmann::ordered_json whole = told_to_all(*candidate.reducer, candidate.result);
    const Index messages =
        messages_of_a_run(world_, candidate.reducer->messages_sent(), candidate.runs);
    if (!speaks_) return;
    nlohmann::ordered_json row{
        {"input", input_->description()},      {"elements", input_->elements()},
        {"elements_digest", elements_digest_}, {"ranks", world_.size()},
        {"algorithm", asked_.algorithm},       {"op", name_of(asked_.op)},
        {"type", name_of(asked_.type)}};
    if (asked_.settings.widened) row["widened"] = true;
    if (asked_.settings.checked) row["checked"] = true;
    row["plan"] = candidate.plan;
    row["distribution"] = candidate.distribution;
    if (!asked_.of_integers()) row["kernel"] = kernel_->name;
    row["threads"] = options_.threads;
    options_.schedule.tell(row);
    row["messages"] = messages;
    row.update(whole);
    tell_times(row, samples, options_.measurement);
    tell_environment(row, environment_, options_.threads);
    table_.row(std::move(row));
  }

  /// Returns the root's result for a row, the same on every rank. Throws `CollectiveError` if
  /// another rank has a different result.
  nlohmann::ordered_json told_to_all(const AnyReducer& reducer, const ResultBytes& mine) const {
    const Rank root = options_.schedule.delivery.root;
    ResultBytes theirs = mine;
    check_mpi(
        MPI_Bcast(theirs.data(), static_cast<int>(theirs.size()), MPI_BYTE, root, world_.handle()),
        "MPI_Bcast");
    nlohmann::ordered_json told;
    nlohmann::ordered_json own;
    tell_result(told, asked_.type, asked_.op, theirs);
    tell_result(own, asked_.type, asked_.op, mine);
    together(world_, [&] {
      if (reducer.delivers() && own.dump() != told.dump()) {
        throw Error(fmt::format("has {}, rank {} has {}", own.dump(), root, told.dump()));
      }
    });
    return told;
  }

  /// Number of fields, at least 1.
  [[nodiscard]] Index fields() const { return options_.schedule.items.count; }

  RunOptions options_;
  const Communicator& world_;
  bool speaks_;
  runtime::Environment environment_;
  RowTable table_;
  Progress progress_;
  const runtime::Kernel* kernel_ = nullptr;
  std::optional<ReducerInput> input_;
  std::string elements_digest_;
  ReducerRequest asked_;
  std::vector<Distribution> distributions_;
  std::vector<ReducerCandidate> candidates_;
};

}  // namespace

void run_reducers(const RunOptions& options, const Communicator& world) {
  ReducerRun(options, world).run();
}

}  // namespace bracket::tools
