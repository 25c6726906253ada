#pragma once

#include <optional>
#include <span>

namespace bracket {

/// Kendall's τ-b (Kendall 1945) of two lists of figures: 1 if both have the same order, −1 if they
/// have opposite orders. Empty for fewer than two figures, and if all figures of a list are equal.
/// Throws `Error` if the lists differ in length.
std::optional<double> kendall_tau(std::span<const double> left, std::span<const double> right);

}  // namespace bracket
