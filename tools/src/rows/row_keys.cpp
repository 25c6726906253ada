// SPDX-License-Identifier: MIT

#include "rows/row_keys.hpp"

#include <array>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "models/cost_models.hpp"

namespace bracket::tools {

namespace {

using Entries = std::vector<RowKeyEntry>;

/// Returns the entries that `entries_of` gives for each cost model.
template <class EntriesOf>
Entries for_each_model(EntriesOf entries_of) {
  Entries all;
  for (const CostModel& model : cost_models()) {
    for (RowKeyEntry& entry : entries_of(model)) all.push_back(std::move(entry));
  }
  return all;
}

Entries keys_of_predictions(const CostModel& model) {
  const auto& [key, meaning] = model.seconds;
  Entries entries{{key, KeyType::number, "seconds", std::string(meaning)}};
  const auto& [tuned, meaning_of_tuned] = model.tuned;
  if (tuned != std::string_view(key)) {
    entries.push_back({tuned, KeyType::number, "seconds", std::string(meaning_of_tuned)});
  }
  return entries;
}

Entries keys_of_errors(const CostModel& model) {
  return {{model.error_key(), KeyType::number, "ratio",
           text(model.seconds.key, " divided by measured_seconds, minus 1")}};
}

Entries keys_of_correlations(const CostModel& model) {
  return {{model.correlation_key(), KeyType::number, "",
           text("Kendall's tau of ", model.seconds.key, " and measured_seconds")}};
}

Entries asked_and_counted() {
  using enum KeyType;
  return {
      // Settings.
      {"elements", integer, "elements", "N"},
      {"ranks", integer, "ranks", "p"},
      {"items", integer, "numbers", "numbers in an element"},
      {"fields", integer, "", "arrays of the elements that are reduced together, if several"},
      {"from", integer, "elements", "smallest N that a tuned plan is for"},
      {"to", integer, "elements", "largest N that a tuned plan is for"},
      {"input", text, "", "where the elements come from"},
      {"elements_digest", text, "", "digest of the elements in their sequence"},
      {"order", text, "", "bracketing of the elements"},
      {"distribution", text, "", "elements of each rank: a name or a file"},
      {"rank_order", text, "", "permutation of the ranks; absent: the identity"},
      {"plan", text, "", "messages between the ranks"},
      {"collective", text, "", "reduce, all-reduce or reduce-scatter"},
      {"root", integer, "",
       "the rank that has the result of a reduce; for `cost`, its position in the communicator"},
      {"op", text, "", "the operator"},
      {"type", text, "", "type of the elements"},
      {"algorithm", text_or_null, "",
       "method to compute the result; for `reveal`, the first of `algorithms`, null if there is "
       "none"},
      {"implementation", text, "", "implementation of the measured all-reduce algorithm"},
      {"bytes", integer, "bytes", "size of the vector on each rank"},
      {"published", object, "", "other columns of a published table"},
      {"products", flag, "", "elements are multiplied by factors before they are added"},
      {"layout", text, "", "rows with ghosts, `ghosted:CELLS`; absent: elements side by side"},
      {"widened", flag, "", "float32 elements are summed in float64"},
      {"checked", flag, "", "integers that do not fit are an error"},
      {"candidate", text, "", "candidate that bench measures"},
      {"kernel", text, "", "kernel that adds a rank's elements"},
      {"threads", integer, "", "threads on each rank that reduce its elements"},
      {"seed", integer, "", "seed of synthetic elements or random quantities"},
      {"repetitions", integer, "", "measured rounds, each with a sample of each candidate"},
      {"warm_up", integer, "", "rounds before the measured rounds"},
      {"calls_per_sample", integer, "", "reductions in a sample; a sample is their mean time"},
      {"cold", flag, "", "the caches were emptied before each reduction"},
      {"starts", integer, "", "times that a launcher started the measurement"},
      {"objective", text, "", "cost that a tuner minimises"},
      {"engine", text, "", "simulation engine"},
      {"platform", text, "", "nodes and links: a name or a file"},
      {"cores", integer, "cores", "cores of each node; absent: 1"},
      {"placement", text, "", "assignment of ranks to nodes; absent: block, with one core each"},
      {"late", text, "seconds", "skew: delay of a rank's beginning"},
      {"slow", text, "ratio", "slowdown: share by which all work of a rank takes longer"},
      {"noise", text, "ratio", "jitter: share by which the work between two messages takes longer"},
      {"watts", text, "watts", "power of a node: idle, one core, all cores"},
      {"link_watts", text, "watts", "power of a link: idle, busy"},
      {"files", text, "", "digest of the files that a simulated row depends on"},
      // The machine.
      {"machine", text, "", "a name or a file; absent: the default"},
      {"through_mpi", flag, "", "predicted with the times of messages through MPI"},
      {"latency_seconds", number, "seconds", "L"},
      {"overhead_seconds", number, "seconds", "o"},
      {"gap_seconds", number, "seconds", "g"},
      {"gap_seconds_per_byte", number, "seconds per byte", "G"},
      {"overhead_seconds_per_byte", number, "seconds per byte", "LogGOPS's O"},
      {"eager_bytes", number, "bytes", "LogGOPS's S; absent: no limit"},
      {"send_seconds", number, "seconds", "cost of a message in the score"},
      {"seconds_per_addition", number, "seconds",
       "cost of one addition; in count and compare for the row's N and p"},
      {"start_seconds", number, "seconds", "cost of starting a run, where folds were measured"},
      {"node_latency_seconds", number, "seconds", "L inside a node"},
      {"node_overhead_seconds", number, "seconds", "o inside a node"},
      {"node_gap_seconds", number, "seconds", "g inside a node"},
      {"node_gap_seconds_per_byte", number, "seconds per byte", "G inside a node"},
      // Counts and predictions.
      {"largest_share", integer, "elements", "most elements on one rank"},
      {"messages", integer, "messages", "messages of the plan; of direct if no plan is named"},
      {"direct_messages", integer, "messages",
       "messages of direct (Algorithm 2), which the score counts"},
      {"largest_message", integer, "numbers", "numbers in the largest message"},
  };
}

Entries simulated_and_measured() {
  using enum KeyType;
  return {
      {"simulated_seconds", number, "seconds", "makespan by the engine of the row"},
      {"simulated_messages", integer, "messages", "messages that were simulated"},
      {"finish_seconds", list, "seconds", "when each rank ends"},
      {"joules", number, "joules", "energy of nodes and links"},
      {"bound_seconds", number, "seconds", "proven lower bound"},
      {"ideal_seconds", number, "seconds",
       "score with one message for each other rank and the fair share"},
      {"above_best", number, "ratio", "ratio to the best candidate, minus 1"},
      {"derivation", text, "", "how a distribution was found"},
      {"evaluations", integer, "", "distributions that were weighed"},
      {"stopped", flag, "", "the tuning was stopped early"},
      {"complete", flag, "", "no point of the front is missing"},
      // Measurements.
      {"measured_seconds", number, "seconds",
       "median of the samples (with several starts, median of the starts' medians); a reduction "
       "takes as long as its slowest rank"},
      {"measured_low_seconds", number, "seconds",
       "lower end of the median's 95 % interval, the lowest of all starts"},
      {"measured_high_seconds", number, "seconds",
       "upper end of the median's 95 % interval, the highest of all starts"},
      {"measured_percentile_1_seconds", number, "seconds", "1st percentile of the samples"},
      {"measured_percentile_99_seconds", number, "seconds", "99th percentile of the samples"},
      {"samples_seconds", list, "seconds", "every sample"},
      {"speedup", number, "ratio",
       "time of the candidate on the fewest ranks, divided by its time"},
      {"ratio", number, "ratio", "measured_seconds divided by that of the irreproducible sum"},
      // Figures of papers.
      {"figure", text, "", "table or figure of a paper"},
      {"quantity", text, "", "a number of the figure, with its unit"},
      {"printed", number, "", "the number in the paper"},
      {"regenerated", number, "", "the number by Bracket's commands"},
      {"difference", number, "ratio", "regenerated divided by printed, minus 1"},
      {"reason", text, "", "why the two differ"},
  };
}

Entries scorecards() {
  using enum KeyType;
  return {
      {"model", text, "", "model that predicts"},
      {"rows", result, "",
       "rows that the model has predicted and that were measured; of digits, objects with order, "
       "algorithm, sum, ulps, bound, digits, estimated_digits and cancellations"},
      {"median_error", number, "ratio", "median of |predicted / measured - 1|"},
      {"p90_error", number, "ratio", "90th percentile of these errors"},
      {"winner_accuracy", number, "ratio",
       "share of rank counts whose predicted winner is measured within a tenth of the "
       "fastest; null without a choice"},
      {"pairs", integer, "", "pairs of rows of one rank count whose intervals do not touch"},
      {"pair_accuracy", number, "ratio",
       "share of these pairs that are predicted in their order; null without a pair"},
      {"kendall_tau", number, "", "Kendall's tau over these pairs alone; null without a pair"},
  };
}

Entries recorded_runs() {
  using enum KeyType;
  return {
      {"diverged", flag, "", "the runs differ"},
      {"cause", text, "", "inputs, order, ranks-disagree, structure or results"},
      {"call", integer, "", "number of a recorded call on its communicator, from 0"},
      {"communicator", integer, "", "number of a communicator, from 0; 0 is MPI_COMM_WORLD"},
      {"members", text, "",
       "ranks of a communicator and its number among those with these members"},
      {"rank", number, "", "first rank that differs; null if none is meant"},
      {"item", number, "", "first item that differs, from 0; null if its bytes were not recorded"},
      {"ulps", number, "ulps",
       "difference of the item, or of a sum and the exact sum; null if it is not a finite float"},
      {"operation", text, "", "a recorded call, with its items and operator"},
      {"site", text, "", "place of a call in the program"},
      {"first", text, "", "the item in the first run; of ranks-disagree, on the other ranks"},
      {"second", text, "", "the item in the second run; of ranks-disagree, on this rank"},
      {"explanation", text, "", "sentences about a cause"},
      {"input_ulps", integer, "ulps", "largest difference of the recorded inputs of all ranks"},
      {"output_ulps", integer, "ulps", "largest difference of the recorded outputs of all ranks"},
      {"position", integer, "", "number of a call among all calls of the run, from 0"},
      {"calls", integer, "", "recorded calls that were compared or replaced"},
      {"notes", list, "", "sentences that explain missing, estimated and unchanged figures"},
  };
}

Entries digits_of_sums() {
  using enum KeyType;
  return {
      {"exact", text, "", "the exact sum, rounded once, as a hexadecimal floating-point number"},
      {"condition", number, "ratio",
       "sum of all |x| divided by the |sum|; null if that is 0 or not finite"},
      {"sum", text, "", "the sum by an algorithm, as a hexadecimal floating-point number"},
      {"bound", number, "ulps", "proven bound on ulps; null if there is none"},
      {"digits", number, "decimal digits", "correct digits of the sum"},
      {"estimated_digits", number, "decimal digits",
       "digits that three samples with random rounding share, by Student's test at 95 %"},
      {"cancellations", integer, "",
       "additions whose result has at least four digits less than their operands"},
  };
}

Entries costs_of_runs() {
  using enum KeyType;
  return {
      {"recorded_seconds", number, "seconds",
       "recorded run, from the first start of a rank to the last end"},
      {"recorder_seconds", number, "seconds",
       "mean over the ranks of the time that the recorder took for reductions, which predictions "
       "leave out; absent if the trace does not have it"},
      {"loop_elements", integer, "",
       "elements that the program's loops add, on all ranks together"},
      {"terms", text, "", "what the loops add: elements, products or squares, separated by commas"},
      {"loop", text, "", "speed of the program's loops"},
      {"reductions_seconds", number, "seconds",
       "mean over the ranks of the recorded time in the reductions that are replaced"},
      {"library_seconds", number, "seconds", "predicted run with the library's algorithm"},
      {"plans", list, "",
       "objects with plan, algorithm, predicted_seconds, change_seconds and change_percent"},
      {"predicted_seconds", number, "seconds", "predicted run with the plan"},
      {"change_seconds", number, "seconds", "predicted_seconds minus library_seconds"},
      {"change_percent", number, "per cent",
       "change_seconds in per cent of the recorded run without the recorder; on more ranks, of "
       "library_seconds"},
      {"sites", list, "",
       "objects with site, operation, calls, input_bytes, site_seconds, share, waiting_seconds "
       "and transfer_seconds"},
      {"input_bytes", integer, "bytes", "inputs of all calls of the site on all ranks"},
      {"site_seconds", number, "seconds", "mean over the ranks of the recorded time in the calls"},
      {"share", number, "ratio", "site_seconds divided by recorded_seconds"},
      {"waiting_seconds", number, "seconds", "part of site_seconds before the last rank had come"},
      {"transfer_seconds", number, "seconds", "the rest of site_seconds"},
      {"sizes", list, "",
       "objects with the size of reductions, calls, library_call_seconds, the cheapest plan and "
       "its call_seconds"},
      {"library_call_seconds", number, "seconds",
       "mean time from the last entry to the last exit of a call, with the library's algorithm"},
      {"call_seconds", number, "seconds",
       "the same with the plan, less the time of a loop that the plan replaces"},
  };
}

Entries results_and_proofs() {
  using enum KeyType;
  return {
      {"oversubscribed", flag, "", "there are more ranks and threads than cores"},
      {"environment", object, "",
       "processor, mpi_library, compiler, ranks_on_host, cores_available, shares_memory (short "
       "messages between those ranks do not go through MPI)"},
      // The result.
      {"result", result, "", "a number; null if it is not finite; two for a complex one"},
      {"result_hex", text, "", "the result as a hexadecimal floating-point number"},
      {"result_bits", text, "", "the bits of the result"},
      {"result_index", integer, "", "index of the least or largest element"},
      {"result_set", text, "", "digest of the elements in any sequence"},
      {"result_sequence", text, "", "digest of the elements in their sequence"},
      {"result_digest", text, "", "digest of the bits of a vector"},
      // Proofs.
      {"ok", flag, "", "the schedule is right"},
      {"violations", list, "", "objects with rank, step and what"},
      {"digest", text, "", "digest of the schedule"},
      {"digest_matches", flag, "", "the file's digest is that of its schedule"},
      {"ends_with_blocking_sends", flag, "", "it ends if sends block until they are received"},
      // Orders of libraries.
      {"varies", list, "", "what the order depends on: item, run, rank or size"},
      {"algorithms", list, "", "known algorithms with the revealed orders"},
      {"tree", text_or_null, "",
       "order of the first item as a sum of rank numbers; null if it is not known"},
      {"trees", list, "", "objects with items and their tree"},
      {"probes", integer, "", "calls of the collective that searched for the orders"},
      {"library_calls", integer, "",
       "calls of the collective: the probes, and two of each random sum; they agree unless the "
       "order varies with the run"},
      {"library", text, "", "the MPI library"},
      {"preloaded", text, "",
       "file of a preloaded library that gets the calls before the MPI library"},
      {"library_algorithm", text, "", "algorithm that the MPI library was told to use"},
      {"algorithm_number", integer, "", "number of this algorithm in the MPI library"},
      {"library_file", text, "", "file of the MPI library"},
      {"order_group", text, "", "letter of the order, if all items have it in every call"},
      {"chosen", flag, "", "the rules have the algorithm for this number of items"},
      {"rules", list, "",
       "objects with from_items, from_bytes and the library_algorithm from there on"},
  };
}

Entries all_entries() {
  Entries all;
  for (Entries& part : std::array{
           asked_and_counted(), for_each_model(keys_of_predictions), simulated_and_measured(),
           for_each_model(keys_of_errors), scorecards(), for_each_model(keys_of_correlations),
           recorded_runs(), digits_of_sums(), costs_of_runs(), results_and_proofs()}) {
    for (RowKeyEntry& entry : part) all.push_back(std::move(entry));
  }
  return all;
}

bool is_a(KeyType type, const nlohmann::ordered_json& value) {
  using enum KeyType;
  switch (type) {
    case text:
      return value.is_string();
    case text_or_null:
      return value.is_string() || value.is_null();
    case integer:
      return value.is_number_integer();
    case number:
      return value.is_number() || value.is_null();
    case flag:
      return value.is_boolean();
    case list:
      return value.is_array();
    case object:
      return value.is_object();
    case result:
      return value.is_number() || value.is_null() || value.is_array();
  }
  return false;
}

}  // namespace

std::string_view name_of(KeyType type) {
  using enum KeyType;
  switch (type) {
    case text:
      return "text";
    case text_or_null:
      return "text or null";
    case integer:
      return "integer";
    case number:
      return "number";
    case flag:
      return "true or false";
    case list:
      return "list";
    case object:
      return "object";
    case result:
      return "number or list";
  }
  return "";
}

std::span<const RowKeyEntry> row_keys() {
  static const Entries all = all_entries();
  return all;
}

void check_row(const nlohmann::ordered_json& row) {
  static const auto types = [] {
    std::unordered_map<std::string_view, KeyType> all;
    for (const RowKeyEntry& entry : row_keys()) all.emplace(entry.key, entry.type);
    return all;
  }();
  for (const auto& [key, value] : row.items()) {
    const auto found = types.find(key);
    if (found == types.end() || !is_a(found->second, value)) {
      throw std::logic_error(text("the table of keys has no \"", key, "\" that is ",
                                  value.type_name(), ": please report it"));
    }
  }
}

}  // namespace bracket::tools
