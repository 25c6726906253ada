// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "bracket/runtime/device.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "device/device_operations.hpp"
#include "device/pieces.hpp"
#include "device/sources.hpp"

namespace bracket::runtime::device {

/// Folds fields by an operation of devices. `Device` launches the leaf: `EmulatedDevice` or
/// `CudaDevice`.
template <class Operation, class Device>
class FoldOf final : public Fold {
 public:
  using Element = typename Operation::Element;
  using Value = typename Operation::Value;

  /// `narrow`: the arrays have float32, the operation folds float64.
  FoldOf(Device device, bool narrow, const Launch& launch, const Operation& operation = {})
      : device_(std::move(device)), narrow_(narrow), launch_(launch), operation_(operation) {}

  [[nodiscard]] std::size_t value_bytes() const override { return sizeof(Value); }

  void start(const device::Source& source, std::span<const Range> brackets) override {
    check(source);
    device_.select(source.device);
    set_first(source.cells.begin);
    pieces_of_.clear();
    const auto& cells = source.cells;
    const CellPlaces& places = cells.elements.places();
    const bool whole = Operation::associative || source.chunk == 1;
    const bool close = !cells.factors && places.outer_count == 0 &&
                       places.inner.stride == static_cast<Index>(cells.elements.element_bytes());
    if (whole && close && !narrow_) {
      return launch(contiguous<Element>(source), brackets);
    }
    if constexpr (Operation::reads_narrow && sizeof(Element) == 8) {
      if (whole && close) return launch(contiguous<float>(source), brackets);
    }
    if (whole) return launch(Scattered<Element>{elements_of(source)}, brackets);
    if constexpr (!Operation::associative) {
      launch(Chunks<Operation>{elements_of(source), source.chunk}, brackets);
    }
  }

  void finish(void* values) override {
    device_.wait();
    const Value* piece = pieces_;
    auto* next = static_cast<Value*>(values);
    for (const Index count : pieces_of_) {
      *next++ = combine(piece, count);
      piece += count;
    }
  }

  void copy(const device::Source& source, Range elements, void* values) override {
    check(source);
    device_.select(source.device);
    set_first(source.cells.begin);
    const auto count = static_cast<std::size_t>(elements.size());
    auto* const room = static_cast<Element*>(memory_.reserve(count * sizeof(Element)));
    device_.gather(elements_of(source), elements.begin, elements.size(), room);
    device_.wait();
    auto* next = static_cast<Value*>(values);
    for (Index i = 0; i < elements.size(); ++i) *next++ = single(room[i], elements.begin + i);
  }

 private:
  /// Pieces of a launch that keep a device busy.
  static constexpr Index enough_pieces = Operation::associative ? 1024 : 4096;

  void check(const device::Source& source) const {
    if (source.cells.elements.count() > CellPlaces::most_exact) {
      throw Error(text(source.cells.elements.count(), " elements: a device folds at most 2^52"));
    }
    check_alignment("elements", source.arrays.elements, source.cells.elements);
    if (source.cells.factors) {
      check_alignment("factors", source.arrays.factors, *source.cells.factors);
    }
  }

  static void check_alignment(const char* name, const void* array, const Cells& cells) {
    const CellPlaces& places = cells.places();
    const auto bytes = static_cast<Index>(cells.element_bytes());
    auto misaligned = reinterpret_cast<std::intptr_t>(array) + places.origin;
    bool wrong = misaligned % bytes != 0 || places.inner.stride % bytes != 0;
    for (int i = 0; i < places.outer_count; ++i) wrong |= places.outer[i].stride % bytes != 0;
    if (!wrong) return;
    throw Error(text("the array of ", name, " has elements at addresses that are no multiples of ",
                     bytes, " bytes: devices read only those"));
  }

  template <class Type>
  [[nodiscard]] Contiguous<Element, Type> contiguous(const device::Source& source) const {
    const auto* const array = static_cast<const std::byte*>(source.arrays.elements);
    return {reinterpret_cast<const Type*>(array + source.cells.elements.places().origin)};
  }

  [[nodiscard]] FieldElements<Element> elements_of(const device::Source& source) const {
    const auto& cells = source.cells;
    FieldElements<Element> field{};
    field.elements = static_cast<const std::byte*>(source.arrays.elements);
    field.places = cells.elements.places();
    if (cells.factors) {
      field.factors = static_cast<const std::byte*>(source.arrays.factors);
      field.factor_places = cells.factors->places();
    }
    field.narrow = narrow_;
    return field;
  }

  void set_first(Index first) {
    if constexpr (requires { operation_.first; }) operation_.first = first;
  }

  template <class Cells>
  void launch(const Cells& cells, std::span<const Range> brackets) {
    using BlockLeaf = Leaf<typename Device::template Block<Value>, Operation, typename Cells::Own>;
    const Shape shape = shape_for(cells, brackets, BlockLeaf::tile_cells);
    const Index size = BlockLeaf::block_cells(shape);
    Index all = 0;
    for (const Range bracket : brackets) {
      pieces_of_.push_back((cells.cells(bracket.size()) - 1) / size + 1);
      all += pieces_of_.back();
    }
    pieces_ = static_cast<Value*>(memory_.reserve(static_cast<std::size_t>(all) * sizeof(Value)));
    Value* next = pieces_;
    Brackets some;
    for (std::size_t i = 0; i < brackets.size(); ++i) {
      some.of[some.count++] = {brackets[i].begin, brackets[i].size(), some.pieces};
      some.pieces += pieces_of_[i];
      if (some.count < Brackets::most && i + 1 < brackets.size()) continue;
      device_.fold(operation_, cells, some, shape, next);
      next += some.pieces;
      some.count = 0;
      some.pieces = 0;
    }
  }

