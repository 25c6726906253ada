#pragma once

#include <optional>

#include "bracket/support/error.hpp"

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

}  // namespace bracket
