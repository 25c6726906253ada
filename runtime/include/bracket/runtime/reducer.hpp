// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include "bracket/support/language.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "bracket/model/range.hpp"               // Index, Rank, Range
#include "bracket/runtime/collective_error.hpp"  // CollectiveError
#include "bracket/runtime/field.hpp"             // Field, Layout
#include "bracket/runtime/operators.hpp"         // Sum, Product, Minimum, Maximum
#include "bracket/runtime/own_operator.hpp"
#include "bracket/runtime/results.hpp"   // Delivered, Located, Digest
#include "bracket/runtime/settings.hpp"  // Settings, Type, Op
#include "bracket/support/error.hpp"     // Error

namespace bracket {

class AnyReducer;
struct Schedule;        // bracket/model/schedule.hpp
struct ScheduleHeader;  // bracket/model/schedule.hpp

/// Operators of `Reducer` that find the smallest or the largest element and the lowest global index
/// at which it lies. Without elements the index is −1. The other operators are in operators.hpp.
struct MinimumLocation {};
struct MaximumLocation {};

/// An operator of `Reducer`. Its result is the `Digest` of the elements.
struct ElementDigest {};

namespace runtime {

/// True for standard integers. `long` and `long long` have the same size, but only one of them is
/// std::int64_t.
template <class Element>
inline constexpr bool is_standard_integer =
    std::is_same_v<Element, int> || std::is_same_v<Element, unsigned> ||
    std::is_same_v<Element, long> || std::is_same_v<Element, unsigned long> ||
    std::is_same_v<Element, long long> || std::is_same_v<Element, unsigned long long>;

/// The `Type` or `Op` of a C++ type, if it has one.
template <class Element>
constexpr std::optional<Type> type_of() {
  if (is_standard_integer<Element> && sizeof(Element) == 4) {
    return std::is_signed_v<Element> ? Type::int32 : Type::uint32;
  }
  if (is_standard_integer<Element> && sizeof(Element) == 8) {
    return std::is_signed_v<Element> ? Type::int64 : Type::uint64;
  }
  if (std::is_same_v<Element, float>) return Type::float32;
  if (std::is_same_v<Element, double>) return Type::float64;
  if (is_complex<Element> && sizeof(Element) == 8) return Type::complex64;
  if (is_complex<Element> && sizeof(Element) == 16) return Type::complex128;
  return std::nullopt;
}
template <class Operator>
constexpr std::optional<Op> op_of() {
  if (std::is_same_v<Operator, Sum>) return Op::sum;
  if (std::is_same_v<Operator, Product>) return Op::product;
  if (std::is_same_v<Operator, Minimum>) return Op::minimum;
  if (std::is_same_v<Operator, Maximum>) return Op::maximum;
  if (std::is_same_v<Operator, MinimumLocation>) return Op::minimum_location;
  if (std::is_same_v<Operator, MaximumLocation>) return Op::maximum_location;
  if (std::is_same_v<Operator, ElementDigest>) return Op::digest;
  return std::nullopt;
}

template <class Operator>
inline constexpr bool locates =
    std::is_same_v<Operator, MinimumLocation> || std::is_same_v<Operator, MaximumLocation>;

/// A reducer without static types, as `Reducer` uses it.
class ReducerHandle {
 public:
  /// Returns the arrays of a field. `operands` describes those of all fields.
  using ArraysOf = FieldArrays(const void* operands, std::size_t field);

  ReducerHandle(MPI_Comm communicator, Type type, Op op, std::span<const Field> fields,
                const Settings& settings);
  ReducerHandle(MPI_Comm communicator, const OwnOperator& own, std::span<const Field> fields,
                const Settings& settings);
  ReducerHandle(MPI_Comm communicator, Type type, Op op, const Schedule& schedule,
                const Settings& settings);
  ReducerHandle(MPI_Comm communicator, const OwnOperator& own, const Schedule& schedule,
                const Settings& settings);
  ReducerHandle(MPI_Comm communicator, Type type, Op op, const ScheduleHeader& header,
                const Settings& settings);
  ReducerHandle(MPI_Comm communicator, const OwnOperator& own, const ScheduleHeader& header,
                const Settings& settings);
  ~ReducerHandle();
  ReducerHandle(ReducerHandle&& other) noexcept;
  ReducerHandle& operator=(ReducerHandle&& other) noexcept;

  void run(std::size_t fields, ArraysOf* arrays, const void* operands, void* results,
           std::size_t room);
  void start(std::size_t fields, ArraysOf* arrays, const void* operands, void* results,
             std::size_t room);
  bool test();
  void wait();
  [[nodiscard]] bool delivers() const {
    if (reducer_ == nullptr) refuse();
    return delivers_;
  }
  [[nodiscard]] Range delivered() const;
  [[nodiscard]] Range held(std::size_t field) const;
  [[nodiscard]] Index elements(std::size_t field) const;
  [[nodiscard]] Accuracy accuracy(std::size_t field) const;
  [[nodiscard]] Index messages_sent() const;

