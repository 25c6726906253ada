#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>

namespace bracket::tools {

/// Before any work is done, for options of `command` that name files: throws `Error` where one of
/// `outputs` cannot be written, or is the file of another of them or of one of `inputs`, which it
/// would replace. Inputs that take names, too, are files if there is a dot or slash in them. What
/// is no regular file (a terminal, /dev/null) holds nothing that would be lost.
void check_outputs(const CLI::App& command, std::initializer_list<const char*> outputs,
                   std::initializer_list<const char*> inputs = {});

}  // namespace bracket::tools
