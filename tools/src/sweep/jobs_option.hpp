// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "bracket/model/range.hpp"

namespace bracket::tools {

/// Adds `--jobs`. `help` says what a job is.
CLI::Option* add_jobs(CLI::App& command, std::optional<Index>& jobs, const std::string& help);

/// Number of cores that this process may run on, at least 1.
int usable_cores();

}  // namespace bracket::tools
