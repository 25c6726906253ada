// SPDX-License-Identifier: MIT

#include "bracket/record/trace.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "bracket/record/format.h"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"

namespace bracket::record {

std::string_view Site::file() const {
  const std::string_view all = object;
  return all.substr(all.rfind('/') + 1);
}

std::string Site::text() const {
  std::string place = bracket::text(file(), "+0x", std::hex, offset);
  if (symbol.empty()) return place;
  return bracket::text(symbol, "+0x", std::hex, into, " (", place, ')');
}

std::string Reduction::name() const {
  constexpr std::array names{"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block",
                             "scan",      "exscan"};
  std::string name = names.at(static_cast<std::size_t>(call));
  if (form == Form::nonblocking) return "MPI_I" + name;
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return "MPI_" + name + (form == Form::persistent ? "_init" : "");
}

std::vector<int> Trace::cut() const {
  std::vector<int> list;
  for (const RankTrace& rank : ranks) {
    if (rank.end == End::cut) list.push_back(rank.rank);
  }
  return list;
}

bool is_begun_trace(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return true;
  constexpr std::string_view magic = BRACKET_TRACE_MAGIC;
  std::string begin(magic.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in.gcount() == 0 || begin == magic;
}

namespace {

RankTrace read_rank(const std::filesystem::path& folder, int rank) {
  const auto path = folder / text("rank-", rank, ".trace");
  std::error_code unknown;  // then the file cannot be opened, either
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(text(path.string(), ": no regular file: a trace was expected"));
  }
  const std::string content = support::read_file(path);
  RankTrace trace = parse_rank({content.begin(), content.end()}, path.string());
  if (trace.rank != rank) {
    throw Error(text(path.string(), ": the trace of rank ", trace.rank, ", but rank ", rank,
                     " was expected"));
  }
  return trace;
}

/// Numbers the communicators that have the same members. A rank may have begun to reduce on them in
/// another sequence than the others.
void number_communicators(Trace& trace) {
  std::map<std::vector<int>, std::vector<Origin>> origins;
  for (const RankTrace& rank : trace.ranks) {
    for (const auto& one : rank.communicators) origins[one.members].push_back(one.origin);
  }
  for (auto& [members, all] : origins) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  for (RankTrace& rank : trace.ranks) {
    for (auto& one : rank.communicators) {
      const auto& same = origins[one.members];
      const auto at = std::lower_bound(same.begin(), same.end(), one.origin);
      one.number = static_cast<std::uint32_t>(at - same.begin());
    }
  }
}

}  // namespace

Trace read_trace(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(text(folder.string(), ": no folder of `bracket record -o`"));
  }
  std::error_code failure;
  const bool empty = std::filesystem::is_empty(folder, failure);
  if (failure) throw Error(text(folder.string(), ": cannot be read: ", failure.message()));
  if (empty) {
    throw Error(text(folder.string(),
                     ": an empty folder: no rank of the program called MPI_Init, its MPI library "
                     "is linked statically, or another preloaded tool calls PMPI_Init"));
  }
  Trace trace;
  trace.ranks.push_back(read_rank(folder, 0));
  const int ranks = trace.ranks[0].ranks;
  for (int rank = 1; rank < ranks; ++rank) {
    RankTrace next = read_rank(folder, rank);
    if (next.run != trace.ranks[0].run || next.ranks != ranks) {
      throw Error(text(folder.string(), "/rank-", rank, ".trace: another run than that of rank 0"));
    }
    trace.ranks.push_back(std::move(next));
  }
  number_communicators(trace);
  return trace;
}

}  // namespace bracket::record
