// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace bracket::support {

/// Parses a whole number as people write one: `1000000`, `1e6`, `2.5e3`, or with a suffix: k, M, G
/// for powers of 1000 and Ki, Mi, Gi for powers of 1024, as in `10M`, `1.5k` and `64Ki`. The value
/// is exact. Throws `Error` for a number that is not whole, above `most`, or below the least 64-bit
/// integer. `what` names the number in the message.
std::int64_t parse_count(std::string_view written, std::string_view what,
                         std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace bracket::support
