// SPDX-License-Identifier: MIT

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Reads what `bracket record` recorded.
namespace bracket::record {

/// Numbers that an item of a type has.
enum class Element { other, floating, complex, signed_integer, unsigned_integer, extended };

/// How a communicator was made, the same on all of its ranks. `format.h` describes the members.
struct Origin {
  std::uint32_t depth = 0;
  std::vector<std::uint32_t> path{};
  std::uint64_t identity = 0;

  auto operator<=>(const Origin&) const = default;
};

/// A communicator, the same on all ranks of a run and in other runs of a program.
struct Communicator {
  std::vector<int> members;  ///< ranks in `MPI_COMM_WORLD`
  std::uint32_t number = 0;  ///< which one with these members, in the sequence of their origins
  std::string name;          ///< by MPI; empty if it has none
  Origin origin{};

  /// Compares members and numbers. Names may differ.
  bool operator==(const Communicator& other) const {
    return number == other.number && members == other.members;
  }
  auto operator<=>(const Communicator& other) const {
    if (const auto order = members <=> other.members; order != 0) return order;
    return number <=> other.number;
  }
};

struct Type {
  std::string name;
  std::uint32_t bytes = 0;  ///< size of an item without gaps
  Element element = Element::other;
  std::uint32_t part = 0;  ///< bytes of a number of an item
};

struct Operator {
  std::string name;
  bool commutes = true;
};

/// Place of a call in a program.
struct Site {
  std::string object;        ///< file of the program or library
  std::uint64_t offset = 0;  ///< bytes from the beginning of the object
  std::string symbol;        ///< function; empty if it has no name
  std::uint32_t into = 0;    ///< bytes from the beginning of the function

  /// Name of the object without folders.
  [[nodiscard]] std::string_view file() const;
  /// `solve+0x5c (cg+0x1a2b)`.
  [[nodiscard]] std::string text() const;
};

enum class Call { allreduce, reduce, reduce_scatter, reduce_scatter_block, scan, exscan };

enum class Form { blocking, nonblocking, persistent };

/// An input or an output.
struct Data {
  bool present = false;
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;               ///< XXH3
  std::span<const unsigned char> kept{};  ///< the first bytes

  /// Compares the data by size and digest.
  [[nodiscard]] bool same(const Data& other) const {
    return present == other.present && bytes == other.bytes && digest == other.digest;
  }
};

/// A reduction on one rank. Indices are those of its `RankTrace`. Times are nanoseconds of the
/// rank's own clock.
struct Reduction {
  Call call{};
  Form form{};
  bool in_place = false;
  bool unfinished = false;
  bool failed = false;
  std::uint32_t communicator = 0;
  std::uint32_t type = 0;
  std::uint32_t op = 0;
  std::uint32_t site = 0;
  int root = -1;
  std::uint64_t sequence = 0;  ///< number on the communicator
  std::uint64_t count = 0;
  std::int64_t entry = 0;
  std::int64_t returned = 0;
  std::int64_t completed = 0;
  std::int64_t recording = 0;  ///< nanoseconds of the recorder since the rank's `entry` before
  Data input;
  Data output;

  /// `MPI_Iallreduce`.
  [[nodiscard]] std::string name() const;
};

/// Consecutive calls of a function that is no reduction.
struct OtherCalls {
  std::uint32_t name = 0;  ///< index of `RankTrace::calls`
  std::uint64_t count = 0;
  std::int64_t entry = 0;
  std::int64_t completed = 0;
  std::int64_t nanoseconds = 0;
};

/// Why a rank's recording ended. `cut`: the file has no end.
enum class End { finalize, exit, abort, signal, cut };

/// Trace of one rank.
struct RankTrace {
  std::array<unsigned char, 16> run{};
  int rank = 0;
  int ranks = 1;
  std::uint32_t keep = 0;
  std::int64_t realtime = 0;  ///< nanoseconds since 1970 when the clock showed `monotonic`
  std::int64_t monotonic = 0;
  std::string host;
  std::string library;
  std::string program;
  std::vector<Communicator> communicators;
  std::vector<Type> types;
  std::vector<Operator> operators;
  std::vector<Site> sites;
  std::vector<std::string> calls;     ///< names of other functions
  std::vector<Reduction> reductions;  ///< in the sequence of their ends
  std::vector<OtherCalls> others;
  End end = End::cut;
  std::int64_t ended = 0;  ///< when the recording ended; of a cut file, the end of the last record
  std::vector<unsigned char> content;  ///< of the file; `kept` refers to it
};

/// Traces of all ranks of a run, by rank.
struct Trace {
  std::vector<RankTrace> ranks;

  /// Ranks whose file has no end.
  [[nodiscard]] std::vector<int> cut() const;
};

/// Reads the content of the file `name`. A file that ends within a record is cut. Throws `Error`
/// with the name and the offset if it is damaged. The numbers of communicators are those of their
/// origins: only all ranks together determine them.
RankTrace parse_rank(std::vector<unsigned char> content, const std::string& name);

/// Whether a file begins as a trace, is empty or does not exist: only such a file is replaced.
bool is_begun_trace(const std::filesystem::path& file);

/// Reads the folder of `bracket record -o`. Throws `Error` if a file is missing, damaged or of
/// another run.
Trace read_trace(const std::filesystem::path& folder);

}  // namespace bracket::record
