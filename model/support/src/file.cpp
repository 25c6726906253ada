// SPDX-License-Identifier: MIT

#include "bracket/support/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "bracket/support/descriptor.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::support {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw Error(text(path.string(), ": is a directory, not a file"));
  }
  // Streams take a failed read for the end of the file.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) {
    throw Error(text(path.string(), ": cannot be opened: ", std::strerror(errno)));
  }
  const bool endless = !fs::is_regular_file(path, ignored);  // perhaps, such as /dev/zero
  constexpr std::size_t most = std::size_t{1} << 30;
  std::string content;
  std::vector<char> part(std::size_t{1} << 16);
  while (true) {
    const ssize_t count = ::read(file.number(), part.data(), part.size());
    if (count == 0) return content;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error(text(path.string(), ": cannot be read at byte ", content.size(), ": ",
                       std::strerror(errno)));
    }
    content.append(part.data(), static_cast<std::size_t>(count));
    if (endless && content.size() > most) {
      throw Error(
          text(path.string(), ": is not a regular file, and has more than ", most, " bytes"));
    }
  }
}

namespace {

[[noreturn]] void refuse_writing(const fs::path& path, const std::string& reason) {
  throw Error(text(path.string(), ": cannot be written: ", reason));
}

}  // namespace

fs::path without_links(const fs::path& path) {
  constexpr int most = 40;  // the limit on Linux
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

namespace {

/// A file open for writing. The destructor closes it.
class Output {
 public:
  /// Creates a regular file at `place`, which must not exist: a link that another user puts there
  /// is not followed. Opens a special file. Errors name `path`. Throws `Error`.
  Output(const fs::path& path, const fs::path& place, bool special) : path_(path) {
    const int flags = O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_EXCL | O_NOFOLLOW);
    descriptor_ = ::open(place.c_str(), flags, 0666);
    if (descriptor_ < 0 && errno == EEXIST) {  // left by a killed program with this process number
      ::unlink(place.c_str());
      descriptor_ = ::open(place.c_str(), flags, 0666);
    }
    if (descriptor_ < 0) refuse_writing(path_, std::strerror(errno));
  }
  ~Output() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Writes all of `content`. Throws `Error`.
  void write(std::string_view content) {
    if (!write_all(descriptor_, content)) refuse_writing(path_, std::strerror(errno));
  }

  /// Closes the file. Throws `Error` if a write that seemed to succeed has failed, as on a remote
  /// disk that is full.
  void close() {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) refuse_writing(path_, std::strerror(errno));
  }

 private:
  fs::path path_;
  int descriptor_ = -1;
};

/// Path that `write_file` writes to, and the file that it then becomes.
struct Destination {
  bool special = false;  // not a regular file: written to directly
  fs::path file;         // after following links
  fs::path written;
};

Destination destination_of(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    throw Error(text(path.string(), ": is a directory, not a file"));
  }
  const bool special = fs::exists(path, failure) && !fs::is_regular_file(path, failure);
  const fs::path file = special ? path : without_links(path);
  const auto mode = fs::status(file, failure).permissions();
  constexpr auto any_write =
      fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  if (!special && fs::exists(file, failure) && (mode & any_write) == fs::perms::none) {
    refuse_writing(path, "it is read-only");
  }
  fs::path written = file;
  if (!special) written += text(".tmp-", ::getpid());
  return {special, file, written};
}

}  // namespace

void check_writable(const fs::path& path) {
  const Destination place = destination_of(path);
  if (place.special) {  // to open a pipe would wait for its reader
    if (::access(path.c_str(), W_OK) != 0) refuse_writing(path, std::strerror(errno));
    return;
  }
  Output(path, place.written, false).close();
  std::error_code ignored;
  fs::remove(place.written, ignored);
}

void write_file(const fs::path& path, std::string_view content) {
  const auto [special, file, target] = destination_of(path);
  std::error_code failure;
  const fs::file_status before = fs::status(file, failure);
  Output out(path, target, special);
  try {
    if (!special && fs::exists(before)) fs::permissions(target, before.permissions(), failure);
    out.write(content);
    out.close();
    if (special) return;
    fs::rename(target, file, failure);
    if (failure) refuse_writing(path, failure.message());
  } catch (...) {
    if (!special) fs::remove(target, failure);
    throw;
  }
}

}  // namespace bracket::support
