// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "bracket/runtime/element_reader.hpp"
#include "bracket/runtime/field_rows.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/reductions.hpp"

namespace bracket::runtime {

/// The source (see folder.hpp) of fields of numbers of `Type`; item k is field k. Elements are
/// folded in place if they are contiguous and have the type that the operation folds, and so are
/// products if the operation can. So are float32 numbers that become elements. In rows with gaps,
/// units of elements are (see FieldRows). Otherwise they are converted, multiplied or gathered in a
/// block that stays in cache.
template <class Operation, class Type>
class Arrays {
 public:
  using Element = typename Operation::Element;
  using Value = typename Operation::Value;

  Arrays() = default;
  Arrays(const FieldCells* fields, const FieldArrays* arrays) : reader_(fields, arrays) {}

  /// Some of a field's elements, or of two arrays of factors, side by side; or the values of units
  /// of 2^levels elements, and of what is left at the end.
  struct Block {
    const Element* elements = nullptr;
    const Element* factors = nullptr;  ///< if the field has products
    Index index = 0;                   ///< the first's global one
    int levels = 0;                    ///< of a unit; 0: elements

    /// Folds `count` >= 1 of them, from number `first` among them on, which begins a unit.
    [[nodiscard]] Value fold(const Operation& operation, Index chunk, Index first,
                             Index count) const {
      if constexpr (FoldsUnits<Operation>) {
        if (levels > 0) {
          const Index units = (count + (Index{1} << levels) - 1) >> levels;
          return operation.fold(elements + (first >> levels), units, 1, 0);
        }
      }
      if constexpr (FoldsProducts<Operation>) {
        if (factors != nullptr) {
          return operation.fold_products(elements + first, factors + first, count, chunk);
        }
      }
      return operation.fold(elements + first, count, chunk, index + first);
    }
  };

  template <class Fit, class Use>
  void use_block(const Operation& operation, Index chunk, Index first, Index item, const Fit& fit,
                 const Use& use) const {
    if (const Index count = fit(side_by_side(first, item), Index{1}); count > 0) {
      if (const Block block = in_place(first, count, item); block.elements != nullptr) {
        use(block, count);
        return;
      }
    }
    use_scattered(operation, chunk, first, item, fit, use);
  }

  void fold(const Operation& operation, Index chunk, Index first, Index count, Index item,
            Index items, Value* target) const {
    for (Index i = item; i < item + items; ++i, ++target) {
      if (const Block block = in_place(first, count, i); block.elements != nullptr) {
        *target = block.fold(operation, chunk, 0, count);
        continue;
      }
      if (chunk == 1 && fold_widened(operation, first, count, i, *target)) continue;
      if (count >= least_of_rows && fold_in_rows(operation, chunk, first, count, i, *target)) {
        continue;
      }
      if (count > most) {
        *target = fold_blocks(operation, chunk, first, count, i);
        continue;
      }
      *target = fold_gathered(operation, chunk, first, count, i);
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
        const Element* const elements =
            reader_.load(kernel_of(operation), from, size, item + i, room);
        const Index begin = field(item + i).begin + from;
        Value* const values = target + done * items + i;
        for (Index k = 0; k < size; ++k) {
          values[k * items] = operation.value(elements[k], begin + k);
        }
      }
    }
  }

 private:
  using Reader = ElementReader<Type, Element>;
  using Room = typename Reader::Room;
  static constexpr Index most = Reader::most;

  /// Fewer elements are folded faster after a copy.
  static constexpr Index least_of_rows = 64;

  /// Whether units of rows can be folded where they lie.
  static constexpr bool folds_units =
      std::is_same_v<Type, Element> && !Operation::associative && FoldsUnits<Operation>;

  [[nodiscard]] const FieldCells& field(Index item) const { return reader_.field(item); }

  /// The operation's kernel; null if it has none.
  [[nodiscard]] static const Kernel* kernel_of(const Operation& operation) {
    if constexpr (HasKernel<Operation>) return operation.kernel;
    return nullptr;
  }

