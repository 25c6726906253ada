#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "bracket/model/spec.hpp"

/// Names and options of the arithmetic of `run` beyond the sum of float64. The names are those of
/// `name_of` in any_reducer.hpp, which needs MPI and is therefore not part of the front.
namespace bracket::tools {

struct ArithmeticRow {
  CatalogueEntry entry;
};

std::span<const ArithmeticRow> operators();
std::span<const ArithmeticRow> types();

/// `--algorithm`, `--op`, `--type`, `--widened`, `--checked`.
struct ArithmeticOptions {
  std::optional<std::string> algorithm{};
  std::string op = "sum";
  std::string type = "float64";
  bool widened = false;
  bool checked = false;

  void add_to(CLI::App& command);

  /// Returns whether any of these options was given.
  [[nodiscard]] bool given() const;

 private:
  const CLI::App* command_ = nullptr;
};

}  // namespace bracket::tools
