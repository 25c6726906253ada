// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <type_traits>
#include <typeinfo>

#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/operators.hpp"

/// Operators of programs. `Reducer` makes them; programs do not use them.
namespace bracket::runtime {

/// The elements that an operator of a program folds.
class OwnElements {
 public:
  virtual ~OwnElements() = default;

  /// Address of `count` elements from number `first` on, side by side and aligned: where they lie,
  /// or copies in `room`. Null if they do not lie so and `room` is null.
  virtual const void* get(Index first, Index count, void* room) const = 0;
};

/// An operator of a program and the type of its elements, without static types. Results may lie
/// where operands do.
class OwnOperator {
 public:
  OwnOperator(std::size_t element_bytes, std::size_t element_alignment, const char* element_type,
              const char* operator_name)
      : bytes(element_bytes),
        alignment(element_alignment),
        type(element_type),
        name(operator_name) {}
  virtual ~OwnOperator() = default;
  OwnOperator(const OwnOperator&) = delete;
  OwnOperator& operator=(const OwnOperator&) = delete;

  /// A copy, which the caller deletes. Throws as copying the operator does.
  [[nodiscard]] virtual OwnOperator* copy() const = 0;

  /// Whether there is a function: a pointer or a `std::function` may be null.
  [[nodiscard]] virtual bool callable() const = 0;

  /// Whether elements have products.
  [[nodiscard]] virtual bool multiplies() const { return false; }

  /// target := left ∘ right. Throws as the operator does.
  virtual void join(const void* left, const void* right, void* target) const = 0;

  /// target := a bracket of `count` >= 1 elements that begins a chunk, folded in chunks of `chunk`.
  virtual void fold(const OwnElements& elements, Index first, Index count, Index chunk,
                    void* target) const = 0;

  /// Multiplies each element by its factor.
  virtual void multiply(void* elements, const void* factors, Index count) const {
    static_cast<void>(elements), static_cast<void>(factors), static_cast<void>(count);
  }

  const std::size_t bytes;  ///< of an element
  const std::size_t alignment;
  const char* const type;  ///< the same on every rank
  const char* const name;  ///< the same on every rank
};

/// Most bytes of a block of elements that are copied to be folded.
inline constexpr std::size_t own_block_bytes = 16384;

/// The function object of a program. It must exist as long as this, except that of a copy.
template <class Element, class Function>
class OwnOperatorOf final : public OwnOperator {
 public:
  explicit OwnOperatorOf(const Function& function)
      : OwnOperator(sizeof(Element), alignof(Element), typeid(Element).name(),
                    typeid(Function).name()),
        function_(&function) {}
  ~OwnOperatorOf() override { delete owned_; }

  [[nodiscard]] OwnOperator* copy() const override {
    const auto* const owned = new Function(*function_);
    auto* const made = new OwnOperatorOf(*owned);
    made->owned_ = owned;
    return made;
  }

  [[nodiscard]] bool callable() const override {
    if constexpr (std::is_pointer_v<Function> ||
                  std::is_constructible_v<Function, std::nullptr_t>) {
      return *function_ != nullptr;
    }
    return true;
  }

  [[nodiscard]] bool multiplies() const override { return Multipliable<Element>; }

  void join(const void* left, const void* right, void* target) const override {
    *static_cast<Element*>(target) =
        call(*static_cast<const Element*>(left), *static_cast<const Element*>(right));
  }

  void fold(const OwnElements& elements, Index first, Index count, Index chunk,
            void* target) const override {
    // By reference: a copy of a function object may allocate.
    const auto join_two = [this](const Element& left, const Element& right) {
      return call(left, right);
    };
    auto& result = *static_cast<Element*>(target);
    if (const void* const in_place = elements.get(first, count, nullptr)) {
      result = bracket::fold(static_cast<const Element*>(in_place), count, chunk, join_two);
      return;
    }
    constexpr std::size_t alignment_of_room = alignof(Element) > 64 ? alignof(Element) : 64;
    alignas(alignment_of_room) std::byte bytes_of_room[sizeof(Element) * most];
    const auto load = [&](Index from, Index size) {
      return static_cast<const Element*>(elements.get(first + from, size, bytes_of_room));
    };
    result = fold_in_blocks<Element>(
        count, chunk, most,
        [&](Index from, Index size) {
          return bracket::fold(load(from, size), size, chunk, join_two);
        },
        [&](Element& value, Index from, Index size, bool begins) {
          const Element* const block = load(from, size);
          for (Index i = 0; i < size; ++i) {
            value = begins && i == 0 ? block[i] : call(value, block[i]);
          }
        },
        join_two);
  }

  void multiply(void* elements, const void* factors, Index count) const override {
    if constexpr (Multipliable<Element>) {
      auto* const products = static_cast<Element*>(elements);
      for (Index i = 0; i < count; ++i) {
        products[i] = product_of(products[i], static_cast<const Element*>(factors)[i]);
      }
    }
  }

 private:
  /// Most elements of a block, a power of two.
  static constexpr Index most =
      static_cast<Index>(std::bit_floor(own_block_bytes / sizeof(Element)));

  Element call(const Element& left, const Element& right) const {
    return (*function_)(left, right);
  }

  const Function* function_;
  const Function* owned_ = nullptr;
};

}  // namespace bracket::runtime