 private:
  /// Takes over the reducer.
  explicit ReducerHandle(AnyReducer* reducer);

  [[noreturn]] static void refuse();
  [[nodiscard]] AnyReducer& reducer() const {
    if (reducer_ == nullptr) refuse();
    return *reducer_;
  }

  AnyReducer* reducer_;  // null after it was moved
  bool delivers_;
};

}  // namespace runtime

/// The arrays of one field in a call. They must cover the field's layouts. They may lie in the
/// memory of a CUDA device, both or neither.
template <class Element>
struct Operand {
  std::span<const Element> elements = {};
  std::span<const Element> factors = {};  ///< second array of a field of products
  const void* function = nullptr;         ///< argument of `elements_by`
  MakeElements* make = nullptr;           ///< calls `function`
};

/// Describes the elements of a field by a function in place of an array. `element(i)` returns this
/// rank's i-th element, counted from 0, in the sequence of the field's layout. The function must
/// exist until the run is complete. It may be called twice for the same i, and must then return the
/// same element. Several threads call it at once if the settings have several. Fields of products
/// take no function.
template <class Element, class Function>
Operand<Element> elements_by(const Function& element) {
  static_assert(std::is_invocable_r_v<Element, const Function&, Index>,
                "the function must be callable where it is const, with an index, and give an "
                "element");
  return {{},
          {},
          std::addressof(element),
          [](const void* function, Index first, Index count, void* into) {
            auto* const elements = static_cast<Element*>(into);
            for (Index i = 0; i < count; ++i) {
              elements[i] = (*static_cast<const Function*>(function))(first + i);
            }
          }};
}

/// A reproducible reduction: reduces fields that the ranks of a communicator hold, to the same bits
/// on any number of ranks and threads.
///
/// `Operator` is one of
///
/// - `Sum`, `Product`, `Minimum`, `Maximum`, `MinimumLocation`, `MaximumLocation` and
///   `ElementDigest`, for integers of 32 and 64 bits, float and double,
/// - `Sum`, `Product` and `ElementDigest`, for std::complex of float and double,
/// - your own function object, for any trivially copyable type. It is called with the left operand
///   first, and need be neither associative nor commutative.
///
///     bracket::Reducer<double> sum(MPI_COMM_WORLD, bracket::Layout::contiguous(mine.size()));
///     const double total = sum.run(mine).value();  // without a root every rank has it
///
/// The bits are the same if the sequence of elements is the same: the elements of rank 0, then
/// those of rank 1, and so on. Blocks of a grid have different sequences on different numbers of
/// ranks. For these, the settings `{.algorithm = "binned"}` give bits that do not depend on the
/// sequence.
///
/// Make a reducer once and call it as often as you want. A program can have any number of reducers,
/// whose messages do not mix. If several runs are under way, all ranks must wait for them in the
/// same order. Destroy reducers before MPI_Finalize.
template <class Element, class Operator = Sum>
class Reducer {
 public:
  static_assert(std::is_trivially_copyable_v<Element>,
                "elements are copied and sent as bytes: their type must be trivially copyable");
  static_assert(
      !runtime::op_of<Operator>() || runtime::type_of<Element>(),
      "the library's operators take integers of 32 and 64 bits, float and double; sums and "
      "products also take std::complex of both: other types need an operator of your "
      "own");
  static_assert(!runtime::op_of<Operator>() || !is_complex<Element> ||
                    std::is_same_v<Operator, Sum> || std::is_same_v<Operator, Product> ||
                    std::is_same_v<Operator, ElementDigest>,
                "complex numbers have no minimum, maximum or location: they have sum and product");
  static_assert(
      runtime::op_of<Operator>() ||
          std::is_invocable_r_v<Element, const Operator&, const Element&, const Element&>,
      "an operator of your own must be callable where it is const, with two elements that "
      "are const, and give an element");

  using Result = std::conditional_t<
      runtime::locates<Operator>, Located<Element>,
      std::conditional_t<std::is_same_v<Operator, ElementDigest>, Digest, Element>>;

  /// Makes a reducer of several fields, which share messages. Collective. Throws `CollectiveError`
  /// as `make_reducer` does.
  Reducer(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings = {},
          const Operator& function = {})
      : reducer_(make(communicator, std::span<const Field>(fields), settings, function)) {}
  Reducer(MPI_Comm communicator, const Field& field, const Settings& settings = {},
          const Operator& function = {})
      : reducer_(make(communicator, std::span<const Field>(&field, 1), settings, function)) {}

  /// Makes a reducer that executes a schedule, from a plan of the model, from a file or made by
  /// hand. It has one field of elements side by side: single elements, or vectors that are reduced
  /// item by item. Its results are the items that `delivered` returns. Order, plan, root and
  /// distribution are the schedule's; vectors need the elements' own arithmetic. Collective. Throws
  /// `CollectiveError` if ranks have different schedules, if a rank cannot execute its part, and as
  /// above.
  Reducer(MPI_Comm communicator, const Schedule& schedule, const Settings& settings = {},
          const Operator& function = {})
      : reducer_(make(communicator, schedule, settings, function)) {}

