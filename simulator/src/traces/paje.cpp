// SPDX-License-Identifier: MIT

#include <algorithm>
#include <vector>

#include "bracket/simulator/timeline.hpp"
#include "traces/trace_words.hpp"

namespace bracket {

namespace {

/// Definitions of the events in use, each with its fields.
constexpr const char* header = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajePushState 6
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePopState 7
%  Time date
%  Type string
%  Container string
%EndEventDef
%EventDef PajeStartLink 8
%  Time date
%  Type string
%  Container string
%  StartContainer string
%  Value string
%  Key string
%EndEventDef
%EventDef PajeEndLink 9
%  Time date
%  Type string
%  Container string
%  EndContainer string
%  Value string
%  Key string
%EndEventDef
0 M 0 machine
0 R M rank
1 S R state
2 L M R R message
3 compute S compute "0.3 0.5 0.8"
3 send S send "0.9 0.5 0.2"
3 receive S receive "0.3 0.7 0.3"
4 0 m M 0 machine
)";

/// Exact to the last tick.
simulator::Decimal seconds(Ticks ticks) { return {ticks, 12}; }

/// An end of an interval. The lines of a trace are in order of time. At the same time, ends come
/// before beginnings; an interval that begins and ends at that time comes in between.
struct Edge {
  Ticks time;
  bool begins;
  const Interval* interval;
};

std::vector<Edge> edges_of(const Timeline& timeline) {
  std::vector<Edge> edges;
  edges.reserve(2 * timeline.size());
  for (const Interval& interval : timeline) {
    edges.push_back({interval.start, true, &interval});
    edges.push_back({interval.end, false, &interval});
  }
  const auto turn = [](const Edge& edge) {
    if (edge.interval->start == edge.interval->end) return 1;
    return edge.begins ? 2 : 0;
  };
  std::stable_sort(edges.begin(), edges.end(), [&](const Edge& left, const Edge& right) {
    return left.time != right.time ? left.time < right.time : turn(left) < turn(right);
  });
  return edges;
}

}  // namespace

void write_paje(std::ostream& out, const Timeline& timeline, Rank ranks) {
  out << header;
  for (Rank rank = 0; rank < ranks; ++rank) {
    out << "4 0 r" << rank << " R m \"rank " << rank << "\"\n";
  }
  Ticks last = 0;
  for (const auto& [time, begins, interval] : edges_of(timeline)) {
    const auto& [rank, kind, start, end, peer, bytes, send] = *interval;
    const simulator::Decimal at = seconds(time);
    last = time;
    if (begins) {
      out << "6 " << at << " S r" << rank << ' ' << simulator::name_of(kind) << '\n';
    } else {
      out << "7 " << at << " S r" << rank << '\n';
    }
    if (kind == Workload::Kind::send && begins) {
      out << "8 " << at << " L m r" << rank << " \"" << bytes << " bytes\" " << send << '\n';
    } else if (kind == Workload::Kind::recv && !begins) {
      out << "9 " << at << " L m r" << rank << " \"" << bytes << " bytes\" " << send << '\n';
    }
  }
  for (Rank rank = 0; rank < ranks; ++rank) out << "5 " << seconds(last) << " R r" << rank << '\n';
  out << "5 " << seconds(last) << " M m\n";
}

}  // namespace bracket
