// SPDX-License-Identifier: MIT

#include "digits/exact_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bracket::tools {

namespace {

/// Binary digits of a number of the type, and exponent of its least subnormal number.
struct Format {
  int digits;
  int least;
};

template <class Number>
constexpr Format format_of_number() {
  using Limits = std::numeric_limits<Number>;
  return {Limits::digits, Limits::min_exponent - Limits::digits};
}

Format format_of(Type type) {
  return type == Type::float32 ? format_of_number<float>() : format_of_number<double>();
}

}  // namespace

ExactReference::ExactReference(std::span<const double> elements, Type type)
    : type_(type), elements_(static_cast<Index>(elements.size())) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double size = std::abs(elements[i]);
    exact_.add(elements[i]);
    magnitudes_.add(size);
    if (!std::isfinite(size)) {
      if (!first_special_) first_special_ = static_cast<Index>(i);
    } else {
      largest_ = std::max(largest_, size);
    }
  }
  sum_ = type == Type::float32 ? exact_.rounded<float>() : exact_.rounded<double>();
}

bool ExactReference::finite() const { return !first_special_ && std::isfinite(sum_); }

double ExactReference::condition() const {
  if (largest_ == 0) return 1;
  return std::abs(magnitudes() / exact_.scaled());
}

support::Scaled ExactReference::error(double computed) const {
  support::ExactSum difference = exact_;
  difference.subtract(computed);
  support::Scaled error = difference.scaled();
  error.fraction = std::abs(error.fraction);
  return error;
}

double ExactReference::ulps(double computed) const { return error(computed) / last_place(sum_); }

double ExactReference::digits(double computed) const {
  const support::Scaled off = error(computed);
  if (off.fraction == 0) return most_digits();
  const support::Scaled exact = exact_.scaled();
  if (exact.fraction == 0) return 0;
  return std::min(most_digits(), std::max(0.0, -std::log10(std::abs(off / exact))));
}

double ExactReference::most_digits() const { return format_of(type_).digits * std::log10(2.0); }

double ExactReference::roundoff() const { return std::ldexp(1.0, -format_of(type_).digits); }

support::Scaled ExactReference::last_place(double number) const {
  const auto [digits, least] = format_of(type_);
  const int exponent = number == 0 ? least : std::max(std::ilogb(number) + 1 - digits, least);
  return {0.5, exponent + 1};
}

}  // namespace bracket::tools
