// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <span>

namespace bracket::support {

/// Kendall's τ-b (Kendall 1945) of paired figures: 1 if both sides order all pairs alike, −1 if in
/// opposite ways. Empty for fewer than two pairs, or if all figures of one side are equal. Throws
/// `Error` unless both sides have the same length.
std::optional<double> kendall_tau(std::span<const double> left, std::span<const double> right);

}  // namespace bracket::support
