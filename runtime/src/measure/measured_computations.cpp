// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/memory.hpp"
#include "bracket/runtime/reductions.hpp"
#include "measure/calibration_parts.hpp"
#include "operations/operations.hpp"

namespace bracket::runtime::calibration {

namespace {

/// One of both.
struct BaselineFunction {
  ElementSum elements = nullptr;
  ProductSum products = nullptr;
};

class MeasuredSum final : public MeasuredComputation {
 public:
  explicit MeasuredSum(const Kernel& kernel) : kernel_(kernel) {}
  std::unique_ptr<Computation> over(const void* first, Index /*count*/) override {
    using Source = Vectors<DoubleSum>;
    return std::make_unique<ComputationOf<DoubleSum, Source>>(
        DoubleSum{&kernel_}, 1, 1, 1, Source{static_cast<const double*>(first), 1});
  }
  [[nodiscard]] std::size_t element_bytes() const override { return sizeof(double); }
  void finish(const void* partials, Index count, void* results) const override {
    const DoubleSum sum{&kernel_};
    const auto* const values = static_cast<const double*>(partials);
    auto* const finished = static_cast<double*>(results);
    for (Index i = 0; i < count; ++i) finished[i] = sum.finish(values[i]);
  }

 private:
  const Kernel& kernel_;
};

class MeasuredFields final : public MeasuredComputation {
 public:
  MeasuredFields(const Operation& operation, const Kernel& kernel)
      : operation_(reducers::make_operation(operation, kernel.name)),
        type_(operation.type),
        element_bytes_(bytes_of(operation.type)),
        terms_(operation.terms) {
    operation_->prepare();
  }
  std::unique_ptr<Computation> over(const void* first, Index count) override {
    const Cells cells(Layout::contiguous(count), element_bytes_);
    const bool of_products = terms_ != Terms::elements;
    cells_ = {cells, of_products ? std::optional(cells) : std::nullopt, 0};
    const auto* const bytes = static_cast<const std::byte*>(first);
    const auto size = static_cast<std::size_t>(count) * element_bytes_;
    const auto* const second = terms_ == Terms::squares ? bytes : bytes + size;
    arrays_ = {.elements = bytes, .factors = of_products ? second : nullptr};
    return operation_->computation(&cells_, &arrays_, 1, 1);
  }
  [[nodiscard]] std::size_t element_bytes() const override {
    return element_bytes_ * (terms_ == Terms::products ? 2 : 1);
  }
  [[nodiscard]] Type type() const override { return type_; }
  [[nodiscard]] std::size_t result_bytes() const override { return operation_->result_bytes(); }
  [[nodiscard]] bool takes_vectors() const override { return terms_ == Terms::elements; }
  [[nodiscard]] bool folds_neighbours() const override { return !operation_->associative(); }
  [[nodiscard]] bool folds_partials() const override { return !operation_->associative(); }
  void finish(const void* partials, Index count, void* results) const override {
    operation_->finish(partials, count, results, 0);
  }

 private:
  reducers::Made operation_;
  Type type_;
  std::size_t element_bytes_;
  Terms terms_;
  FieldCells cells_{};
  FieldArrays arrays_{};
};

/// Writes `count` ones.
template <class Number>
void fill(std::byte* target, Index count) {
  std::fill_n(reinterpret_cast<Number*>(target), count, Number{1});
}

/// Sums the rank's own elements, or their products, by a function.
class BaselineSum final : public Computation {
 public:
  BaselineSum(BaselineFunction sum, std::unique_ptr<Computation> rest, const double* first,
              const double* factors)
      : sum_(sum), rest_(std::move(rest)), first_(first), factors_(factors) {}

  [[nodiscard]] std::size_t value_bytes() const override { return rest_->value_bytes(); }
  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const override {
    return rest_->make_slots(count);
  }
  void execute(std::span<const Program::Instruction> steps, void* slots) override {
    for (const auto& step : steps) execute_by(*this, value_bytes(), step, slots);
  }
  void fold_own(Index first, Index count, Index /*item*/, Index /*items*/, void* target) override {
    *static_cast<double*>(target) = sum_.products != nullptr
                                        ? sum_.products(first_ + first, factors_ + first, count)
                                        : sum_.elements(first_ + first, count);
  }
  void copy_own(Index first, Index count, Index item, Index items, void* target) override {
    rest_->copy_own(first, count, item, items, target);
  }
  void fold(const void* from, Index stride, Index count, Index item, Index items,
            void* target) override {
    rest_->fold(from, stride, count, item, items, target);
  }
  void copy(const void* from, Index stride, Index count, Index items, void* target) override {
    rest_->copy(from, stride, count, items, target);
  }
  void join(const void* left, const void* right, Index item, Index items, void* target) override {
    rest_->join(left, right, item, items, target);
  }

 private:
  BaselineFunction sum_;
  std::unique_ptr<Computation> rest_;
  const double* first_;
  const double* factors_;
};

class MeasuredBaseline final : public MeasuredComputation {
 public:
  MeasuredBaseline(BaselineFunction sum, Terms terms, const Kernel& kernel)
      : sum_(sum), terms_(terms), rest_(kernel) {}
  std::unique_ptr<Computation> over(const void* first, Index count) override {
    const auto* const elements = static_cast<const double*>(first);
    return std::make_unique<BaselineSum>(sum_, rest_.over(first, count), elements,
                                         terms_ == Terms::products ? elements + count : elements);
  }
  [[nodiscard]] std::size_t element_bytes() const override {
    return sizeof(double) * (terms_ == Terms::products ? 2 : 1);
  }
  void finish(const void* partials, Index count, void* results) const override {
    rest_.finish(partials, count, results);
  }
  [[nodiscard]] bool takes_vectors() const override { return false; }
  [[nodiscard]] bool folds_neighbours() const override { return false; }

 private:
  BaselineFunction sum_;
  Terms terms_;
  MeasuredSum rest_;
};

}  // namespace

std::shared_ptr<std::byte> ones(Type type, Index count) {
  auto memory = make_zeroed(static_cast<std::size_t>(count) * bytes_of(type), 64);
  auto* const target = static_cast<std::byte*>(memory.get());
  switch (type) {
    case Type::float32:
      fill<float>(target, count);
      break;
    case Type::complex64:
      fill<float>(target, 2 * count);
      break;
    case Type::float64:
      fill<double>(target, count);
      break;
    case Type::complex128:
      fill<double>(target, 2 * count);
      break;
    case Type::int32:
    case Type::uint32:
      fill<std::uint32_t>(target, count);
      break;
    default:
      fill<std::uint64_t>(target, count);
  }
  return {std::move(memory), target};
}

std::unique_ptr<MeasuredComputation> measured_baseline(const Operation& operation,
                                                       const CalibrationMethod& method,
                                                       const Kernel& kernel) {
  BaselineFunction sum;
  if (operation.of_products()) {
    sum.products = method.baseline_of_products(operation.baseline, kernel);
  } else {
    sum.elements = method.baseline(operation.baseline, kernel);
  }
  return std::make_unique<MeasuredBaseline>(sum, operation.terms, kernel);
}

std::unique_ptr<MeasuredComputation> measured_sum(const Kernel& kernel) {
  return std::make_unique<MeasuredSum>(kernel);
}

std::unique_ptr<MeasuredComputation> measured_operation(const Operation& operation,
                                                        const Kernel& kernel) {
  return std::make_unique<MeasuredFields>(operation, kernel);
}

}  // namespace bracket::runtime::calibration