  /// The shape of the largest blocks of which there are enough: two for each place on the device if
  /// they are to be few.
  template <class Cells>
  [[nodiscard]] Shape shape_for(const Cells& cells, std::span<const Range> brackets,
                                Index tile) const {
    Shape shape{launch_.warps, launch_.tiles};
    if (shape.tiles != 0) return shape;
    Index all = 0;
    for (const Range bracket : brackets) all += cells.cells(bracket.size());
    if constexpr (Operation::few_pieces) {
      const Index most_pieces = Index{2} * device_.multiprocessors() * Operation::blocks;
      shape.tiles = static_cast<int>((all - 1) / (most_pieces * shape.warps * tile) + 1);
      return shape;
    }
    const Index most = Operation::associative ? 1024 : warp_lanes;
    for (shape.tiles = 1; shape.tiles < most; shape.tiles *= 2) {
      if (all / (2 * shape.tiles * shape.warps * tile) < enough_pieces) break;
    }
    return shape;
  }

  /// The tree over pieces.
  [[nodiscard]] Value combine(const Value* values, Index count) const {
    if constexpr (std::is_floating_point_v<Value>) {
      return select_kernel().folds<Value>().template of<typename Operation::Operator>()(values,
                                                                                        count);
    }
    return bracket::fold(values, count, 1, [this](const Value& left, const Value& right) {
      return operation_.join(left, right);
    });
  }

  [[nodiscard]] Value single(Element element, Index number) const {
    if constexpr (Operation::associative) {
      auto state = operation_.begin();
      typename Operation::Apart apart{};
      const Element elements[1] = {element};
      operation_.template add<1, 1>(state, apart, elements, number, 0);
      return operation_.value(state, apart);
    } else {
      return operation_.value(element);
    }
  }

  Device device_;
  bool narrow_;
  Launch launch_;
  Operation operation_;
  typename Device::Memory memory_;
  Value* pieces_ = nullptr;
  std::vector<Index> pieces_of_;  // of each bracket
};

/// Makes the fold of a binned sum.
template <class Device>
std::unique_ptr<Fold> make_binned_fold(const Operation& operation, const Device& device,
                                       const Launch& launch) {
  const bool narrow = operation.type == Type::float32;
  std::unique_ptr<Fold> made;
  [&]<int... less>(std::integer_sequence<int, less...>) {
    static_cast<void>(
        ((operation.algorithm.parameter == less + 1 &&
          (made = std::make_unique<FoldOf<BinnedOperation<less + 1>, Device>>(
               device, narrow, launch, BinnedOperation<less + 1>{operation.algorithm.width}),
           true)) ||
         ...));
  }
  (std::make_integer_sequence<int, Bins::most>());
  return made;
}

/// Makes the fold of any other operation on float32 or float64.
template <class Number, class Device>
std::unique_ptr<Fold> make_plain_fold(Op op, bool narrow, const Device& device,
                                      const Launch& launch) {
  const auto make = [&]<class Made>(Made) -> std::unique_ptr<Fold> {
    return std::make_unique<FoldOf<Made, Device>>(device, narrow, launch);
  };
  switch (op) {
    case Op::sum:
      return make(TreeOperation<Number, Sum>());
    case Op::product:
      return make(TreeOperation<Number, Product>());
    case Op::minimum:
      return make(ExtremeOperation<Number, Minimum>());
    case Op::maximum:
      return make(ExtremeOperation<Number, Maximum>());
    case Op::minimum_location:
      return make(LocationOperation<Number, Minimum>());
    case Op::maximum_location:
      return make(LocationOperation<Number, Maximum>());
    default:
      throw Error(text("devices have no operator ", name_of(op), ": reduce arrays of the host"));
  }
}

template <class Device>
std::unique_ptr<Fold> make_fold_on(const Device& device, const Operation& operation,
                                   const Launch& launch) {
  const bool narrow = operation.type == Type::float32;
  if (!narrow && operation.type != Type::float64) {
    throw Error(text("devices reduce float32 and float64, not ", name_of(operation.type),
                     ": reduce arrays of the host"));
  }
  if (operation.op == Op::sum) {
    if (operation.algorithm.arithmetic == Arithmetic::binned_exact && operation.of_products()) {
      throw Error("devices round products: take binned, or reduce arrays of the host");
    }
    if (operation.algorithm.binned()) return make_binned_fold(operation, device, launch);
    if (operation.algorithm.arithmetic == Arithmetic::double_double) {
      return std::make_unique<FoldOf<DoubleDoubleOperation, Device>>(device, narrow, launch);
    }
    if (operation.algorithm.arithmetic == Arithmetic::pre_rounded) {
      throw Error("devices have no pre-rounded sums: take binned, or reduce arrays of the host");
    }
    if (operation.algorithm.arithmetic == Arithmetic::stochastic) {
      throw Error("devices have no stochastic sums: reduce arrays of the host");
    }
  }
  if (narrow && !operation.widened) {
    return make_plain_fold<float>(operation.op, false, device, launch);
  }
  return make_plain_fold<double>(operation.op, narrow, device, launch);
}

}  // namespace bracket::runtime::device
