// SPDX-License-Identifier: MIT

#include "rows/measurements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/arithmetic.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "rows/published_rows.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

/// Limit of ranks. A schedule takes some hundred bytes per rank, so a mistyped number would take
/// all memory.
constexpr Rank most_ranks = 1 << 23;

/// Delivery and items of a row, with the defaults of `bracket run`.
RowSetting setting_of(const Json& row) {
  // All candidates of `bench` end with the result on every rank.
  const auto usual = row.contains("candidate") ? Collective::all_reduce : Collective::reduce;
  const auto collective = row.value("collective", std::string(name_of(usual)));
  const auto root = row.value("root", Index{0});
  if (root < 0 || root > std::numeric_limits<Rank>::max()) {
    throw Error(text("\"root\" is ", root, ", which is not a rank"));
  }
  Delivery delivery = Delivery::to(static_cast<Rank>(root));
  for (const Delivery other : {Delivery::to_all(), Delivery::scattered()}) {
    if (collective == name_of(other.collective)) delivery = other;
  }
  if (collective != name_of(delivery.collective)) {
    throw Error(text("unknown collective '", excerpt(collective), "'"));
  }
  const Operation operation = operation_of(row);
  std::string order = operation.algorithm.order;
  if (operation.baseline != Baseline::none) {
    order = "associative";
  } else if (operation.algorithm.arithmetic == Arithmetic::plain) {
    order = make_algorithm(row.value("algorithm", std::string("tree"))).order;
  }
  return {row.value("order", order), delivery, items_of(row), operation};
}

ScheduleOptions schedule_options_of(const RowKey& key, const RowSetting& setting) {
  ScheduleOptions asked;
  asked.order = setting.order;
  asked.delivery = setting.delivery;
  asked.items = setting.items;
  if (!key.rank_order.empty()) asked.rank_order = key.rank_order;
  return asked;
}

/// Returns why no model predicts a row, or no value.
std::optional<std::string> why_left_out(const Json& row) {
  if (row.contains("layout")) return "rows with ghosts";
  if (!row.contains("plan") && row.contains("candidate")) {
    return row.value("candidate", std::string());
  }
  if (!make_plan(row.value("plan", std::string()))->scheduled()) return "native";
  return {};
}

/// Whether a distribution of a row is the name of a plan file, as `bracket run --plan-file` writes
/// it.
bool is_plan_file(const std::string& distribution) {
  if (!distribution.ends_with(".json")) return false;
  const Json content = read_json(distribution);
  const auto format = content.find("format");
  return format != content.end() && *format == "bracket-plan";
}

/// Rows that programs of Bracket wrote, grouped by their common setting.
class WrittenRows {
 public:
  explicit WrittenRows(std::string file) : file_(std::move(file)) {}

  void read(const std::string& content, const RowFilter& filter, Measurements& found) {
    std::istringstream in(content);
    Index number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.empty() || line == "\r") continue;
      const std::string here = text(file_, ", line ", number);
      const Json row = parse_json(line, here);
      if (!row.is_object()) throw Error(text(here, ": a JSON object was expected"));
      if (!row.contains("measured_seconds") || !filter.accepts(row)) continue;
      try {
        if (const auto reason = why_left_out(row)) {
          ++found.left_out[*reason];
          continue;
        }
        add(setting_of(row), line, number);
      } catch (const Json::exception&) {
        throw Error(text(here, ": a member has another type than `bracket run --json` writes"));
      } catch (const Error& failure) {
        throw Error(text(here, ": ", failure.what()));
      }
    }
    for (const auto& [name, shared] : by_setting_) {
      for (const auto& [key, row] : read_rows(shared.lines, measured_duration, shared.setting,
                                              file_, &found.circumstances)) {
        found.rows.push_back(measurement(key, shared.setting, row));
      }
    }
  }

 private:
  struct Shared {
    RowSetting setting;
    std::string lines;  // empty lines in between keep the line numbers
    Index count = 0;
  };

  void add(const RowSetting& setting, const std::string& line, Index number) {
    const std::string name =
        text(setting.order, ' ', name_of(setting.delivery.collective), ' ', setting.delivery.root,
             ' ', describe(setting.items), ' ', setting.operation.spec());
    Shared& shared = by_setting_[name];
    shared.setting = setting;
    shared.lines.append(static_cast<std::size_t>(number - 1 - shared.count), '\n');
    shared.lines += line + '\n';
    shared.count = number;
  }

  /// Rows of versions without shared memory do not say so.
  [[nodiscard]] bool shares_memory(const Json& measured) const {
    const auto environment = measured.find("environment");
    if (environment == measured.end()) return false;
    if (!environment->is_object()) {
      throw Error(
          text(file_, ": \"environment\": ", excerpt(environment->dump()), " is not an object"));
    }
    const auto shares = environment->find("shares_memory");
    if (shares == environment->end()) return false;
    if (!shares->is_boolean()) {
      throw Error(text(file_, ": \"environment\": \"shares_memory\": ", excerpt(shares->dump()),
                       " is not true or false"));
    }
    return shares->get<bool>();
  }

  [[nodiscard]] int threads_of(const Json& measured) const {
    const auto threads = measured.find("threads");
    if (threads == measured.end()) return 1;
    const bool whole = threads->is_number_integer();
    if (!whole || *threads < 1 || *threads > std::numeric_limits<int>::max()) {
      throw Error(text(file_, ": \"threads\": ", excerpt(threads->dump()),
                       " is not a number of threads of a rank"));
    }
    return threads->get<int>();
  }

  [[nodiscard]] Measurement measurement(const RowKey& key, const RowSetting& setting,
                                        const Json& measured) const {
    Measurement found;
    found.file = file_;
    found.key = key;
    found.setting = setting;
    found.ranks = key.ranks;
    found.items = setting.items;
    found.threads = threads_of(measured);
    found.shares_memory = shares_memory(measured);
    found.measured = measured.at("measured_seconds").get<double>();
    found.low = measured.value("measured_low_seconds", found.measured);
    found.high = measured.value("measured_high_seconds", found.measured);
    if (!(found.low <= found.measured && found.measured <= found.high)) {
      throw Error(text(file_, ": ", key.plan, " on ", counted(key.ranks, "rank"),
                       ": the measured time is outside its interval"));
    }
    found.row = Json{{"elements", key.elements},
                     {"ranks", key.ranks},
                     {"order", setting.order},
                     {"distribution", key.distribution},
                     {"plan", key.plan}};
    if (setting.operation != Operation{}) {
      Operation named = setting.operation;
      if (named.plain()) named.algorithm.order = setting.order;
      tell_operation(found.row, named);
    }
    schedule_options_of(key, setting).tell(found.row);
    for (const char* name : {"measured_seconds", "measured_low_seconds", "measured_high_seconds",
                             "starts", "kernel", "threads", "environment"}) {
      if (measured.contains(name)) found.row[name] = measured[name];
    }
    found.choice = text(key.plan, " over ", key.distribution);
    found.reduction = text(counted(key.elements, "element"),
                           setting.items > 1 ? text(" as ", describe(setting.items)) : "", " on ",
                           counted(key.ranks, "rank"), ", ", setting.order, ", ",
                           name_of(setting.delivery.collective), ", ", setting.operation.spec());
    return found;
  }

  std::string file_;
  std::map<std::string, Shared> by_setting_;
};

