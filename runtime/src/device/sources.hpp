// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>

#include "bracket/runtime/cells.hpp"
#include "bracket/runtime/operators.hpp"
#include "device/leaf.hpp"

/// Sources of the leaf of devices, which read the elements of a field:
///
///     cells(count)                number of cells of a bracket
///     Own of(begin, count)        the source of the cells of one bracket, with `count` elements
///     from
///                                 number `begin` on
///
/// `Own` has
///
///     width                       cells that a lane loads at once
///     rows                        of a tile, a power of two
///     Loaded load(operation, cell)    cells `cell` to `cell` + `width` − 1; `cell` is a multiple
///                                     of `width`
///     Loaded load_one(cell)           with the element of a cell in place 0
///     Element element(loaded, place)
///     Value value(operation, loaded)  value of the loaded cells
///     Value value_of(operation, cell) value of one cell
///     Index number(cell)              number of its first element among the rank's own
namespace bracket::runtime::device {

/// Neighbours in memory that are loaded at once.
template <class Type, int Count>
struct alignas(sizeof(Type) * Count) Neighbours {
  Type of[Count];
};

/// Elements of `Type` side by side, of which an operation folds `Element`s.
template <class Element, class Type>
struct Contiguous {
  static constexpr int width = 16 / static_cast<int>(sizeof(Type));
  static constexpr int rows = sizeof(Type) < sizeof(Element) ? 4 : 8;  // that fit the registers
  using Loaded = Neighbours<Type, width>;

  using Own = Contiguous;

  const Type* elements;  ///< the first of the bracket
  Index first = 0;       ///< its number
  bool aligned = false;  ///< to 16 bytes

  BRACKET_EVERYWHERE Contiguous of(Index begin, Index /*count*/) const {
    const Type* const place = elements + begin;
    return {place, begin, reinterpret_cast<std::uintptr_t>(place) % sizeof(Loaded) == 0};
  }
  [[nodiscard]] static BRACKET_EVERYWHERE Index cells(Index count) { return count; }
  template <class Operation>
  BRACKET_EVERYWHERE Loaded load(const Operation& /*operation*/, Index cell) const {
    if (aligned) return *reinterpret_cast<const Loaded*>(elements + cell);
    Loaded loaded;
    BRACKET_UNROLL
    for (int i = 0; i < width; ++i) loaded.of[i] = elements[cell + i];
    return loaded;
  }
  BRACKET_EVERYWHERE Loaded load_one(Index cell) const { return {{elements[cell]}}; }
  BRACKET_EVERYWHERE Element element(const Loaded& loaded, int place) const {
    return static_cast<Element>(loaded.of[place]);
  }
  template <class Operation>
  BRACKET_EVERYWHERE typename Operation::Value value(const Operation& operation,
                                                     const Loaded& loaded) const {
    const auto left =
        operation.join(operation.value(element(loaded, 0)), operation.value(element(loaded, 1)));
    if constexpr (width == 2) {
      return left;
    } else {
      static_assert(width == 4);
      return operation.join(left, operation.join(operation.value(element(loaded, 2)),
                                                 operation.value(element(loaded, 3))));
    }
  }
  template <class Operation>
  BRACKET_EVERYWHERE typename Operation::Value value_of(const Operation& operation,
                                                        Index cell) const {
    return operation.value(static_cast<Element>(elements[cell]));
  }
  BRACKET_EVERYWHERE Index number(Index cell) const { return first + cell; }
};

/// Elements of a field by their numbers: of any layout, float32 or float64, or products of two
/// arrays.
template <class Element>
struct FieldElements {
  const std::byte* elements;
  const std::byte* factors;  ///< null without products
  CellPlaces places;
  CellPlaces factor_places;
  bool narrow;  ///< float32, not `Element`

  BRACKET_EVERYWHERE Element operator()(Index number) const {
    const Element element = at(elements + places.address_below_most(number));
    if (factors == nullptr) return element;
    return product_of(element, at(factors + factor_places.address_below_most(number)));
  }

  /// Whether all elements have the same distance, and are no products.
  BRACKET_EVERYWHERE bool in_line() const { return factors == nullptr && places.outer_count == 0; }

