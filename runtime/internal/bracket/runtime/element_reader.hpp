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
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/operators.hpp"

namespace bracket::runtime {

/// A field as one rank holds it: the cells of an array, or of two whose products are reduced.
struct FieldCells {
  Cells elements;
  std::optional<Cells> factors;  ///< of the second array, of the same shape
  Index begin = 0;               ///< global index of the first
};

/// Reads the elements of fields of numbers of `Type`, and converts them to `Element`. It
/// does not depend on the operation, so each pair of types is compiled once.
template <class Type, class Element>
class ElementReader {
 public:
  ElementReader() = default;
  ElementReader(const FieldCells* fields, const FieldArrays* arrays)
      : fields_(fields), arrays_(arrays) {}

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
  [[nodiscard]] const FieldArrays& arrays(Index item) const { return arrays_[item]; }

  /// The cells of an array, if they are aligned numbers that lie side by side; otherwise null.
  [[nodiscard]] static const Type* numbers(const Cells& cells, const void* array, Index first,
                                           Index count) {
    if (!cells.contiguous(first, count)) return nullptr;
    const std::byte* const place = at(array, cells.address(first));
    if (reinterpret_cast<std::uintptr_t>(place) % alignof(Type) != 0) return nullptr;
    return reinterpret_cast<const Type*>(place);
  }

  /// The cells of an array, if they are numbers as above and need no conversion; otherwise null.
  [[nodiscard]] static const Element* side_by_side(const Cells& cells, const void* array,
                                                   Index first, Index count) {
    if constexpr (std::is_same_v<Type, Element>) return numbers(cells, array, first, count);
    return nullptr;
  }

  /// The elements in place or, at most `most` of them, in `room`. Rows are copied by the kernel if
  /// it is not null.
  [[gnu::noinline]] const Element* load(const Kernel* kernel, Index first, Index count, Index item,
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
    gather(kernel, elements, arrays_[item].elements, first, count, room);
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
  static const Element* gathered(const Kernel* kernel, const Cells& cells, const void* array,
                                 Index first, Index count, Element* room) {
    if (const Element* const in_place = side_by_side(cells, array, first, count)) return in_place;
    gather(kernel, cells, array, first, count, room);
    return room;
  }

  /// Copies the cells of an array to `room`.
  [[gnu::noinline]] static void gather(const Kernel* kernel, const Cells& cells, const void* array,
                                       Index first, Index count, Element* room) {
    cells.for_each_rows(first, count, [&](const Cells::Rows& rows) {
      const std::byte* from = at(array, rows.address);
      if constexpr (std::is_same_v<Type, Element>) {
        if (rows.stride == static_cast<Index>(sizeof(Type)) && kernel != nullptr) {
          kernel->copy_rows(from, rows.distance, rows.rows, rows.count * rows.stride,
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

 private:
  [[nodiscard]] static const std::byte* at(const void* array, Index address) {
    return static_cast<const std::byte*>(array) + address;
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
