// SPDX-License-Identifier: MIT

#include "bracket/simulator/goal.hpp"

#include <algorithm>
#include <limits>

namespace bracket {

void write_goal(std::ostream& out, const Workload& workload, const Machine& machine) {
  const auto parameter = [&](const char* name, double seconds) {
    out << ' ' << name << ' ' << ticks_of(seconds, name);
  };
  out << "// LogGOPSim -b";
  parameter("-L", machine.latency);
  parameter("-o", machine.overhead);
  parameter("-g", machine.gap);
  parameter("-G", machine.gap_per_byte);
  parameter("-O", machine.overhead_per_byte);
  out << " -S " << static_cast<std::int64_t>(std::min(machine.eager_bytes, 2147483647.0))
      << " -f FILE.bin, all times in picoseconds\n";
  out << "num_ranks " << workload.ranks() << '\n';
  for (Rank rank = 0; rank < workload.ranks(); ++rank) {
    out << "\nrank " << rank << " {\n";
    std::size_t label = 0;
    const char* requires_last = "";
    for (const auto& operation : workload.operations(rank)) {
      const std::uint64_t amount = operation.amount;
      out << 'l' << ++label << ": ";
      switch (operation.kind()) {
        case Workload::Kind::compute:
          out << "calc " << amount;
          break;
        case Workload::Kind::send:
          out << "send " << amount << "b to " << operation.peer << " tag 0";
          break;
        case Workload::Kind::recv:
          out << "recv " << amount << "b from " << operation.peer << " tag 0";
      }
      out << '\n';
      if (label > 1) out << 'l' << label << requires_last << label - 1 << '\n';
      // The sender continues when the send has begun.
      requires_last = operation.kind() == Workload::Kind::send ? " irequires l" : " requires l";
    }
    out << "}\n";
  }
}

}  // namespace bracket
