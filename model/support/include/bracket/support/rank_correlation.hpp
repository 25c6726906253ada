#pragma once

#include <optional>
#include <span>

namespace bracket {

/// Kendall's τ-b (Kendall 1945) of figures side by side: 1 if both put their pairs in one order, −1
/// if in the opposite. Nothing of fewer than two pairs or where all figures of one side are equal.
/// Throws `Error` unless both are as many.
std::optional<double> kendall_tau(std::span<const double> left, std::span<const double> right);

}  // namespace bracket
