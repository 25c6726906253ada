// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "bracket/runtime/cells.hpp"
#include "bracket/runtime/field.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/operators.hpp"
#include "bracket/runtime/reductions.hpp"

namespace bracket::runtime {

/// A field as one rank holds it: the cells of an array, or of two whose products are reduced.
struct FieldCells {
  Cells elements;
  std::optional<Cells> factors;  ///< of the second array, of the same shape
  Index begin = 0;               ///< global index of the first
};

/// The source (see folder.hpp) of fields of numbers of `Type`; item k is field k. Elements are
/// folded in place if they are contiguous and have the type that the operation folds, and so are
/// products if the operation can. Otherwise they are converted, multiplied or gathered in a block
/// that stays in cache.
template <class Operation, class Type>
class Arrays {
 public:
  using Element = typename Operation::Element;
  using Value = typename Operation::Value;

  Arrays() = default;
  Arrays(const FieldCells* fields, const FieldArrays* arrays) : fields_(fields), arrays_(arrays) {}

  /// Some of a field's elements, or of two arrays of factors, side by side.
  struct Block {
    const Element* elements = nullptr;
    const Element* factors = nullptr;  ///< if the field has products
    Index index = 0;                   ///< the first's global one

    /// Folds `count` >= 1 of them, from number `first` among them on.
    [[nodiscard]] Value fold(const Operation& operation, Index chunk, Index first,
                             Index count) const {
      if constexpr (FoldsProducts<Operation>) {
        if (factors != nullptr) {
          return operation.fold_products(elements + first, factors + first, count, chunk);
        }
      }
      return operation.fold(elements + first, count, chunk, index + first);
    }
  };

  template <class Use>
  bool use_block(const Operation& operation, Index first, Index count, Index item,
                 Use&& use) const {
    if (const Block block = in_place(first, count, item); block.elements != nullptr) {
      use(block);
      return true;
    }
    if (count > most) return false;
    use_gathered(operation, first, count, item, use);
    return true;
  }

  void fold(const Operation& operation, Index chunk, Index first, Index count, Index item,
            Index items, Value* target) const {
    for (Index i = item; i < item + items; ++i, ++target) {
      const auto fold_all = [&](const Block& block) {
        *target = block.fold(operation, chunk, 0, count);
      };
      if (!use_block(operation, first, count, i, fold_all)) {
        *target = fold_blocks(operation, chunk, first, count, i);
      }
    }
  }

  void copy(const Operation& operation, Index first, Index count, Index item, Index items,
            Value* target) const {
    // In small pieces, so that all items of an element are written at about the same time.
    constexpr Index some = std::min<Index>(most, 256);
    Element room[some];
    for (Index done = 0; done < count; done += some) {
      const Index size = std::min(some, count - done);
      const Index from = first + done;
      for (Index i = 0; i < items; ++i) {
        if constexpr (requires { operation.exact_products; }) {
          if (operation.exact_products && field(item + i).factors) {
            copy_products(operation, from, size, item + i, items, target + done * items + i);
            continue;
          }
        }
        const Element* const elements = load(operation, from, size, item + i, room);
        const Index begin = field(item + i).begin + from;
        Value* const values = target + done * items + i;
        for (Index k = 0; k < size; ++k) {
          values[k * items] = operation.value(elements[k], begin + k);
        }
      }
    }
  }

 private:
  /// Number of elements in a block of 8 KiB, a power of two. Two blocks, of elements and of
  /// factors, leave half of a first cache to what is read.
  static constexpr Index most =
      static_cast<Index>(std::bit_floor(std::max<std::size_t>(8192 / sizeof(Element), 1)));

  /// Room for a block.
  class Room {
   public:
    [[nodiscard]] Element* place() { return reinterpret_cast<Element*>(bytes_.data()); }

