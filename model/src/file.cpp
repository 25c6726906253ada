#include "bracket/model/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "bracket/model/error.hpp"

namespace bracket {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw Error(text(path.string(), ": is a directory"));
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(text(path.string(), ": cannot be opened: ", std::strerror(errno)));
  std::ostringstream content;
  content << in.rdbuf();
  if (in.bad()) throw Error(text(path.string(), ": cannot be read: ", std::strerror(errno)));
  return content.str();
}

namespace {

[[noreturn]] void refuse_writing(const fs::path& path, const std::string& reason) {
  throw Error(text(path.string(), ": cannot be written: ", reason));
}

/// The file that `path` stands for, there or not, where `path` is a link.
fs::path without_links(const fs::path& path) {
  constexpr int most = 40;  // as many as Linux follows
  std::error_code none;
  fs::path file = path;
  for (int links = 0; fs::is_symlink(file, none); ++links) {
    if (links == most) refuse_writing(path, std::strerror(ELOOP));
    const fs::path to = fs::read_symlink(file, none);
    if (none) refuse_writing(path, none.message());
    file = file.parent_path() / to;
  }
  return file;
}

/// What `write_file` writes to, and where that ends.
struct Destination {
  bool special = false;  // no regular file: written to directly
  fs::path file;         // with links followed
  fs::path written;
};

Destination destination_of(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) throw Error(text(path.string(), ": is a directory"));
  const bool special = fs::exists(path, failure) && !fs::is_regular_file(path, failure);
  const fs::path file = special ? path : without_links(path);
  fs::path written = file;
  if (!special) written += text(".tmp-", ::getpid());
  return {special, file, written};
}

}  // namespace

void check_writable(const fs::path& path) {
  const Destination place = destination_of(path);
  errno = 0;
  const bool opened = std::ofstream(place.written, std::ios::binary | std::ios::app).is_open();
  if (!opened) refuse_writing(path, std::strerror(errno));
  std::error_code ignored;
  if (!place.special) fs::remove(place.written, ignored);
}

void write_file(const fs::path& path, std::string_view content) {
  const auto [special, file, target] = destination_of(path);
  std::error_code failure;
  const fs::file_status before = fs::status(file, failure);
  errno = 0;
  std::ofstream out(target, std::ios::binary | std::ios::trunc);
  if (out && !special && fs::exists(before)) {
    fs::permissions(target, before.permissions(), failure);
  }
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) {
    const std::string reason = std::strerror(errno);
    if (!special) fs::remove(target, failure);
    refuse_writing(path, reason);
  }
  if (special) return;
  fs::rename(target, file, failure);
  if (failure) {
    const std::string reason = failure.message();
    fs::remove(target, failure);
    refuse_writing(path, reason);
  }
}

}  // namespace bracket