  /// The same for the schedule with this header. Each rank makes its own part, by the header's
  /// plan.
  Reducer(MPI_Comm communicator, const ScheduleHeader& header, const Settings& settings = {},
          const Operator& function = {})
      : reducer_(make(communicator, header, settings, function)) {}

  /// Reduces all fields. `results` has one element for each field, or is empty on ranks without
  /// results. It may lie in the memory of a CUDA device. Collective. Throws as `AnyReducer::start`
  /// and `AnyReducer::wait` do.
  void run(std::span<const Operand<Element>> fields, std::span<Result> results) {
    reducer_.run(fields.size(), arrays_of, fields.data(), results.data(), results.size());
  }

  /// Reduces fields that are listed in braces: `run({{x}, {x, volumes}}, results)`.
  void run(std::initializer_list<Operand<Element>> fields, std::span<Result> results) {
    run(std::span<const Operand<Element>>(fields.begin(), fields.size()), results);
  }

  /// Reduces the only field, with the second array if it is a field of products. Returns the result
  /// on the ranks that have it.
  Delivered<Result> run(std::span<const Element> elements, std::span<const Element> factors = {}) {
    const Operand<Element> operand{elements, factors};
    Result result{};
    run(std::span(&operand, 1), std::span(&result, 1));
    return delivers() ? Delivered<Result>(result) : Delivered<Result>();
  }

  /// Reduces the only field, with a function that returns its elements (see `elements_by`). For
  /// example, a sum of products of three arrays:
  ///
  ///     sum.run([&](bracket::Index i) { return u[i] * v[i] * w[i]; })
  template <class Function>
  requires std::is_invocable_r_v<Element, const Function&, Index> Delivered<Result> run(
      const Function& element) {
    const Operand<Element> operand = elements_by<Element>(element);
    Result result{};
    run(std::span(&operand, 1), std::span(&result, 1));
    return delivers() ? Delivered<Result>(result) : Delivered<Result>();
  }

  /// Begins a run. Until `test` returns true or `wait` returns, the arrays must exist, and
  /// `results` must not be read or written. Throws as `AnyReducer::start` does.
  void start(std::span<const Operand<Element>> fields, std::span<Result> results) {
    reducer_.start(fields.size(), arrays_of, fields.data(), results.data(), results.size());
  }

  void start(std::initializer_list<Operand<Element>> fields, std::span<Result> results) {
    start(std::span<const Operand<Element>>(fields.begin(), fields.size()), results);
  }

  /// Makes progress, and returns whether the run is complete. Call it now and then: other ranks may
  /// wait for this rank. Throws as `AnyReducer::test` does.
  bool test() { return reducer_.test(); }

  /// Completes the run, if there is one. Throws as `AnyReducer::test` does.
  void wait() { reducer_.wait(); }

  /// Whether this rank gets the results.
  [[nodiscard]] bool delivers() const { return reducer_.delivers(); }

  /// Fields, or items of a schedule's vectors, whose results this rank gets; may be empty.
  [[nodiscard]] Range delivered() const { return reducer_.delivered(); }

  /// Elements of a field that this rank holds, as global indices.
  [[nodiscard]] Range held(std::size_t field = 0) const { return reducer_.held(field); }

  /// Elements of a field on all ranks.
  [[nodiscard]] Index elements(std::size_t field = 0) const { return reducer_.elements(field); }

  /// Accuracy of the latest result of a field, by the algorithm `stochastic`, on ranks that have
  /// the result. Not collective. Throws as `AnyReducer::accuracy` does.
  [[nodiscard]] Accuracy accuracy(std::size_t field = 0) const { return reducer_.accuracy(field); }

  /// Number of messages that this rank has sent in all runs.
  [[nodiscard]] Index messages_sent() const { return reducer_.messages_sent(); }

 private:
  static FieldArrays arrays_of(const void* operands, std::size_t field) {
    const auto& [elements, factors, function, make] =
        static_cast<const Operand<Element>*>(operands)[field];
    if (make != nullptr) return {function, nullptr, 0, 0, make};
    return {elements.data(), factors.data(), elements.size_bytes(), factors.size_bytes(), nullptr};
  }

  /// `reduced` are the fields, the schedule or its header.
  template <class Reduced>
  static runtime::ReducerHandle make(MPI_Comm communicator, const Reduced& reduced,
                                     const Settings& settings, const Operator& function) {
    if constexpr (runtime::op_of<Operator>()) {
      return {communicator, runtime::type_of<Element>().value(), runtime::op_of<Operator>().value(),
              reduced, settings};
    } else {
      const runtime::OwnOperatorOf<Element, Operator> own(function);
      return {communicator, own, reduced, settings};
    }
  }

  runtime::ReducerHandle reducer_;
};

}  // namespace bracket
