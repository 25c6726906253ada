// SPDX-License-Identifier: MIT

#include "common/parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bracket/runtime/kernel.hpp"
#include "version.hpp"

namespace bracket::tools {

std::vector<Part> parts() {
  std::vector<std::string> supported;
  for (const auto& kernel : runtime::kernels()) {
    if (kernel.supported()) supported.emplace_back(kernel.name);
  }
  std::vector<Part> all{BRACKET_PARTS};
  all.insert(all.begin(),
             {"kernels of this processor", fmt::format("{}", fmt::join(supported, ", "))});
  return all;
}

std::string version_text() {
  std::string all = "bracket " BRACKET_VERSION "\n";
  for (const Part& part : parts()) {
    all += fmt::format("  {:<28}{}\n", part.name, part.with.empty() ? "not built" : part.with);
  }
  all.pop_back();  // CLI11 ends the line
  return all;
}

}  // namespace bracket::tools
