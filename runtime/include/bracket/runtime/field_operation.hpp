#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/computation.hpp"

/// What the reducers of all types and languages are made of; nothing that a program uses.
namespace bracket::detail {

/// What fields are reduced by, its types forgotten.
class FieldOperation {
 public:
  FieldOperation() = default;
  virtual ~FieldOperation() = default;
  FieldOperation(const FieldOperation&) = delete;
  FieldOperation& operator=(const FieldOperation&) = delete;

  /// Whether results do not depend on the bracketing.
  [[nodiscard]] virtual bool associative() const = 0;

  /// Once, before all below; may throw, as an operation's may.
  virtual void prepare() = 0;

  /// The computation over items of these cells, whose arrays are where `arrays` is at a run; both
  /// must last. Throws as `Folder`, and as an operation's copies.
  [[nodiscard]] virtual std::unique_ptr<Computation> computation(const FieldCells* cells,
                                                                 const FieldArrays* arrays,
                                                                 Index chunk,
                                                                 int threads) const = 0;

  /// The result of a field, of those of all side by side: from a partial, or of no elements.
  virtual void finish(const void* partial, void* results, std::size_t field) const = 0;
  virtual void finish_of_nothing(void* results, std::size_t field) const = 0;
};

/// Of elements of `Type` by an operation.
template <class Operation, class Type>
class FieldOperationOf final : public FieldOperation {
 public:
  using Result = typename Operation::Result;

  /// `nothing` is the result of no elements, if there is one. The operation is made of the rest.
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

  void finish(const void* partial, void* results, std::size_t field) const override {
    static_cast<Result*>(results)[field] =
        operation_.finish(*static_cast<const typename Operation::Value*>(partial));
  }
  void finish_of_nothing(void* results, std::size_t field) const override {
    static_cast<Result*>(results)[field] = *nothing_;
  }

 private:
  Operation operation_;
  std::optional<Result> nothing_;
};

/// The operations of a reducer.
struct FieldOperations {
  std::vector<std::unique_ptr<FieldOperation>> all;
  std::vector<std::size_t> of_field;  ///< which of them; empty: the only one
};

}  // namespace bracket::detail
