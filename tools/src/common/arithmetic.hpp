#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "bracket/model/spec.hpp"

/// The arithmetic of `run` beyond the sum of float64: names and options. The names are those of
/// `name_of` in any_reducer.hpp, which the front has not: it knows no MPI.
namespace bracket::tools {

struct ArithmeticRow {
  CatalogueEntry entry;
};

std::span<const ArithmeticRow> algorithms();
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

  /// Whether any of them was given.
  [[nodiscard]] bool given() const;

 private:
  const CLI::App* command_ = nullptr;
};

}  // namespace bracket::tools
