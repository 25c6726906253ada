// SPDX-License-Identifier: MIT

#pragma once

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "bracket/record/trace.hpp"
#include "tools/cli.hpp"

/// Records programs and reads their traces.
namespace bracket::testing {

/// Runs a program on `ranks` ranks under `bracket record`.
inline Outcome record_on(int ranks, const std::filesystem::path& folder, const Words& program,
                         const Setting& setting = {}, const Words& options = {}) {
  const Words words =
      Words{BRACKET_FRONT, "record", "-o", folder.string()} + options + Words{"--"} + program;
  return run_process(
      Words{BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, std::to_string(ranks)} + words,
      with_mpi(setting));
}

template <class Number>
std::string numbers(const record::Data& data) {
  std::ostringstream out;
  for (std::size_t at = 0; at + sizeof(Number) <= data.kept.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, data.kept.data() + at, sizeof number);
    out << ' ' << number;
  }
  return out.str();
}

inline std::string numbers(const record::Data& data, const record::Type& type) {
  if (!data.present) return " -";
  if (type.element == record::Element::signed_integer) return numbers<int>(data);
  if (type.element == record::Element::extended) return numbers<long double>(data);
  return type.part == 4 ? numbers<float>(data) : numbers<double>(data);
}

/// A reduction in a line: members, number of the communicator, sequence, call, operator, items, and
/// the kept numbers of input and output.
inline std::string line_of(const record::RankTrace& trace, const record::Reduction& reduction) {
  const auto& communicator = trace.communicators[reduction.communicator];
  const auto& type = trace.types[reduction.type];
  std::ostringstream out;
  for (const int member : communicator.members) out << member;
  out << '#' << communicator.number << ' ' << reduction.sequence << ' ' << reduction.name() << ' '
      << trace.operators[reduction.op].name << ' ' << reduction.count << ':'
      << numbers(reduction.input, type) << " ->" << numbers(reduction.output, type);
  return out.str();
}

/// All reductions of a rank, by the time of their beginning.
inline std::vector<std::string> lines_of(const record::RankTrace& trace) {
  std::vector<const record::Reduction*> begun;
  for (const auto& reduction : trace.reductions) begun.push_back(&reduction);
  std::sort(begun.begin(), begun.end(),
            [](const auto* left, const auto* right) { return left->entry < right->entry; });
  std::vector<std::string> lines;
  for (const auto* const reduction : begun) lines.push_back(line_of(trace, *reduction));
  return lines;
}

/// Number of recorded calls of another function.
inline std::uint64_t count_of(const record::RankTrace& trace, const std::string& name) {
  std::uint64_t count = 0;
  for (const auto& calls : trace.others) {
    if (trace.calls[calls.name] == name) count += calls.count;
  }
  return count;
}

}  // namespace bracket::testing