  /// Copies products that are not rounded, to every `stride`-th value.
  void copy_products(const Operation& operation, Index first, Index count, Index item, Index stride,
                     Value* values) const {
    const auto& [elements, factors, _] = field(item);
    for (Index k = 0; k < count; ++k) {
      Element left;
      Element right;
      Reader::gather(kernel_of(operation), elements, reader_.arrays(item).elements, first + k, 1,
                     &left);
      Reader::gather(kernel_of(operation), *factors, reader_.arrays(item).factors, first + k, 1,
                     &right);
      values[k * stride] = operation.fold_products(&left, &right, 1, 1);
    }
  }

  /// Elements of a field where they lie, if the operation can fold them there; otherwise none.
  [[nodiscard]] Block in_place(Index first, Index count, Index item) const {
    const auto& [elements, factors, begin] = field(item);
    const FieldArrays& arrays = reader_.arrays(item);
    if (arrays.make != nullptr) return {};
    if (!factors) {
      return {Reader::side_by_side(elements, arrays.elements, first, count), nullptr,
              begin + first};
    }
    if constexpr (FoldsProducts<Operation>) {
      const Element* const left = Reader::side_by_side(elements, arrays.elements, first, count);
      const Element* const right = Reader::side_by_side(*factors, arrays.factors, first, count);
      if (left != nullptr && right != nullptr) return {left, right, begin + first};
    }
    return {};
  }

  /// Number of elements from `first` on that lie side by side, in both arrays of a product.
  [[nodiscard]] Index side_by_side(Index first, Index item) const {
    const auto& [elements, factors, _] = field(item);
    const Index count = elements.side_by_side(first);
    return factors ? std::min(count, factors->side_by_side(first)) : count;
  }

  /// `use_block` for elements that do not lie side by side. Not inline, as `use_gathered`.
  template <class Fit, class Use>
  [[gnu::noinline]] void use_scattered(const Operation& operation, Index chunk, Index first,
                                       Index item, const Fit& fit, const Use& use) const {
    Index most_gathered = most;
    if constexpr (folds_units) {
      if (const auto rows = rows_of_units(chunk, first, item)) {
        const Index unit = rows->unit(first);
        if (const Index count = fit(unit * most, unit); count >= least_of_rows) {
          use_units(operation, *rows, first, count, use);
          return;
        }
        most_gathered = 2 * least_of_rows;
      }
    }
    if (const Index count = fit(most_gathered, Index{1}); count > 0) {
      use_gathered(operation, first, count, item, [&](const Block& block) { use(block, count); });
    }
  }

