#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bracket {

/// Reads a whole file. Throws `Error`, which names the file and the reason.
std::string read_file(const std::filesystem::path& path);

/// Writes `content` to `path` completely or not at all: to a temporary file beside it, which it
/// then renames. It follows links, and keeps the permissions of an existing file. It writes
/// directly to anything but a regular file (a terminal, a pipe). Throws `Error` if it cannot write.
void write_file(const std::filesystem::path& path, std::string_view content);

/// The path that `path` leads to by links, whether or not there is a file. Throws `Error` for links
/// that lead to themselves.
std::filesystem::path without_links(const std::filesystem::path& path);

/// Throws `Error` if `write_file` would, as far as that is known before there is any content.
void check_writable(const std::filesystem::path& path);

}  // namespace bracket
