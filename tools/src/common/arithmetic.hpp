#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace bracket::tools {

/// Options of the arithmetic of `run` beyond the sum of float64: `--algorithm`, `--op`, `--type`,
/// `--widened`, `--checked`.
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
