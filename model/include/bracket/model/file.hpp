#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace bracket {

/// The whole file. Throws `Error` naming the file and the reason.
std::string read_file(const std::filesystem::path& path);

/// Puts `content` at `path` all or nothing: written to a temporary file beside it, then renamed.
/// Links are followed, and a file that is there keeps its permissions. What is not a regular file
/// (a terminal, a pipe) is written to directly. Throws `Error`.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws `Error` where `write_file` would, as far as is known before there is any content.
void check_writable(const std::filesystem::path& path);

}  // namespace bracket
