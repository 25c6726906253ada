// SPDX-License-Identifier: MIT

#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "bracket/model/operation.hpp"
#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/results.hpp"
#include "bracket/support/error.hpp"

/// Implementation of the reducers of all types and languages. Programs do not use it.
namespace bracket::runtime {

/// The source (see folder.hpp) of vectors of values, side by side in an array.
template <class Operation>
class ArrayOfVectors {
 public:
  using Value = typename Operation::Value;

  ArrayOfVectors() = default;
  ArrayOfVectors(const FieldArrays* arrays, Index items) : arrays_(arrays), items_(items) {}

  void fold(const Operation& operation, Index chunk, Index first, Index count, Index item,
            Index items, Value* target) const {
    vectors().fold(operation, chunk, first, count, item, items, target);
  }
  void copy(const Operation& operation, Index first, Index count, Index item, Index items,
            Value* target) const {
    vectors().copy(operation, first, count, item, items, target);
  }

 private:
  [[nodiscard]] Vectors<Operation> vectors() const {
    return {static_cast<const Value*>(arrays_->elements), items_};
  }

  const FieldArrays* arrays_ = nullptr;
  Index items_ = 1;
};

/// An operation that reduces fields, without static types.
class FieldOperation {
 public:
  FieldOperation() = default;
  virtual ~FieldOperation() = default;
  FieldOperation(const FieldOperation&) = delete;
  FieldOperation& operator=(const FieldOperation&) = delete;

  /// Whether results do not depend on the bracketing.
  [[nodiscard]] virtual bool associative() const = 0;

  /// Prepares the operation; called once, before the functions below. Throws as the operation does.
  virtual void prepare() = 0;

  /// Makes the computation over items with these cells. A run reads their arrays from `arrays`.
  /// `cells` and `arrays` must exist as long as the computation. Throws as `Folder` does, and as
  /// copying the operation does.
  [[nodiscard]] virtual std::unique_ptr<Computation> computation(const FieldCells* cells,
                                                                 const FieldArrays* arrays,
                                                                 Index chunk,
                                                                 int threads) const = 0;

  /// Makes the computation over elements that are vectors of `items` numbers, side by side in the
  /// array of `arrays`, which must exist as long as the computation. Throws `Error` if the
  /// operation folds numbers of another type than the array has, and as above.
  [[nodiscard]] virtual std::unique_ptr<Computation> vectors(const FieldArrays* arrays, Index items,
                                                             Index chunk, int threads) const = 0;

  /// Size of a result.
  [[nodiscard]] virtual std::size_t result_bytes() const = 0;

  /// Writes into the array of all fields' results from `field` on: the results of `count` partials
  /// side by side, or the result of no elements.
  virtual void finish(const void* partials, Index count, void* results,
                      std::size_t field) const = 0;
  virtual void finish_of_nothing(void* results, std::size_t field) const = 0;

  /// Sets the largest magnitude of the elements on all ranks, and their number, before a run of an
  /// operation that needs two reductions; without effect for others. Throws as the operation does.
  virtual void set_magnitude(double /*largest*/, Index /*elements*/) const {}

  /// Accuracy of the result of a partial, or of no elements if it is null. Empty for operations
  /// that do not know it.
  [[nodiscard]] virtual std::optional<Accuracy> accuracy(const void* /*partial*/) const {
    return {};
  }
};

/// Reduces fields with elements of `Type` by an operation.
template <class Operation, class Type>
class FieldOperationOf final : public FieldOperation {
 public:
  using Result = typename Operation::Result;

  /// `nothing` is the result of no elements, if there is one. `arguments` construct the operation.
  template <class... Arguments>
  explicit FieldOperationOf(std::optional<Result> nothing, Arguments&&... arguments)
      : operation_{std::forward<Arguments>(arguments)...}, nothing_(nothing) {}

  [[nodiscard]] bool associative() const override { return operation_.associative; }
  void prepare() override { operation_.prepare(); }

  [[nodiscard]] std::unique_ptr<Computation> computation(const FieldCells* cells,
                                                         const FieldArrays* arrays, Index chunk,
                                                         int threads) const override {
    using Source = Arrays<Operation, Type>;
    return std::make_unique<ComputationOf<Operation, Source>>(operation_, chunk, 1, threads,
                                                              Source(cells, arrays));
  }

  [[nodiscard]] std::unique_ptr<Computation> vectors(const FieldArrays* arrays, Index items,
                                                     Index chunk, int threads) const override {
    if constexpr (std::is_same_v<Type, typename Operation::Value>) {
      using Source = ArrayOfVectors<Operation>;
      return std::make_unique<ComputationOf<Operation, Source>>(operation_, chunk, items, threads,
                                                                Source(arrays, items));
    }
    throw Error(
        "vectors are reduced by the elements' own arithmetic: binned, double-double, stochastic, "
        "widened, locations and digests need single numbers");
  }

  [[nodiscard]] std::size_t result_bytes() const override { return sizeof(Result); }
  void finish(const void* partials, Index count, void* results, std::size_t field) const override {
    const auto* const values = static_cast<const typename Operation::Value*>(partials);
    Result* const first = static_cast<Result*>(results) + field;
    for (Index i = 0; i < count; ++i) first[i] = operation_.finish(values[i]);
  }
  void finish_of_nothing(void* results, std::size_t field) const override {
    static_cast<Result*>(results)[field] = *nothing_;
  }
  void set_magnitude(double largest, Index elements) const override {
    if constexpr (requires { operation_.set_magnitude(largest, elements); }) {
      operation_.set_magnitude(largest, elements);
    }
  }
  [[nodiscard]] std::optional<Accuracy> accuracy(const void* partial) const override {
    if constexpr (KnowsAccuracy<Operation>) {
      constexpr bool narrow =
          std::is_same_v<Type, float> || std::is_same_v<Type, std::complex<float>>;
      constexpr double digits_of_a_bit = 0.30102999566398120;  // log10(2)
      constexpr double most = (narrow ? 24 : 53) * digits_of_a_bit;
      if (partial == nullptr) return Accuracy{most, 0};
      return operation_.accuracy(*static_cast<const typename Operation::Value*>(partial), most);
    }
    return {};
  }

 private:
  Operation operation_;
  std::optional<Result> nothing_;
};

/// The operations of a reducer.
struct FieldOperations {
  std::vector<std::unique_ptr<FieldOperation>> all;
  std::vector<std::size_t> of_field;  ///< index into `all`, by field; if empty, all fields have
                                      ///< the only operation
  std::vector<Operation> asked;       ///< what each of `all` computes; empty for a program's own
};

}  // namespace bracket::runtime
