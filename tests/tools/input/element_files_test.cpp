// SPDX-License-Identifier: MIT

#include "bracket/input/input.hpp"

#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <set>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace element_files_test {

using namespace bracket;
using Catch::Contains;

namespace {

template <class Value>
std::string raw(const Value& value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Header as NumPy writes it: magic, version 1.0, the dictionary padded to 64 bytes.
std::string npy_head(std::string dictionary) {
  while ((10 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  return std::string("\x93NUMPY\x01\x00", 8) + raw(length) + dictionary;
}

std::string npy_head(const std::string& type, const std::string& shape) {
  return npy_head("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }");
}

std::string refusal(const std::filesystem::path& path) {
  try {
    input::open_input(path);
  } catch (const Error& failure) {
    return failure.what();
  }
  return "accepted";
}

std::vector<double> all_of(const input::Input& input) {
  std::vector<double> values(static_cast<std::size_t>(input.elements()));
  input.read({0, input.elements()}, values);
  return values;
}

const std::vector<double> example{1.5, -0.0, 3e300, -5e-324, 7};

}  // namespace

TEST_CASE("the three kinds of file give their elements, whole and in part") {
  const testing::Scratch scratch;
  std::string body;
  for (const double value : example) body += raw(value);
  support::write_file(scratch.path() / "x.binpsllh", raw(std::uint64_t{5}) + body);
  support::write_file(scratch.path() / "x.f64", body);
  support::write_file(scratch.path() / "x.npy", npy_head("<f8", "5,") + body);
  for (const char* name : {"x.binpsllh", "x.f64", "x.npy"}) {
    CAPTURE(name);
    const auto input = input::open_input(scratch.path() / name);
    REQUIRE(input->elements() == 5);
    CHECK(all_of(*input) == example);
    CHECK(std::signbit(all_of(*input)[1]));
    std::vector<double> middle(2);
    input->read({2, 4}, middle);
    CHECK(middle == std::vector<double>{3e300, -5e-324});
    input->read({5, 5}, {});
  }
}

TEST_CASE("float32 elements are widened") {
  const testing::Scratch scratch;
  std::string body;
  for (const float value : {0.1f, -2.5f, 1e-45f}) body += raw(value);
  support::write_file(scratch.path() / "x.npy", npy_head("<f4", "3,") + body);
  const auto input = input::open_input(scratch.path() / "x.npy");
  CHECK(all_of(*input) == std::vector<double>{0.1f, -2.5f, 1e-45f});
}

TEST_CASE("a file that is not what it says is refused, naming file and offset") {
  const testing::Scratch scratch;
  const auto put = [&](const char* name, const std::string& content) {
    support::write_file(scratch.path() / name, content);
    return refusal(scratch.path() / name);
  };
  const std::string count = raw(std::uint64_t{2});
  const std::string value = raw(1.0);
  CHECK_THAT(put("a.binpsllh", count + value), Contains("a.binpsllh: is truncated") &&
                                                   Contains("2 elements") &&
                                                   Contains("ends at byte 16"));
  CHECK_THAT(put("a.binpsllh", count + value + value + "x"),
             Contains("too long") && Contains("end at byte 24") && Contains("ends at byte 25"));
  CHECK_THAT(put("a.binpsllh", ""), Contains("truncated"));
  CHECK_THAT(put("a.binpsllh", "1234567"), Contains("truncated"));
  CHECK_THAT(put("a.binpsllh", raw(std::uint64_t{0})), Contains("holds no element"));
  CHECK_THAT(put("a.binpsllh", raw(~std::uint64_t{0}) + value),
             Contains("the count at byte 0 is 18446744073709551615"));
  CHECK_THAT(put("a.f64", "123456789"), Contains("no whole number of 8-byte elements"));
  CHECK_THAT(put("a.f64", ""), Contains("holds no element"));
  CHECK_THAT(put("a.npy", "PK\x03\x04 not numpy at all"), Contains("is no NumPy file"));
  CHECK_THAT(put("a.npy", ""), Contains("is no NumPy file"));
  CHECK_THAT(put("a.npy", std::string("\x93NUMPY", 6)), Contains("truncated"));
  CHECK_THAT(put("a.npy", std::string("\x93NUMPY\x09\x00\x10\x00", 10)), Contains("version 9"));
  CHECK_THAT(put("a.npy", std::string("\x93NUMPY\x01\x00\xFF\x7F", 10) + "{"),
             Contains("truncated inside the NumPy header"));
  CHECK_THAT(put("a.npy", npy_head("<i8", "1,") + value), Contains("'<i8'"));
  CHECK_THAT(put("a.npy", npy_head(">f8", "1,") + value), Contains("'>f8'"));
  CHECK_THAT(put("a.npy", npy_head("<f8", "2, 3") + value), Contains("(2, 3)"));
  CHECK_THAT(put("a.npy", npy_head("<f8", "") + value), Contains("shape ()"));
  CHECK_THAT(put("a.npy", npy_head("<f8", "2,") + value), Contains("truncated"));
  CHECK_THAT(put("a.npy", npy_head("<f8", "99999999999999999999,")), Contains("out of range"));
  CHECK_THAT(put("a.npy", npy_head("<f8", "9223372036854775807,")), Contains("truncated"));
  CHECK_THAT(put("a.csv", "1,2"), Contains("known: .binpsllh, .npy, .f64"));
  CHECK_THAT(refusal(scratch.path() / "none.f64"), Contains("No such file"));
  std::filesystem::create_directory(scratch.path() / "d.f64");
  CHECK_THAT(refusal(scratch.path() / "d.f64"), Contains("not a regular file"));
}

TEST_CASE("a NumPy header's dictionary is read in any order, with either quotes and any spaces") {
  const testing::Scratch scratch;
  for (const char* dictionary :
       {"{'shape': (2,), 'fortran_order': False, 'descr': '<f8'}",
        "{\"descr\":\"<f8\",\"fortran_order\":True,\"shape\":(2,)}",
        " \t{ 'descr' : '<f8' ,\t'shape'\n:\t( 2 , ) , 'fortran_order':\nFalse , } \n\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2L,)}"}) {
    CAPTURE(dictionary);
    support::write_file(scratch.path() / "x.npy", npy_head(dictionary) + raw(1.0) + raw(2.0));
    CHECK(all_of(*input::open_input(scratch.path() / "x.npy")) == std::vector<double>{1, 2});
  }
}

TEST_CASE("a NumPy header that is not exactly its dictionary is refused") {
  const testing::Scratch scratch;
  const std::vector<std::pair<std::string, std::string>> refused{
      {"", "'{' expected"},
      {"[]", "'{' expected"},
      {"x{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "'{' expected, not 'x{'descr'"},
      {"{}", "no 'descr'"},
      {"{'descr': '<f8', 'shape': (2,)}", "no 'fortran_order'"},
      {"{'descr': '<f8', 'fortran_order': False}", "no 'shape'"},
      {"{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "'descr' twice"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'shape': (2,)}", "'shape' twice"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}",
       "'descr', 'fortran_order' or 'shape' expected, not ''x': 1}"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} {}", "nothing but spaces behind"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)", "',' expected"},
      {"{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}", "',' expected"},
      {"{'descr' '<f8'}", "':' expected"},
      {"{,'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "a string in quotes expected"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,),,}", "a string in quotes expected"},
      {"{'descr': <f8}", "a string in quotes expected"},
      {"{'descr': '<f8}", "a string in quotes, without backslashes, expected"},
      {"{'descr': '\\x3cf8'}", "without backslashes, expected"},
      {"{'descr': [('a', '<f8')]}", "several fields"},
      {"{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}", "True or False expected"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': 2}", "'(' expected"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2)}", "one dimension"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,", "one dimension"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (02,)}", "one dimension"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}", "one dimension"},
  };
  for (const auto& [dictionary, why] : refused) {
    CAPTURE(dictionary);
    support::write_file(scratch.path() / "x.npy", npy_head(dictionary) + raw(1.0) + raw(2.0));
    CHECK_THAT(refusal(scratch.path() / "x.npy"), Contains(why));
  }
}

TEST_CASE("what a NumPy header holds is shown without what a terminal would obey") {
  const testing::Scratch scratch;
  support::write_file(scratch.path() / "x.npy",
                      npy_head("\x1b[2J\xff", "2,") + raw(1.0) + raw(2.0));
  CHECK_THAT(refusal(scratch.path() / "x.npy"), Contains("type '\\x1b[2J\\xff'"));
  for (const char minor : {'\x01', '\x09'}) {
    std::string file = npy_head("<f8", "1,") + raw(1.0);
    file[7] = minor;
    support::write_file(scratch.path() / "x.npy", file);
    CHECK_THAT(refusal(scratch.path() / "x.npy"),
               Contains(text("version 1.", int{minor}, "; versions 1.0, 2.0 and 3.0 are read")));
  }
}

TEST_CASE("a NumPy header with a very long field is refused briefly") {
  const testing::Scratch scratch;
  const auto refused = [&](const std::string& type, const std::string& shape) {
    support::write_file(scratch.path() / "x.npy", npy_head(type, shape) + raw(1.0));
    const std::string why = refusal(scratch.path() / "x.npy");
    CHECK(why.size() < 1000);
    return why;
  };
  const std::size_t length = 60000;
  CHECK_THAT(refused(std::string(length, 'f'), "1,"), Contains("elements of type 'fff"));
  CHECK_THAT(refused("<f8", std::string(length, '1') + ','), Contains("out of range"));
  CHECK_THAT(refused("<f8", std::string(length, ',')), Contains("has the shape (,,,"));
  CHECK_THAT(refused("<f8", std::string(length, ' ')), Contains("one dimension"));
  CHECK_THAT(refused("<f8", "1," + std::string(length, ' ') + '2'), Contains("one dimension"));
  CHECK_THAT(refused("'" + std::string(length, 'x'), "1,"), Contains("elements of type ''"));
  std::string keys;
  while (keys.size() < length) keys += "'descr': x, ";
  support::write_file(scratch.path() / "x.npy", npy_head(keys));
  CHECK_THAT(refusal(scratch.path() / "x.npy"), Contains("'{' expected"));
}

TEST_CASE("a pipe is refused at once") {
  const testing::Scratch scratch;
  const auto pipe = scratch.path() / "pipe.f64";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(refusal(pipe), Contains("pipe.f64: is not a regular file"));
}

TEST_CASE("synthetic elements depend on seed and index alone") {
  const auto input = input::synthetic_input(1000, 7);
  const auto whole = all_of(*input);
  for (Index begin = 0; begin < 1000; begin += 37) {
    const Index end = std::min<Index>(begin + 37, 1000);
    std::vector<double> part(static_cast<std::size_t>(end - begin));
    input->read({begin, end}, part);
    CHECK(std::equal(part.begin(), part.end(), whole.begin() + begin));
  }
  CHECK(all_of(*input::synthetic_input(1000, 7)) == whole);
  CHECK(all_of(*input::synthetic_input(1000, 8)) != whole);
  CHECK(std::set<double>(whole.begin(), whole.end()).size() == 1000);
  for (const double value : whole) {
    CHECK(std::abs(value) >= 0x1p-11);
    CHECK(std::abs(value) < 0x1p10);
  }
  CHECK_THROWS_WITH(input::synthetic_input(0, 1), Contains("at least 1"));
}

}  // namespace element_files_test