   private:
    static constexpr std::size_t alignment = std::max<std::size_t>(alignof(Element), 64);
    alignas(
        alignment) std::array<std::byte, sizeof(Element) * static_cast<std::size_t>(most)> bytes_;
  };

  [[nodiscard]] const FieldCells& field(Index item) const { return fields_[item]; }

  /// Copies products that are not rounded, to every `stride`-th value.
  void copy_products(const Operation& operation, Index first, Index count, Index item, Index stride,
                     Value* values) const {
    const auto& [elements, factors, _] = field(item);
    for (Index k = 0; k < count; ++k) {
      Element left;
      Element right;
      gather(operation, elements, arrays_[item].elements, first + k, 1, &left);
      gather(operation, *factors, arrays_[item].factors, first + k, 1, &right);
      values[k * stride] = operation.fold_products(&left, &right, 1, 1);
    }
  }

  /// Elements of a field where they lie, if the operation can fold them there; otherwise none.
  [[nodiscard]] Block in_place(Index first, Index count, Index item) const {
    const auto& [elements, factors, begin] = field(item);
    const FieldArrays& arrays = arrays_[item];
    if (arrays.make != nullptr) return {};
    if (!factors) {
      return {side_by_side(elements, arrays.elements, first, count), nullptr, begin + first};
    }
    if constexpr (FoldsProducts<Operation>) {
      const Element* const left = side_by_side(elements, arrays.elements, first, count);
      const Element* const right = side_by_side(*factors, arrays.factors, first, count);
      if (left != nullptr && right != nullptr) return {left, right, begin + first};
    }
    return {};
  }

  /// Calls `use` with at most `most` elements, in place or gathered. Not inline, because blocks on
  /// the stack make a function's beginning longer than the fold of a few elements.
  template <class Use>
  [[gnu::noinline]] void use_gathered(const Operation& operation, Index first, Index count,
                                      Index item, Use&& use) const {
    const Index index = field(item).begin + first;
    Room room;
    if constexpr (FoldsProducts<Operation>) {
      const auto& [elements, factors, _] = field(item);
      const FieldArrays& arrays = arrays_[item];
      if (factors && arrays.make == nullptr) {
        Room other;
        use(Block{gathered(operation, elements, arrays.elements, first, count, room.place()),
                  gathered(operation, *factors, arrays.factors, first, count, other.place()),
                  index});
        return;
      }
    }
    use(Block{load(operation, first, count, item, room.place()), nullptr, index});
  }

  /// Folds more elements than a block holds.
  [[gnu::noinline]] Value fold_blocks(const Operation& operation, Index chunk, Index first,
                                      Index count, Index item) const {
    return fold_in_blocks<Value>(
        count, operation.associative ? 1 : chunk, most,
        [&](Index from, Index size) {
          Value value;
          use_gathered(operation, first + from, size, item,
                       [&](const Block& block) { value = block.fold(operation, chunk, 0, size); });
          return value;
        },
        [&](Value& value, Index from, Index size, bool begins) {
          Room room;
          const Element* const elements = load(operation, first + from, size, item, room.place());
          const Index index = field(item).begin + first + from;
          for (Index k = 0; k < size; ++k) {
            const Value next = operation.value(elements[k], index + k);
            value = begins && k == 0 ? next : operation.join(value, next);
          }
        },
        [&](const Value& left, const Value& right) { return operation.join(left, right); });
  }

  [[nodiscard]] static const std::byte* at(const void* array, Index address) {
    return static_cast<const std::byte*>(array) + address;
  }

  /// The cells of an array, if they lie side by side as elements that can be folded; otherwise
  /// null.
  [[nodiscard]] static const Element* side_by_side(const Cells& cells, const void* array,
                                                   Index first, Index count) {
    if constexpr (std::is_same_v<Type, Element>) {
      if (cells.contiguous(first, count)) {
        const std::byte* const place = at(array, cells.address(first));
        if (reinterpret_cast<std::uintptr_t>(place) % alignof(Element) == 0) {
          return reinterpret_cast<const Element*>(place);
        }
      }
    }
    return nullptr;
  }

