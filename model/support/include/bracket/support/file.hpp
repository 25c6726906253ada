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

/// The file that `path` stands for, there or not, where `path` is a link. Throws `Error` for links
/// that lead to themselves.
std::filesystem::path without_links(const std::filesystem::path& path);

/// Throws `Error` where `write_file` would, as far as is known before there is any content.
void check_writable(const std::filesystem::path& path);

}  // namespace bracket
