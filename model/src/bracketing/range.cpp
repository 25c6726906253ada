#include "bracket/model/partial.hpp"

#include <ostream>

namespace bracket {

std::ostream& operator<<(std::ostream& out, Range range) {
  return out << '[' << range.begin << ',' << range.end << ')';
}

std::ostream& operator<<(std::ostream& out, Partial partial) {
  if (!partial.run) return out << partial.range;
  return out << partial.range.begin << "..." << partial.range.end - 1;
}

}  // namespace bracket
