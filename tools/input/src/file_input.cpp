// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "npy.hpp"

namespace bracket::input {

namespace {

/// An open file, read at given offsets.
class File {
 public:
  explicit File(const std::filesystem::path& path)
      // O_NONBLOCK, because opening a pipe would wait for a writer.
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail("cannot be opened");
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail("cannot be examined");
    if (!S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      throw Error(text(path_.string(), ": is not a regular file"));
    }
    size_ = status.st_size;
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] std::string name() const { return path_.string(); }

  /// Reads exactly `bytes` bytes from `offset`.
  void read(Index offset, void* into, std::size_t bytes) const {
    auto* at = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t got = ::pread(descriptor_, at, bytes, offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        throw Error(text(name(), ": cannot be read at byte ", offset, ": ", std::strerror(errno)));
      if (got == 0) throw Error(text(name(), ": ends at byte ", offset, " while being read"));
      at += got;
      offset += got;
      bytes -= static_cast<std::size_t>(got);
    }
  }

 private:
  [[noreturn]] void fail(const char* what) {
    const int reason = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error(text(path_.string(), ": ", what, ": ", std::strerror(reason)));
  }

  std::filesystem::path path_;
  int descriptor_;
  Index size_ = 0;
};

template <class Word>
Word from_little_endian(Word word) {
  if constexpr (std::endian::native == std::endian::big) {
    auto bytes = std::bit_cast<std::array<char, sizeof(Word)>>(word);
    std::reverse(bytes.begin(), bytes.end());
    word = std::bit_cast<Word>(bytes);
  }
  return word;
}

/// Place of the elements in a file.
struct FileLayout {
  Index offset = 0;  // bytes
  Index elements = 0;
  Index item_bytes = 8;  // 8: float64, 4: float32
};

void check_length(const File& file, const FileLayout& layout, const char* counted_by) {
  if (layout.elements < 1)
    throw Error(text(file.name(), ": holds no element; N must be at least 1"));
  const Index room = file.size() - layout.offset;
  if (layout.elements > room / layout.item_bytes) {
    throw Error(text(file.name(), ": is truncated: ", counted_by, " promises ", layout.elements,
                     " elements of ", layout.item_bytes, " bytes from byte ", layout.offset,
                     " on, but the file ends at byte ", file.size()));
  }
  const Index end = layout.offset + layout.elements * layout.item_bytes;
  if (end != file.size()) {
    throw Error(text(file.name(), ": is too long: ", counted_by, " promises ", layout.elements,
                     " elements, which end at byte ", end, ", but the file ends at byte ",
                     file.size()));
  }
}

FileLayout layout_of_binpsllh(const File& file) {
  std::uint64_t count = 0;
  if (file.size() < 8) {
    throw Error(text(file.name(), ": is truncated: the count takes 8 bytes, the file ends at byte ",
                     file.size()));
  }
  file.read(0, &count, sizeof count);
  count = from_little_endian(count);
  if (count > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
    throw Error(text(file.name(), ": is truncated: the count at byte 0 is ", count,
                     ", but the file ends at byte ", file.size()));
  }
  const FileLayout layout{8, static_cast<Index>(count), 8};
  check_length(file, layout, "the count at byte 0");
  return layout;
}

FileLayout layout_of_f64(const File& file) {
  if (file.size() % 8 != 0) {
    throw Error(text(file.name(), ": is truncated: its ", file.size(),
                     " bytes are no whole number of 8-byte elements"));
  }
  const FileLayout layout{0, file.size() / 8, 8};
  check_length(file, layout, "the file's size");
  return layout;
}

FileLayout layout_of_npy(const File& file) {
  std::string head(static_cast<std::size_t>(std::min<Index>(file.size(), npy_longest_head)), '\0');
  file.read(0, head.data(), head.size());
  NpyHeader header;
  try {
    header = parse_npy_header(head);
  } catch (const Error& failure) {
    throw Error(text(file.name(), ": ", failure.what()));
  }
  const FileLayout layout{header.data_offset, header.elements, header.item_bytes};
  check_length(file, layout, "the header's shape");
  return layout;
}

class FileInput final : public Input {
 public:
  FileInput(std::unique_ptr<File> file, FileLayout layout)
      : file_(std::move(file)), layout_(layout) {}

  Index elements() const override { return layout_.elements; }
  std::string description() const override { return file_->name(); }
  std::string form() const override {
    return text(layout_.elements, " of ", layout_.item_bytes, " bytes from byte ", layout_.offset,
                " on");
  }

  void read(Range range, std::span<double> values) const override {
    if (layout_.item_bytes == 4) {
      std::vector<float> narrow(values.size());
      read_items(range, std::span(narrow));
      std::copy(narrow.begin(), narrow.end(), values.begin());
    } else {
      read_items(range, values);
    }
  }

  std::string place_of(Index element) const override {
    return text(file_->name(), ": element ", element, ", at byte ",
                layout_.offset + element * layout_.item_bytes);
  }

 private:
  template <class Item>
  void read_items(Range range, std::span<Item> items) const {
    file_->read(layout_.offset + range.begin * layout_.item_bytes, items.data(),
                items.size_bytes());
    if constexpr (std::endian::native == std::endian::big) {
      for (auto& item : items) item = from_little_endian(item);
    }
  }

  std::unique_ptr<File> file_;
  FileLayout layout_;
};

}  // namespace

std::unique_ptr<Input> open_input(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  FileLayout (*layout_of)(const File&) = ending == ".binpsllh" ? layout_of_binpsllh
                                         : ending == ".npy"    ? layout_of_npy
                                         : ending == ".f64"    ? layout_of_f64
                                                               : nullptr;
  if (layout_of == nullptr) {
    throw Error(text(path.string(), ": the kind of file is not known by its ending '", ending,
                     "'; known: .binpsllh, .npy, .f64"));
  }
  auto file = std::make_unique<File>(path);
  const FileLayout layout = layout_of(*file);
  return std::make_unique<FileInput>(std::move(file), layout);
}

}  // namespace bracket::input
