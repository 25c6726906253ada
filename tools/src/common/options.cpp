#include "common/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "common/help.hpp"
#include "common/value_list.hpp"
#include "cost/cost_models.hpp"

namespace bracket::tools {

namespace {

std::string first_of(const std::string& names) { return names.substr(0, names.find(',')); }

/// Reads whole numbers strictly. CLI11 reads 2^63 as 2^63 - 1, 010 as 8, an empty word as 0 and
/// 1e400 as infinity.
template <class Number>
CLI::Validator whole_number(const std::string& name, Number least) {
  return {[name, least](std::string& written) {
            const Index value =
                support::parse_count(written, name, std::numeric_limits<Number>::max());
            if (value < least) {
              throw Error(text(name, " must be at least ", least, ", not ", value));
            }
            written = std::to_string(value);
            return std::string();
          },
          ""};
}

}  // namespace

template <class Number>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Number& value,
                       const std::string& help, Number least) {
  return command.add_option(name, value, help)->transform(whole_number(first_of(name), least));
}

template CLI::Option* add_whole(CLI::App&, const std::string&, Rank&, const std::string&, Rank);
template CLI::Option* add_whole(CLI::App&, const std::string&, Index&, const std::string&, Index);

CLI::Option* add_number(CLI::App& command, const std::string& name, double& value,
                        const std::string& help) {
  return command.add_option(name, value, help)
      ->check([name](const std::string& written) {
        parse_number(written, name);
        return std::string();
      })
      ->capture_default_str();
}

// The values of a list are separated by commas. Its option takes one word, so a file may follow.

template <class Number>
CLI::Option* add_whole_list(CLI::App& command, const std::string& name, std::vector<Number>& values,
                            const std::string& help, Number least) {
  return command.add_option(name, values, help)
      ->transform(whole_number(first_of(name), least))
      ->delimiter(',')
      ->allow_extra_args(false);
}

template CLI::Option* add_whole_list(CLI::App&, const std::string&, std::vector<Index>&,
                                     const std::string&, Index);

CLI::Option* add_name_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& names, const std::string& help) {
  return command.add_option(name, names, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
}

void check_lists(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto commands = app.get_subcommands(
      [&](const CLI::App* command) { return !words.empty() && command->check_name(words[0]); });
  if (commands.empty()) return;
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) continue;
    // The word may be `--plan=a,b`, `--plan a,b`, `-N1,2` or `-N 1,2`.
    const std::size_t end = word.starts_with("--") ? word.find('=') : 2;
    const std::string name = word.substr(0, end);
    std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (end < word.size()) value = word.substr(word.starts_with("--") ? end + 1 : end);
    const auto lists = commands[0]->get_options([&](const CLI::Option* option) {
      return option->get_delimiter() != '\0' && option->check_name(name);
    });
    if (lists.empty() || value.find(',') == std::string::npos) continue;
    check_values(split(value, ','), text(name, " '", excerpt(value), "'"));
  }
}

void check_dashes(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (const CLI::App* const command : app.get_subcommands(
           [&](const CLI::App* one) { return !words.empty() && one->check_name(words[0]); })) {
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
      const std::string name = words[i].substr(0, words[i].find('='));
      if (name.size() < 3 || name[0] != '-' || name[1] == '-') continue;
      if (command->get_option_no_throw("-" + name) == nullptr) continue;
      throw Error(text("unknown option ", excerpt(name), " of bracket ", words[0],
                       "; did you mean -", name, "?"));
    }
  }
}

void refuse_pipes(CLI::Option& option, const std::function<bool()>& again) {
  const auto check = [again, name = option.get_name()](const std::string& file) {
    std::error_code none;
    const auto status = std::filesystem::status(file, none);
    const bool is_pipe = std::filesystem::exists(status) &&
                         !std::filesystem::is_regular_file(status) &&
                         !std::filesystem::is_directory(status);
    if (is_pipe && again()) {
      throw Error(
          text(name, ' ', file, " is read more than once: a file was expected, not a pipe"));
    }
    return file;
  };
  option.transform(check);  // runs before other checks and before the file is read
}

CLI::Option* add_order(CLI::App& command, std::string& order) {
  return command
      .add_option("--order", order,
                  "bracketing of the reduction; it determines the bits; `bracket list orders` "
                  "explains each")
      ->capture_default_str()
      ->type_name("NAME");
}

CLI::Option* add_rank_counts(CLI::App& command, std::vector<Rank>& ranks, const std::string& help) {
  return add_whole_list(command, "-p,--ranks", ranks, help, 1)->type_name("P,...");
}

namespace {
constexpr const char* elements_help = "number of elements; the plan file's if not given";
constexpr const char* ranks_help = "number of ranks; the plan file's if not given";
}  // namespace

