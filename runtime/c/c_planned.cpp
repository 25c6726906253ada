// SPDX-License-Identifier: MIT

#include "c_planned.hpp"

#include <memory>
#include <string>

#include "bracket/model/plan_file.hpp"
#include "bracket/runtime/communicator.hpp"
#include "calls.hpp"

using bracket::at;
using bracket::Error;
using bracket::guarded;

namespace {

bracket_planned planned(const char* path, int64_t elements, int rank, int ranks) {
#ifdef BRACKET_HAS_JSON
  auto header = bracket::read_planned_reduction(&at(path, "the path of the plan file"), elements,
                                                static_cast<bracket::Rank>(ranks));
  const bracket::Range held = header.distribution.range(static_cast<bracket::Rank>(rank));
  return {std::move(header), held};
#else
  static_cast<void>(elements + rank + ranks);
  at(path, "the path of the plan file");
  throw Error("this libbracket reads no plan files: it was built without nlohmann-json");
#endif
}

}  // namespace

int bracket_planned_read(MPI_Comm communicator, const char* path, int64_t elements,
                         bracket_planned** place) {
  return guarded([&] {
    if (place != nullptr) *place = nullptr;
    const bracket::Communicator ranks(communicator);
    std::unique_ptr<bracket_planned> made;
    bracket::together(ranks, [&] {
      at(place, "the place of the planned reduction");
      made = std::make_unique<bracket_planned>(planned(path, elements, ranks.rank(), ranks.size()));
    });
    *place = made.release();
  });
}

int bracket_planned_held(const bracket_planned* planned, int64_t* begin, int64_t* end) {
  return guarded([&] {
    const bracket_planned& read = at(planned, "the planned reduction");
    int64_t& first = at(begin, "the place of the first element");
    at(end, "the place of the end") = read.held.end;
    first = read.held.begin;
  });
}

void bracket_planned_free(bracket_planned** planned) {
  if (planned == nullptr) return;
  delete *planned;
  *planned = nullptr;
}
