// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bracket::support {

/// Content of the whole file. Throws `Error` naming the file and the reason.
std::string read_file(const std::filesystem::path& path);

/// Replaces the content of `path` atomically: writes a temporary file beside it, then renames that.
/// Follows links and keeps the permissions of an existing file. Writes directly to a path that is
/// not a regular file (a terminal, a pipe). Throws `Error`.
void write_file(const std::filesystem::path& path, std::string_view content);

/// The file that `path` leads to if it is a link, whether or not the file exists. Throws `Error`
/// for links that lead to themselves.
std::filesystem::path without_links(const std::filesystem::path& path);

/// Throws `Error` where `write_file` would, as far as that is known without the content.
void check_writable(const std::filesystem::path& path);

}  // namespace bracket::support