/// Describes the number of left-out rows and the reasons.
std::string left_out_words(const Measurements& found) {
  constexpr std::size_t most = 8;
  Index count = 0;
  std::vector<std::string> names;
  for (const auto& [name, rows] : found.left_out) {
    count += rows;
    if (names.size() < most) names.push_back(excerpt(name));
  }
  return fmt::format("left out {} that no model predicts: by {}{}", counted(count, "row"),
                     fmt::join(names, ", "), names.size() < found.left_out.size() ? ", ..." : "");
}

}  // namespace

Schedule schedule_of(const Measurement& measurement) {
  const RowKey& key = measurement.key;
  const ScheduleOptions asked = schedule_options_of(key, measurement.setting);
  try {
    if (key.ranks > most_ranks) {
      throw Error(text("a schedule of more than ", most_ranks, " ranks takes too much memory"));
    }
    return asked.schedule(
        is_plan_file(key.distribution)
            ? read_planned_reduction(key.distribution, key.elements, key.ranks).distribution
            : asked.distribution(key.distribution, key.elements, key.ranks),
        key.plan);
  } catch (const Error& failure) {
    throw Error(text(measurement.file, ": ", key.plan, " over ", key.distribution, " on ",
                     counted(key.ranks, "rank"), ": ", failure.what()));
  }
}

void add_measured_rows(CLI::App& command, MeasuredRowsOptions& options) {
  const HelpGroup group(command, "Rows");
  command
      .add_option(
          "rows", options.files,
          "rows of `bracket run --json` or `compare --json`, or a table of published measurements "
          "with comma-separated values, whose columns are listed below")
      ->required()
      ->type_name("FILE");
  command
      .add_option(
          "--only", options.only,
          "only rows with this value, such as ranks=2 or algorithm=ring,rabenseifner; * and "
          "? are wildcards; conditions on different keys must all hold")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  add_footer(
      command,
      "The first line of a published table names its columns, in any sequence. A table of "
      "all-reduces of int32 vectors has the columns ranks, algorithm (of the MPI library's "
      "all-reduce: recursive-doubling, rabenseifner or ring), bytes and median_us, and perhaps "
      "q25_us, q75_us and min_us. A table of float64 sums has the columns elements, ranks and "
      "NAME_us. tree_us is a sum with the plan buffered and the result on rank 0. Any other "
      "column, such as mpi_us, is a local sum on each rank, then an all-reduce of one number. "
      "Times are in microseconds.");
}

void keep_operations(Measurements& found,
                     const std::function<bool(const Operation& operation)>& computes) {
  std::erase_if(found.rows, [&](const Measurement& row) {
    if (row.is_rounds || computes(row.setting.operation)) return false;
    ++found.left_out[row.setting.operation.spec()];
    return true;
  });
  if (found.rows.empty()) throw Error(left_out_words(found));
}

void warn_of_rows(const Measurements& found) {
  if (!found.left_out.empty()) fmt::print(stderr, "bracket: {}\n", left_out_words(found));
  found.circumstances.warn("; --only KEY=VALUE selects rows");
}

Measurements read_measurements(const std::vector<std::string>& files, const RowFilter& filter) {
  Measurements found;
  for (const std::string& file : files) {
    std::string content = support::read_file(file);
    if (content.starts_with("\xEF\xBB\xBF")) content.erase(0, 3);
    if (is_published_table(content)) {
      read_published_table(file, content, filter, found);
    } else {
      WrittenRows(file).read(content, filter, found);
    }
  }
  if (found.rows.empty()) {
    filter.refuse(fmt::format("{}", fmt::join(files, ", ")),
                  found.left_out.empty() ? "" : "; " + left_out_words(found));
  }
  return found;
}

}  // namespace bracket::tools
