#include "common/result.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "bracket/support/fnv1a.hpp"

namespace bracket::tools {

std::string bits_text(double value) {
  return fmt::format("0x{:016X}", std::bit_cast<std::uint64_t>(value));
}

void tell_result(nlohmann::ordered_json& row, std::span<const double> items) {
  if (items.size() == 1) {
    row["result"] = items[0];
    row["result_hex"] = fmt::format("{:a}", items[0]);
    row["result_bits"] = bits_text(items[0]);
    return;
  }
  support::Fnv1a digest;
  for (const double item : items) digest.number(std::bit_cast<std::uint64_t>(item));
  row["result_digest"] = fmt::format("{:016x}", digest.value());
}

}  // namespace bracket::tools
