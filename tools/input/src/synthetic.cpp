// SPDX-License-Identifier: MIT

#include <cmath>

#include "bracket/input/input.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/split_mix.hpp"
#include "bracket/support/text.hpp"

namespace bracket::input {

namespace {

class SyntheticInput final : public Input {
 public:
  SyntheticInput(Index elements, std::uint64_t seed) : elements_(elements), seed_(seed) {}

  Index elements() const override { return elements_; }
  std::string description() const override { return text("synthetic, seed ", seed_); }
  std::string form() const override { return text(elements_, ", seed ", seed_); }

  std::string place_of(Index element) const override {
    return text(description(), ": element ", element);
  }

  void read(Range range, std::span<double> values) const override {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = value(static_cast<std::uint64_t>(range.begin) + i);
    }
  }

 private:
  /// 52 random bits as a significand in [1, 2), then sign and exponent from the other twelve.
  [[nodiscard]] double value(std::uint64_t index) const {
    const std::uint64_t bits =
        support::split_mix(support::split_mix(seed_) + (index + 1) * 0x9E3779B97F4A7C15u);
    const double significand = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
    const int exponent = static_cast<int>((bits >> 1 & 0x7FF) % 21) - 11;
    return std::ldexp((bits & 1) != 0 ? -significand : significand, exponent);
  }

  Index elements_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Input> synthetic_input(Index elements, std::uint64_t seed) {
  if (elements < 1) throw Error(text("N must be at least 1 element, not ", elements));
  return std::make_unique<SyntheticInput>(elements, seed);
}

}  // namespace bracket::input
