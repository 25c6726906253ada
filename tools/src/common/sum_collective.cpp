// SPDX-License-Identifier: MIT

#include "common/sum_collective.hpp"

#include <algorithm>
#include <array>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr std::array sum_collective_names{"all-reduce", "reduce", "reduce-scatter", "scan"};

}  // namespace

std::string name_of(SumCollective collective) {
  return sum_collective_names[static_cast<std::size_t>(collective)];
}

SumCollective sum_collective_named(const std::string& name) {
  const auto* const found =
      std::find(sum_collective_names.begin(), sum_collective_names.end(), name);
  if (found == sum_collective_names.end()) {
    throw Error(text("--collective ", excerpt(name),
                     ": all-reduce, reduce, reduce-scatter or scan was expected"));
  }
  return static_cast<SumCollective>(found - sum_collective_names.begin());
}

}  // namespace bracket::tools