  /// Folds float32 numbers, or products of them, where they lie. Returns false if they do not lie
  /// side by side or the operation cannot.
  [[nodiscard]] bool fold_widened(const Operation& operation, Index first, Index count, Index item,
                                  Value& value) const {
    if constexpr (std::is_same_v<Type, float> && !std::is_same_v<Element, float> &&
                  FoldsWidened<Operation>) {
      const auto& [elements, factors, _] = field(item);
      const FieldArrays& arrays = reader_.arrays(item);
      if (arrays.make != nullptr) return false;
      const float* const left = Reader::numbers(elements, arrays.elements, first, count);
      if (left == nullptr) return false;
      if (!factors) {
        value = operation.fold_widened(left, count);
        return true;
      }
      if constexpr (FoldsProducts<Operation>) {
        const float* const right = Reader::numbers(*factors, arrays.factors, first, count);
        if (right == nullptr) return false;
        value = operation.fold_widened_products(left, right, count);
        return true;
      }
    }
    return false;
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
      const FieldArrays& arrays = reader_.arrays(item);
      if (factors && arrays.make == nullptr) {
        Room other;
        use(Block{Reader::gathered(kernel_of(operation), elements, arrays.elements, first, count,
                                   room.place()),
                  Reader::gathered(kernel_of(operation), *factors, arrays.factors, first, count,
                                   other.place()),
                  index});
        return;
      }
    }
    use(Block{reader_.load(kernel_of(operation), first, count, item, room.place()), nullptr,
              index});
  }

  /// Folds at most `most` elements.
  [[nodiscard]] Value fold_gathered(const Operation& operation, Index chunk, Index first,
                                    Index count, Index item) const {
    Value value;
    use_gathered(operation, first, count, item,
                 [&](const Block& block) { value = block.fold(operation, chunk, 0, count); });
    return value;
  }

  /// Folds elements or products in rows where they lie. Returns false if they do not lie so, or are
  /// folded faster after a copy.
  [[nodiscard]] bool fold_in_rows(const Operation& operation, Index chunk, Index first, Index count,
                                  Index item, Value& value) const {
    if constexpr (folds_units) {
      const auto rows = rows_of_units(chunk, first, item);
      if (rows) value = fold_units(operation, *rows, first, count);
      return rows.has_value();
    } else if constexpr (std::is_same_v<Type, Element> && Operation::associative) {
      const auto rows = rows_of(item);
      if (!rows || !rows->long_rows()) return false;
      value = fold_each_row(operation, *rows, first, count, field(item).begin);
      return true;
    }
    return false;
  }

  /// The rows of a field whose elements, or products, the operation can fold where they lie.
  [[nodiscard]] std::optional<FieldRows<Element>> rows_of(Index item) const {
    auto rows = FieldRows<Element>::of(field(item), reader_.arrays(item));
    if (rows && rows->products() && !FoldsProducts<Operation>) rows.reset();
    return rows;
  }

  /// The rows of a field, if units that begin with the element `first` are best folded where they
  /// lie.
  [[nodiscard]] std::optional<FieldRows<Element>> rows_of_units(Index chunk, Index first,
                                                                Index item) const {
    if (chunk != 1) return std::nullopt;
    auto rows = rows_of(item);
    if (rows && !rows->pays(first)) rows.reset();
    return rows;
  }

  /// Calls `use` with the values of the units of `count` elements. Not inline, as `use_gathered`.
  template <class Use>
  [[gnu::noinline]] static void use_units(const Operation& operation,
                                          const FieldRows<Element>& rows, Index first, Index count,
                                          Use&& use) {
    const Index unit = rows.unit(first);
    Room room;
    rows.fold_units(operation, unit, first, count, room.place());
    use(Block{.elements = room.place(),
              .levels = std::countr_zero(static_cast<std::uint64_t>(unit))},
        count);
  }

  /// Folds elements or products in rows: a block holds the folds of units, not the elements.
  [[gnu::noinline]] Value fold_units(const Operation& operation, const FieldRows<Element>& rows,
                                     Index first, Index count) const {
    const Index unit = rows.unit(first);
    return fold_in_blocks<Value>(
        count, 1, unit * most,
        [&](Index from, Index size) {
          Room room;
          rows.fold_units(operation, unit, first + from, size, room.place());
          return operation.fold(room.place(), (size + unit - 1) / unit, 1, 0);
        },
        [](Value&, Index, Index, bool) {},  // for chunks
        [&](const Value& left, const Value& right) { return operation.join(left, right); });
  }

  /// Folds the elements or products of one row after the other, by an associative operation.
  [[gnu::noinline]] static Value fold_each_row(const Operation& operation,
                                               const FieldRows<Element>& rows, Index first,
                                               Index count, Index begin) {
    Value value{};
    bool any = false;
    rows.for_each_row(first, count,
                      [&](const Element* x, const Element* y, Index position, Index size) {
                        const Block row{x, rows.products() ? y : nullptr, begin + position};
                        const Value next = row.fold(operation, 1, 0, size);
                        value = any ? operation.join(value, next) : next;
                        any = true;
                      });
    return value;
  }

  /// Folds more elements than a block holds.
  [[gnu::noinline]] Value fold_blocks(const Operation& operation, Index chunk, Index first,
                                      Index count, Index item) const {
    const auto join = [&](const Value& left, const Value& right) {
      return operation.join(left, right);
    };
    if constexpr (Operation::associative) {
      Value value = fold_gathered(operation, chunk, first, most, item);
      for (Index done = most; done < count; done += most) {
        const Index size = std::min(most, count - done);
        value = join(value, fold_gathered(operation, chunk, first + done, size, item));
      }
      return value;
    } else {
      return fold_in_blocks<Value>(
          count, chunk, most,
          [&](Index from, Index size) {
            return fold_gathered(operation, chunk, first + from, size, item);
          },
          [&](Value& value, Index from, Index size, bool begins) {
            Room room;
            const Element* const elements =
                reader_.load(kernel_of(operation), first + from, size, item, room.place());
            const Index index = field(item).begin + first + from;
            for (Index k = 0; k < size; ++k) {
              const Value next = operation.value(elements[k], index + k);
              value = begins && k == 0 ? next : operation.join(value, next);
            }
          },
          join);
    }
  }

  Reader reader_;
};

}  // namespace bracket::runtime
