// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "common/command_help.hpp"

namespace bracket::tools {

/// Returns the man page of a subcommand, in roff.
std::string man_page(const CommandHelp& command);

/// Returns the man page of `bracket`, which lists its subcommands.
std::string man_page(const CommandHelp& program, const std::vector<CommandHelp>& subcommands);

}  // namespace bracket::tools
