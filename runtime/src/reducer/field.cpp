// SPDX-License-Identifier: MIT

#include "bracket/runtime/field.hpp"

#include <utility>

namespace bracket {

Field::Field(Layout layout) : elements(std::move(layout)) {}

Field::Field(Layout layout, Distribution held)
    : elements(std::move(layout)), distribution(std::move(held)) {}

Field::~Field() = default;
Field::Field(const Field& other) = default;
Field::Field(Field&& other) noexcept = default;
Field& Field::operator=(const Field& other) = default;
Field& Field::operator=(Field&& other) noexcept = default;

Field Field::products(Layout elements, Layout factors) {
  Field field(std::move(elements));
  field.factors = std::move(factors);
  return field;
}

Field Field::by(Op other) const {
  Field field(*this);
  field.op = other;
  return field;
}

}  // namespace bracket
