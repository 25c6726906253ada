// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <optional>

#include "bracket/model/range.hpp"
#include "bracket/support/error.hpp"

/// Types of results.
namespace bracket {

/// A result on the ranks to which it is delivered; empty on the others.
template <class Value>
class Delivered {
 public:
  Delivered() = default;
  Delivered(const Value& value) : value_(value) {}  // NOLINT: a value is a delivered one

  [[nodiscard]] bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }

  /// Throws `Error` on a rank to which the result is not delivered.
  [[nodiscard]] Value value() const {
    if (value_) return *value_;
    throw Error(
        "the result is not delivered to this rank: test it before you take its value, or reduce "
        "without a root");
  }
  [[nodiscard]] Value value_or(const Value& otherwise) const { return value_.value_or(otherwise); }

  /// Requires that the result is delivered to this rank.
  const Value& operator*() const { return *value_; }
  const Value* operator->() const { return &*value_; }

  operator std::optional<Value>() const { return value_; }  // NOLINT: it is one
  friend bool operator==(const Delivered& one, const std::optional<Value>& other) {
    return one.value_ == other;
  }

 private:
  std::optional<Value> value_;
};

/// A number and the global index of its element.
template <class Number>
struct Located {
  Number value{};
  Index index = 0;

  friend bool operator==(const Located&, const Located&) = default;
};

/// Two numbers that identify the elements of a reduction. Elements count with all their bits: +0
/// and −0 differ, and so do NaNs.
///
/// An equal `sequence` means the same elements in the same sequence; an equal `set` with a
/// different `sequence`, the same elements in another sequence; a different `set`, different
/// elements. Two different inputs have equal digests with a probability of about 2^-64.
struct Digest {
  std::uint64_t set = 0;       ///< depends on the elements alone
  std::uint64_t sequence = 0;  ///< depends on the elements and their global indices

  friend bool operator==(const Digest&, const Digest&) = default;
};

/// What the algorithm `stochastic` says about a sum.
struct Accuracy {
  double digits = 0;  ///< decimal digits that rounding errors do not affect, by Student's test at
                      ///< 95 %, at most those of the type; of the less accurate part of a complex
                      ///< number
  std::int64_t cancellations = 0;  ///< additions whose result has at least four digits less than
                                   ///< their operands
};

}  // namespace bracket