  /// Loads such elements, by 16 bytes at once if possible.
  template <int Count>
  BRACKET_EVERYWHERE void load_line(Index number, Element (&loaded)[Count]) const {
    constexpr int width = 16 / static_cast<int>(sizeof(Element));
    using Some = Neighbours<Element, width>;
    const std::byte* const place = elements + places.origin + number * places.inner.stride;
    if (!narrow && places.inner.stride == static_cast<Index>(sizeof(Element)) &&
        reinterpret_cast<std::uintptr_t>(place) % sizeof(Some) == 0) {
      BRACKET_UNROLL
      for (int i = 0; i < Count / width; ++i) {
        const Some some = reinterpret_cast<const Some*>(place)[i];
        BRACKET_UNROLL
        for (int k = 0; k < width; ++k) loaded[i * width + k] = some.of[k];
      }
    } else {
      BRACKET_UNROLL
      for (int i = 0; i < Count; ++i) loaded[i] = at(place + i * places.inner.stride);
    }
  }

 private:
  BRACKET_EVERYWHERE Element at(const std::byte* place) const {
    if constexpr (sizeof(Element) == 8) {
      if (narrow) return static_cast<Element>(*reinterpret_cast<const float*>(place));
    }
    return *reinterpret_cast<const Element*>(place);
  }
};

/// Elements of a field, one for each cell.
template <class Type>
struct Scattered {
  FieldElements<Type> field;

  struct Own {
    static constexpr int width = 1;
    static constexpr int rows = 8;
    using Element = Type;
    using Loaded = Element;

    const FieldElements<Type>& field;
    Index first;

    template <class Operation>
    BRACKET_EVERYWHERE Loaded load(const Operation& /*operation*/, Index cell) const {
      return field(first + cell);
    }
    BRACKET_EVERYWHERE Loaded load_one(Index cell) const { return field(first + cell); }
    BRACKET_EVERYWHERE Element element(const Loaded& loaded, int /*place*/) const { return loaded; }
    template <class Operation>
    BRACKET_EVERYWHERE typename Operation::Value value(const Operation& operation,
                                                       const Loaded& loaded) const {
      return operation.value(loaded);
    }
    template <class Operation>
    BRACKET_EVERYWHERE typename Operation::Value value_of(const Operation& operation,
                                                          Index cell) const {
      return operation.value(field(first + cell));
    }
    BRACKET_EVERYWHERE Index number(Index cell) const { return first + cell; }
  };

  BRACKET_EVERYWHERE Own of(Index begin, Index /*count*/) const { return {field, begin}; }
  BRACKET_EVERYWHERE Index cells(Index count) const { return count; }
};

/// Chunks of elements of a field, one for each cell. A lane folds a chunk from left to right.
template <class Operation>
struct Chunks {
  FieldElements<typename Operation::Element> field;
  Index chunk;

  struct Own {
    static constexpr int width = 1;
    static constexpr int rows = 1;  // a chunk has enough loads of its own
    static constexpr int at_once = 8;
    using Loaded = typename Operation::Value;

    const FieldElements<typename Operation::Element>& field;
    Index chunk;
    Index first;
    Index count;

    BRACKET_EVERYWHERE Loaded load(const Operation& operation, Index cell) const {
      return value_of(operation, cell);
    }
    BRACKET_EVERYWHERE Loaded value(const Operation& /*operation*/, const Loaded& loaded) const {
      return loaded;
    }
    BRACKET_EVERYWHERE Loaded value_of(const Operation& operation, Index cell) const {
      const Index begin = first + cell * chunk;
      const Index left = first + count - begin;
      const Index size = left < chunk ? left : chunk;
      typename Operation::Element elements[at_once];
      Loaded value{};
      Index i = 0;
      if (field.in_line()) {
        for (; i + at_once <= size; i += at_once) {
          field.load_line(begin + i, elements);
          const Loaded next = operation.value(elements[0]);
          value = i == 0 ? next : operation.join(value, next);
          BRACKET_UNROLL
          for (int k = 1; k < at_once; ++k) {
            value = operation.join(value, operation.value(elements[k]));
          }
        }
      }
      for (; i < size; ++i) {
        const Loaded next = operation.value(field(begin + i));
        value = i == 0 ? next : operation.join(value, next);
      }
      return value;
    }
  };

  BRACKET_EVERYWHERE Own of(Index begin, Index elements) const {
    return {field, chunk, begin, elements};
  }
  BRACKET_EVERYWHERE Index cells(Index elements) const { return (elements - 1) / chunk + 1; }
};

}  // namespace bracket::runtime::device
