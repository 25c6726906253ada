// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/model/range.hpp"
#include "bracket/model/ranked_order.hpp"

/// Options that several subcommands share.
namespace bracket::tools {

/// Adds an option for a whole number, as `parse_count` reads it, from `least` to the largest
/// `Number`. `Number` is `Index` or `Rank`.
template <class Number>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Number& value,
                       const std::string& help, Number least = std::numeric_limits<Number>::min());

/// Adds an option for a finite number, as `parse_number` reads it.
CLI::Option* add_number(CLI::App& command, const std::string& name, double& value,
                        const std::string& help);

/// Adds an option for whole numbers, separated by commas.
template <class Number>
CLI::Option* add_whole_list(CLI::App& command, const std::string& name, std::vector<Number>& values,
                            const std::string& help, Number least);

/// Adds an option for names, separated by commas.
CLI::Option* add_name_list(CLI::App& command, const std::string& name,
                           std::vector<std::string>& names, const std::string& help);

/// Throws `Error` if a list on the command line has an empty value, which CLI11 would skip, or has
/// a value twice.
void check_lists(const CLI::App& app, int argc, char** argv);

/// Throws `Error` for an option of several letters with only one dash, such as `-plan`.
void check_dashes(const CLI::App& app, int argc, char** argv);

/// Makes `option`, which names files, refuse pipes and other files that cannot be read twice if
/// `again()` is true: the command reads such a file more than once. Call it before callbacks that
/// read the file are added.
void refuse_pipes(CLI::Option& option, const std::function<bool()>& again);

/// Makes `option` take a name or a `bracket-order` file, which ends in `.json`, and puts the
/// `words` of its order in place of the file's name.
void read_orders(CLI::Option& option, std::string (*words)(const RankedOrder& order));

/// Adds `--order`.
CLI::Option* add_order(CLI::App& command, std::string& order);

/// Adds `-p` as a list.
CLI::Option* add_rank_counts(CLI::App& command, std::vector<Rank>& ranks, const std::string& help);

/// Adds `--threads`.
void add_threads(CLI::App& command, int& threads);

/// Returns " of 2 threads" to follow a number of ranks; empty for one thread.
std::string of_threads(int threads);

/// Adds `-N` and `-p`. They may be left out if a `--plan-file` gives them. They exclude `instead`.
void add_sizes(CLI::App& command, Index& elements, Rank& ranks, CLI::Option* instead = nullptr);

/// Adds `-N` and `-p` as lists.
void add_sizes(CLI::App& command, std::vector<Index>& elements, std::vector<Rank>& ranks);

/// Throws `Error` unless `command` was given this option or a `--plan-file`.
void require_unless_planned(const CLI::App& command, const std::string& option);

/// Adds `--json`.
void add_json(CLI::App& command, bool& json);

/// Source of elements: a file, or `--synthetic N --seed S`.
struct InputOptions {
  std::string file;
  Index synthetic = 0;
  Index seed = 1;

  /// Names of `--synthetic` in a command whose `-N` is nothing else.
  static constexpr const char* names_with_n = "--synthetic,-N";

  void add_to(CLI::App& command, const std::string& synthetic_names = "--synthetic");
  [[nodiscard]] bool given() const { return !file.empty() || synthetic != 0; }
  /// Opens the numbers of the elements, which have `items` numbers each, in every field. Throws
  /// `Error` if neither or both sources were given, or if the numbers are not a whole number of
  /// elements.
  [[nodiscard]] std::unique_ptr<input::Input> open(Index items, Index fields = 1) const;

 private:
  const CLI::Option* seed_option_ = nullptr;
};

}  // namespace bracket::tools