  /// The elements in place or, at most `most` of them, in `room`.
  const Element* load(const Operation& operation, Index first, Index count, Index item,
                      Element* room) const {
    if (arrays_[item].make != nullptr) {
      make(first, count, arrays_[item], room);
      return room;
    }
    const auto& [elements, factors, _] = field(item);
    if (!factors) {
      const Element* const place = side_by_side(elements, arrays_[item].elements, first, count);
      if (place != nullptr) return place;
    }
    gather(operation, elements, arrays_[item].elements, first, count, room);
    if constexpr (Multipliable<Element>) {
      if (factors) {
        Element* next = room;
        factors->for_each_row(first, count, [&](Index address, Index stride, Index size) {
          for_each(at(arrays_[item].factors, address), stride, size,
                   [&](Index i, const Element& factor) { next[i] = product_of(next[i], factor); });
          next += size;
        });
      }
    }
    return room;
  }

  /// The cells of an array in place, if they can be folded there, or in `room`.
  static const Element* gathered(const Operation& operation, const Cells& cells, const void* array,
                                 Index first, Index count, Element* room) {
    if (const Element* const in_place = side_by_side(cells, array, first, count)) return in_place;
    gather(operation, cells, array, first, count, room);
    return room;
  }

  /// Copies the cells of an array to `room`, by the operation's kernel if it has one.
  static void gather(const Operation& operation, const Cells& cells, const void* array, Index first,
                     Index count, Element* room) {
    cells.for_each_rows(first, count, [&](const Cells::Rows& rows) {
      const std::byte* from = at(array, rows.address);
      if constexpr (std::is_same_v<Type, Element> && HasKernel<Operation>) {
        if (rows.stride == static_cast<Index>(sizeof(Type)) && operation.kernel != nullptr) {
          operation.kernel->copy_rows(from, rows.distance, rows.rows, rows.count * rows.stride,
                                      reinterpret_cast<std::byte*>(room));
          room += rows.rows * rows.count;
          return;
        }
      }
      for (Index row = 0; row < rows.rows; ++row, from += rows.distance, room += rows.count) {
        for_each(from, rows.stride, rows.count,
                 [&](Index i, const Element& element) { room[i] = element; });
      }
    });
  }

  /// Makes elements by a function, and converts them to the type that the operation folds.
  static void make(Index first, Index count, const FieldArrays& arrays, Element* room) {
    if constexpr (std::is_same_v<Type, Element>) {
      arrays.make(arrays.elements, first, count, room);
    } else {
      constexpr Index some = 256;
      alignas(Type) std::array<std::byte, sizeof(Type) * some> bytes;
      for (Index done = 0; done < count; done += some) {
        const Index size = std::min(some, count - done);
        arrays.make(arrays.elements, first + done, size, bytes.data());
        for_each(bytes.data(), sizeof(Type), size,
                 [&](Index i, const Element& element) { room[done + i] = element; });
      }
    }
  }

  /// Calls `use(i, element)` for elements at any address. Contiguous elements have a loop of their
  /// own, so that the compiler can vectorise it.
  template <class Use>
  static void for_each(const std::byte* from, Index stride, Index count, Use use) {
    const auto element = [&](Index distance, Index i) {
      Type number;
      std::memcpy(&number, from + i * distance, sizeof number);
      return static_cast<Element>(number);
    };
    constexpr auto close = static_cast<Index>(sizeof(Type));
    if (stride == close) {
      for (Index i = 0; i < count; ++i) use(i, element(close, i));
    } else {
      for (Index i = 0; i < count; ++i) use(i, element(stride, i));
    }
  }

  const FieldCells* fields_ = nullptr;
  const FieldArrays* arrays_ = nullptr;
};

}  // namespace bracket::runtime
