// SPDX-License-Identifier: MIT

#include "bracket/support/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace file_test {

using namespace bracket;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a file is written whole, and over one that is there") {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "file";
  support::write_file(path, "first, and longer");
  support::write_file(path, "second");
  CHECK(support::read_file(path) == "second");
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("writing through a link writes what it points to") {
  const testing::Scratch scratch;
  fs::create_directory(scratch.path() / "folder");
  const auto file = scratch.path() / "folder" / "file";
  const auto link = scratch.path() / "link";
  const auto link_to_link = scratch.path() / "link to link";
  fs::create_symlink("folder/file", link);
  fs::create_symlink(link, link_to_link);
  SECTION("that exists") { support::write_file(file, "before"); }
  SECTION("that does not exist yet") {}
  support::write_file(link_to_link, "after");
  CHECK(support::read_file(file) == "after");
  CHECK(fs::is_symlink(link));
  CHECK(fs::is_symlink(link_to_link));
  CHECK(entries(scratch.path()) == 3);
  CHECK(entries(scratch.path() / "folder") == 1);
}

TEST_CASE("a link that others put where the temporary file goes is not followed") {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "file";
  const auto victim = scratch.path() / "victim";
  support::write_file(victim, "untouched");
  const auto temporary = path.string() + ".tmp-" + std::to_string(::getpid());
  fs::create_symlink(victim, temporary);
  support::write_file(path, "text");
  CHECK(support::read_file(path) == "text");
  CHECK_FALSE(fs::is_symlink(path));
  fs::create_symlink(victim, temporary);
  support::check_writable(path);
  CHECK(support::read_file(victim) == "untouched");
  CHECK(entries(scratch.path()) == 2);
}

TEST_CASE("a read-only file is not replaced") {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "file";
  support::write_file(path, "before");
  fs::permissions(path, fs::perms(0444));
  CHECK_THROWS_WITH(support::write_file(path, "after"),
                    Contains("file: cannot be written: it is read-only"));
  CHECK_THROWS_WITH(support::check_writable(path), Contains("read-only"));
  CHECK(support::read_file(path) == "before");
  CHECK(entries(scratch.path()) == 1);
}

TEST_CASE("links that go round in a circle are refused") {
  const testing::Scratch scratch;
  const auto link = scratch.path() / "link";
  fs::create_symlink("other", link);
  fs::create_symlink("link", scratch.path() / "other");
  CHECK_THROWS_WITH(support::write_file(link, "text"), Contains("link: cannot be written"));
  CHECK(fs::is_symlink(link));
}

TEST_CASE("what cannot be written is known before, and nothing is changed by asking") {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "file";
  support::check_writable(path);
  CHECK(entries(scratch.path()) == 0);
  support::write_file(path, "as it was");
  support::check_writable(path);
  support::check_writable("/dev/null");
  const auto pipe = scratch.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  support::check_writable(pipe);  // does not wait for a reader
  fs::remove(pipe);
  CHECK(support::read_file(path) == "as it was");
  CHECK(entries(scratch.path()) == 1);
  CHECK_THROWS_WITH(support::check_writable(scratch.path()), Contains("is a directory"));
  CHECK_THROWS_WITH(support::check_writable(scratch.path() / "none" / "file"),
                    Contains("file: cannot be written: No such file"));
  CHECK_THROWS_WITH(support::check_writable(path / "file"), Contains("Not a directory"));
}

TEST_CASE("a read that fails is no end of the file") {
  // The first page of a process is never there.
  CHECK_THROWS_WITH(support::read_file("/proc/self/mem"),
                    Contains("/proc/self/mem: cannot be read at byte 0: Input/output error"));
  const testing::Scratch scratch;
  const std::string content(200'000, 'x');  // more than one read
  support::write_file(scratch.path() / "file", content);
  CHECK(support::read_file(scratch.path() / "file") == content);
}

TEST_CASE("a file that is written over keeps its permissions") {
  const testing::Scratch scratch;
  const auto path = scratch.path() / "file";
  support::write_file(path, "before");
  for (const auto mode : {fs::perms(0600), fs::perms(0755), fs::perms(0640)}) {
    fs::permissions(path, mode);
    support::write_file(path, "after");
    CHECK(fs::status(path).permissions() == mode);
  }
  CHECK(support::read_file(path) == "after");
}

}  // namespace file_test