void add_sizes(CLI::App& command, std::vector<Index>& elements, std::vector<Rank>& ranks) {
  const HelpGroup group(command, "Reduction");
  // Numbers that are too small are refused where they are used, as for a single number.
  constexpr auto any = std::numeric_limits<Index>::min();
  constexpr auto any_rank = std::numeric_limits<Rank>::min();
  add_whole_list(command, "-N,--elements", elements, elements_help, any)->type_name("N,...");
  add_whole_list(command, "-p,--ranks", ranks, ranks_help, any_rank)->type_name("P,...");
}

void add_sizes(CLI::App& command, Index& elements, Rank& ranks, CLI::Option* instead) {
  const HelpGroup group(command, "Reduction");
  auto* const size = add_whole(command, "-N,--elements", elements, elements_help);
  auto* const count = add_whole(command, "-p,--ranks", ranks, ranks_help);
  size->type_name("N");
  count->type_name("P");
  if (instead == nullptr) return;
  size->excludes(instead);
  count->excludes(instead);
}

void require_unless_planned(const CLI::App& command, const std::string& option) {
  if (command.count(option) > 0 || command.count("--plan-file") > 0) return;
  throw Error(text(option, " is required, unless a --plan-file gives it"));
}

CLI::Option* add_rank_order(CLI::App& command, std::optional<std::string>& rank_order) {
  return command
      .add_option("--rank-order", rank_order,
                  "permutation of ranks: the k-th share of the elements goes to its k-th rank; the "
                  "elements keep "
                  "their sequence, so this does not "
                  "change the bits; `bracket list rank-orders` explains each")
      ->default_str("from the --distribution file, otherwise identity")
      ->type_name("NAME");
}

Distribution in_rank_order(const Distribution& distribution,
                           const std::optional<std::string>& rank_order) {
  if (!rank_order) return distribution;
  return distribution.with_rank_order(make_rank_order(*rank_order, distribution.ranks()));
}

std::vector<CLI::Option*> add_delivery(CLI::App& command, Delivery& delivery, Index& items) {
  const HelpGroup group(command, "Reduction");
  auto* const items_option =
      add_whole(
          command, "--items", items,
          "vector length: each of the N elements is M consecutive numbers, reduced component by "
          "component",
          Index{1})
          ->capture_default_str()
          ->type_name("M");
  auto* const all = command.add_flag_callback(
      "--all", [&delivery] { delivery.collective = Collective::all_reduce; },
      "give the result to every rank (all-reduce)");
  auto* const scatter = command.add_flag_callback(
      "--scatter", [&delivery] { delivery.collective = Collective::reduce_scatter; },
      "with --items M: split the result vector into p blocks and give rank k the k-th "
      "(reduce-scatter); not with --all");
  scatter->excludes(all);
  auto* const root = add_whole(command, "--root", delivery.root,
                               "rank that gets the result; not with --all or --scatter")
                         ->capture_default_str()
                         ->type_name("RANK")
                         ->excludes(all)
                         ->excludes(scatter);
  return {all, scatter, root, items_option};
}

CLI::Option* add_plan_file(CLI::App& command, std::string& file, const std::string& what) {
  return command.add_option("--plan-file", file, what)
      ->type_name("FILE.json")
      ->each([](const std::string& given) {
        if (given.empty()) throw Error("--plan-file is empty: a file's name was expected");
      });
}

CLI::Option* ScheduleOptions::add_to(CLI::App& command, CLI::Option* instead) {
  std::vector<CLI::Option*> options = add_delivery(command, delivery, items);
  const HelpGroup group(command, "Schedule");
  auto* const order_option = add_order(command, order);
  const std::string several = takes_one ? "" : "; give several names for one row each";
  auto* const plan_list =
      add_name_list(
          command, "--plan", plans,
          "routes of partial results between ranks; `bracket list plans` explains each" + several)
          ->capture_default_str();
  auto* const distribution_list =
      add_name_list(command, "--distribution", distributions,
                    "assignment of elements to ranks: a name or a file.json; `bracket list "
                    "distributions` explains each" +
                        several)
          ->capture_default_str();
  if (takes_one) {
    for (auto* const option : {plan_list, distribution_list}) option->type_name("NAME");
  }
  auto* const rank_order_option = add_rank_order(command, rank_order);
  auto* const tuned_option =
      add_plan_file(command, plan_file,
                    "read the order, plan, distribution, vector length and place of the result "
                    "from this file of `bracket tune --plan-file`, which must be for N and p; not "
                    "with --order, --plan, --distribution, --rank-order, --all, --scatter, --root "
                    "and --items");
  if (instead != nullptr) tuned_option->excludes(instead);
  options.insert(options.end(), {order_option, plan_list, distribution_list, rank_order_option});
  for (auto* const option : options) {
    option->excludes(tuned_option);
    if (instead != nullptr) option->excludes(instead);
  }
  return tuned_option;
}

