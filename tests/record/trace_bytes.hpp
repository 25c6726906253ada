// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "bracket/record/check.h"
#include "bracket/record/format.h"
#include "bracket/record/trace.hpp"

/// Writes trace files as record/README.md describes them.
namespace bracket::testing {

namespace format = record::format;
using Bytes = std::vector<unsigned char>;

/// A reduction of doubles on a communicator.
struct Written {
  std::uint64_t sequence = 0;
  std::vector<double> input{};
  std::vector<double> output{};
  std::uint32_t communicator = 0;
  std::uint32_t site = 0;
  std::int64_t entry = 0;  ///< 0: after all others
  format::call call = format::call_allreduce;
  std::int64_t completed = 0;
  std::int32_t root = -1;
  std::uint32_t recording = 0;
};

/// The file of one rank. Communicator 0 has all ranks; there are sites 0 to 2.
class TraceBytes {
 public:
  TraceBytes(int rank, int ranks, std::uint32_t keep = 64, const std::string& host = "",
             std::uint32_t version = format::trace_version)
      : keep_(keep) {
    format::header header{};
    std::memcpy(header.magic, BRACKET_TRACE_MAGIC, sizeof header.magic);
    header.version = version;
    header.bytes = sizeof header;
    header.rank = rank;
    header.ranks = ranks;
    header.keep = keep;
    host.copy(header.host, sizeof header.host - 1);
    header.check = bracket_check(&header, sizeof header, 0);
    append(&header, sizeof header);
    communicator({{0, ranks}});
    format::definition type{};
    type.size = type.number = 8;
    type.element = format::element_float;
    define(format::kind_type, type, "MPI_DOUBLE", "");
    define(format::kind_op, {}, "MPI_SUM", "");
    for (std::uint32_t k = 0; k < 3; ++k) {
      format::definition site{};
      site.id = k;
      site.offset = 16 * k;
      define(format::kind_site, site, "/bin/app", "main");
    }
    define(format::kind_call, {}, "MPI_Send", "");
  }

  /// Adds communicator 1, 2, ... with these runs of ranks and this origin.
  void communicator(const std::vector<format::members>& runs,
                    const std::vector<std::uint32_t>& path = {}, std::uint64_t identity = 0,
                    std::optional<std::uint32_t> depth = {}) {
    format::definition definition{};
    definition.id = communicators_++;
    definition.number = static_cast<std::uint32_t>(path.size());
    definition.size = depth.value_or(definition.number);
    definition.offset = identity;
    define(format::kind_communicator, definition, bytes_of(runs) + bytes_of(path), "");
  }

  void reduction(const Written& written) {
    format::reduction_record record{};
    record.head.kind = format::kind_reduction;
    record.head.call = static_cast<std::uint16_t>(written.call);
    record.head.flags = format::flag_input | (written.output.empty() ? 0 : format::flag_output);
    record.communicator = written.communicator;
    record.site = written.site;
    record.root = written.root;
    record.recording = written.recording;
    record.sequence = written.sequence;
    record.count = written.input.size();
    record.entry = written.entry != 0 ? written.entry : ++time_ * 1000;
    record.returned = record.completed = written.completed;
    record.input_bytes = written.input.size() * 8;
    record.input_digest = XXH3_64bits(written.input.data(), record.input_bytes);
    record.output_bytes = written.output.size() * 8;
    record.output_digest = XXH3_64bits(written.output.data(), record.output_bytes);
    std::string kept = bytes_of(written.input);
    kept.resize(std::min<std::size_t>(kept.size(), keep_));
    record.kept_input = static_cast<std::uint32_t>(kept.size());
    std::string kept_output = bytes_of(written.output);
    kept_output.resize(std::min<std::size_t>(kept_output.size(), keep_));
    record.kept_output = static_cast<std::uint32_t>(kept_output.size());
    add(&record.head, sizeof record, kept + kept_output);
  }

  /// A blocking reduction of the same site, communicator and sizes as one before. The sequence is
  /// not written.
  void repeat(const Written& written) {
    format::repeat_record record{};
    record.head.kind = format::kind_repeat;
    record.head.flags = written.site;
    record.entry = written.entry;
    record.nanoseconds = static_cast<std::uint32_t>(written.completed - written.entry);
    record.recording = written.recording;
    add(&record.head, sizeof record, bytes_of(written.input) + bytes_of(written.output));
  }

  void sends(std::uint64_t count) {
    format::other_record record{};
    record.head.kind = format::kind_other;
    record.count = count;
    add(&record.head, sizeof record, "");
  }

  void end(std::int64_t time = 0) {
    format::end_record record{};
    record.head.kind = format::kind_end;
    record.time = time;
    add(&record.head, sizeof record, "");
  }

  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  [[nodiscard]] record::RankTrace parsed() const { return record::parse_rank(bytes_, "file"); }

  /// Offsets of the records.
  [[nodiscard]] const std::vector<std::size_t>& records() const { return records_; }

 private:
  template <class Number>
  static std::string bytes_of(const std::vector<Number>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]};
  }

  void append(const void* from, std::size_t count) {
    const auto* const begin = static_cast<const unsigned char*>(from);
    bytes_.insert(bytes_.end(), begin, begin + count);
  }

  void define(format::kind kind, format::definition definition, const std::string& first,
              const std::string& second) {
    definition.head.kind = static_cast<std::uint16_t>(kind);
    definition.first = static_cast<std::uint32_t>(first.size());
    definition.second = static_cast<std::uint32_t>(second.size());
    add(&definition.head, sizeof definition, first + second);
  }

  void add(const format::head* head, std::size_t fixed, const std::string& rest) {
    records_.push_back(bytes_.size());
    append(head, fixed);
    append(rest.data(), rest.size());
    while (bytes_.size() % 8 != 0) bytes_.push_back(0);
    seal(bytes_, records_.back(), bytes_.size() - records_.back(), records_.size());
  }

 public:
  /// Gives the record at an offset its size and check. The first record of a file has number 1.
  static void seal(Bytes& bytes, std::size_t at, std::size_t size, std::size_t number) {
    const auto count = static_cast<std::uint32_t>(size);
    std::memcpy(bytes.data() + at, &count, sizeof count);
    const std::uint32_t check = bracket_check(bytes.data() + at + 8, size - 8, number);
    std::memcpy(bytes.data() + at + 4, &check, sizeof check);
  }

 private:
  std::uint32_t keep_;
  Bytes bytes_;
  std::vector<std::size_t> records_;
  std::uint32_t communicators_ = 0;
  std::int64_t time_ = 0;
};

}  // namespace bracket::testing