PlanFile read_tuning(const std::string& file) {
  PlanFile tuning = read_plan_file(file);
  const auto check = [&](const std::string& name, const std::string& place) {
    for (const OfferedModel& known : objectives()) {
      if (known.entry.name == name) return;
    }
    throw Error(text(file, ": ", place, ": ", unknown_name("objective", name, objectives())));
  };
  check(tuning.objective, "\"objective\"");
  for (std::size_t number = 0; number < tuning.plans.size(); ++number) {
    for (const auto& [name, _] : tuning.plans[number].predicted) {
      check(name, text("\"plans\"[", number, "]: \"predicted\""));
    }
  }
  return tuning;
}

Index elements_of(const PlanFile& file, const std::string& name) {
  const auto only = file.only_elements();
  if (!only) throw Error(text(name, ": it has plans for several N: choose one with -N"));
  return *only;
}

void ScheduleOptions::read_tuned() {
  if (plan_file.empty()) return;
  if (!tuned) tuned = read_tuning(plan_file);
  delivery = tuned->delivery;
  items = tuned->items;
}

void ScheduleOptions::take_tuned(Index elements, Rank ranks) {
  if (!tuned) return;
  try {
    const TunedPlan& chosen = tuned->plan_for(elements, ranks);
    order = chosen.order;
    plans = {chosen.plan};
    distributions = {plan_file};
  } catch (const Error& failure) {
    throw Error(text(plan_file, ": ", failure.what()));
  }
}

void ScheduleOptions::take_tuned_of(Index& elements, Rank& ranks) {
  read_tuned();
  if (!tuned) return;
  if (ranks == 0) ranks = tuned->ranks;
  if (elements == 0) elements = elements_of(*tuned, plan_file);
  take_tuned(elements, ranks);
}

std::vector<std::string> ScheduleOptions::arguments(bool named) const {
  if (!plan_file.empty()) return {"--plan-file", plan_file};
  const auto joined = [](const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ","));
  };
  std::vector<std::string> words{"--plan",         joined(plans),
                                 "--distribution", joined(distributions),
                                 "--items",        std::to_string(items)};
  if (!named) words.insert(words.end(), {"--order", order});
  if (rank_order) words.insert(words.end(), {"--rank-order", *rank_order});
  switch (delivery.collective) {
    case Collective::all_reduce:
      words.push_back("--all");
      break;
    case Collective::reduce_scatter:
      words.push_back("--scatter");
      break;
    default:
      words.insert(words.end(), {"--root", std::to_string(delivery.root)});
  }
  return words;
}

Distribution ScheduleOptions::distribution(const std::string& name, Index elements,
                                           Rank ranks) const {
  if (tuned) return tuned->reduction(elements, ranks).distribution;
  return in_rank_order(make_or_read_distribution(name, elements, ranks), rank_order);
}

std::string ScheduleOptions::rank_order_name() const {
  return rank_order && *rank_order != "identity" ? *rank_order : "";
}

void ScheduleOptions::tell(nlohmann::ordered_json& row) const {
  tell_delivery(row, delivery, items);
  if (const auto name = rank_order_name(); !name.empty()) row["rank_order"] = name;
}

void tell_delivery(nlohmann::ordered_json& row, Delivery delivery, Index items) {
  row["collective"] = name_of(delivery.collective);
  if (delivery.collective == Collective::reduce) row["root"] = delivery.root;
  row["items"] = items;
}

Schedule ScheduleOptions::schedule(const Distribution& distribution,
                                   const std::string& plan) const {
  const auto the_order = make_order(order, distribution.elements());
  return make_schedule(problem(the_order, distribution), *make_plan(plan));
}

void add_json(CLI::App& command, bool& json) {
  const HelpGroup group(command, "Output");
  command.add_flag("--json", json, "print JSON in place of text: one object on each line");
}

void InputOptions::add_to(CLI::App& command) {
  const HelpGroup group(command, "Reduction");
  command
      .add_option("file", file,
                  "file of elements, little-endian: .f64 (float64 alone), .binpsllh (their number "
                  "in 8 bytes, then float64) or .npy (one-dimensional float64 or float32)")
      ->type_name("FILE");
  add_whole(command, "--synthetic", synthetic, "generate N synthetic elements in place of a file")
      ->type_name("N");
  add_whole(command, "--seed", seed, "seed of the synthetic elements", Index{0})
      ->capture_default_str()
      ->type_name("S");
}

std::unique_ptr<input::Input> InputOptions::open(Index items) const {
  if (file.empty() == (synthetic == 0)) {
    throw Error(file.empty() ? "a file of elements, or --synthetic N with N >= 1, must be given"
                             : text(file, " and --synthetic are given: one of them was expected"));
  }
  if (file.empty()) {
    if (synthetic > std::numeric_limits<Index>::max() / items) {
      throw Error(text("--synthetic ", synthetic, ": too many elements of ", items, " items"));
    }
    return input::synthetic_input(synthetic * items, static_cast<std::uint64_t>(seed));
  }
  auto input = input::open_input(file);
  if (input->elements() % items != 0) {
    throw Error(text(file, ": ", input->elements(), " numbers are no whole number of elements of ",
                     items, " items"));
  }
  return input;
}

}  // namespace bracket::tools
