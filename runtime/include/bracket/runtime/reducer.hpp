#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/field_reducer.hpp"
#include "bracket/runtime/location.hpp"
#include "bracket/runtime/operation.hpp"

namespace bracket {

/// Operators of `Reducer` beside those of operators.hpp: the extreme element and the lowest global
/// index at which it lies. Of no elements the index is −1.
struct MinimumLocation {};
struct MaximumLocation {};

/// The arrays of one field at a call: at least as long as its layouts reach.
template <class Element>
struct Operand {
  std::span<const Element> elements;
  std::span<const Element> factors = {};  ///< of a field of products
};

/// Reduces fields that the ranks of a communicator hold, with the arithmetic that the settings
/// name, to the same bits on any number of ranks and threads.
///
/// `Operator` is `Sum`, `Product`, `Minimum`, `Maximum`, `MinimumLocation` or `MaximumLocation` of
/// int32_t, int64_t, float, double, or one of the first two of std::complex of the latter. Or it is
/// a function object of your own over any trivially copyable type, called with the left operand
/// first; it need be neither associative nor commutative.
///
///     bracket::Reducer<double> sum(MPI_COMM_WORLD, bracket::Layout::contiguous(mine.size()));
///     const double total = *sum.run(mine);
///
/// Made once, with a communicator of its own; called as often as wanted; any number side by side.
/// Where several are under way all ranks wait for them in the same order. Ends before MPI does.
template <class Element, class Operator = Sum>
class Reducer {
 public:
  using Result = std::conditional_t<std::is_same_v<Operator, MinimumLocation> ||
                                        std::is_same_v<Operator, MaximumLocation>,
                                    Located<Element>, Element>;

  /// Of several fields, which are reduced in the messages of one. Collective. Throws
  /// `CollectiveError` as `make_reducer` does.
  Reducer(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings = {},
          Operator function = {});
  Reducer(MPI_Comm communicator, const Field& field, const Settings& settings = {},
          Operator function = {})
      : Reducer(communicator, std::vector<Field>{field}, settings, function) {}

  /// Reduces all fields. `results` has a place for each, or none where they are not delivered.
  /// Collective. Throws as `AnyReducer::start` and `AnyReducer::wait` do.
  void run(std::span<const Operand<Element>> fields, std::span<Result> results) {
    reducer_->run(fields.size(), arrays_of(fields), results.data(), results.size());
  }

  /// Reduces the only field; of products with the second array. The result, where it is delivered.
  std::optional<Result> run(std::span<const Element> elements,
                            std::span<const Element> factors = {}) {
    const Operand<Element> operand{elements, factors};
    Result result{};
    run(std::span(&operand, 1), std::span(&result, 1));
    return delivers() ? std::optional(result) : std::nullopt;
  }

  /// Begins such a run. The arrays must last, and `results` is not to be touched, until `test` is
  /// true or `wait` returns. Throws as `AnyReducer::start` does.
  void start(std::span<const Operand<Element>> fields, std::span<Result> results) {
    reducer_->start(fields.size(), arrays_of(fields), results.data(), results.size());
  }

  /// Does what has become possible since, and says whether the run is complete. To be called now
  /// and then: others may need this rank's help. Throws as `AnyReducer::test` does.
  bool test() { return reducer_->test(); }

  /// Completes the run, if there is one. Throws as `AnyReducer::test` does.
  void wait() { reducer_->wait(); }

  /// Whether results are delivered to this rank.
  [[nodiscard]] bool delivers() const { return reducer_->delivers(); }

  /// Elements of a field that this rank holds, as global indices.
  [[nodiscard]] Range held(std::size_t field = 0) const { return reducer_->held(field); }

  /// Elements of a field on all ranks.
  [[nodiscard]] Index elements(std::size_t field = 0) const { return reducer_->elements(field); }

  /// Messages that this rank has sent since it was made.
  [[nodiscard]] Index messages_sent() const { return reducer_->messages_sent(); }

 private:
  static auto arrays_of(std::span<const Operand<Element>> fields) {
    return [fields](std::size_t k) {
      const auto& [elements, factors] = fields[k];
      return FieldArrays{elements.data(), factors.data(), elements.size_bytes(),
                         factors.size_bytes()};
    };
  }

  std::unique_ptr<AnyReducer> reducer_;
};

/// Which of `Type` and `Op` stand for C++'s types, if any.
template <class Element>
constexpr std::optional<Type> type_of() {
  if (std::is_same_v<Element, std::int32_t>) return Type::int32;
  if (std::is_same_v<Element, std::int64_t>) return Type::int64;
  if (std::is_same_v<Element, float>) return Type::float32;
  if (std::is_same_v<Element, double>) return Type::float64;
  if (std::is_same_v<Element, std::complex<float>>) return Type::complex64;
  if (std::is_same_v<Element, std::complex<double>>) return Type::complex128;
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
  return std::nullopt;
}

/// The operation of a function object of the user's, in the order that the settings name.
template <class Element, class Operator>
struct UserReduction : Reduction<Element, Operator> {
  Settings settings;
  bool of_products = false;

  UserReduction(const Operator& function, const Settings& asked, bool products)
      : settings(asked), of_products(products) {
    this->join_function = function;
  }

  void prepare() const {
    if (of_products && !Multipliable<Element>) {
      throw Error("a field of products of elements that have no operator *");
    }
    check_settings(settings);
    const Algorithm algorithm = settings.algorithm;
    if (algorithm != Algorithm::tree && algorithm != Algorithm::chunked_tree) {
      throw Error(text("the algorithm ", name_of(algorithm),
                       " is not for an operator of one's own: tree and chunked-tree are"));
    }
    if (settings.widened || settings.checked) {
      throw Error("an operator of one's own is neither widened nor checked");
    }
  }
};

template <class Element, class Operator>
Reducer<Element, Operator>::Reducer(MPI_Comm communicator, const std::vector<Field>& fields,
                                    const Settings& settings, Operator function) {
  if constexpr (type_of<Element>() && op_of<Operator>()) {
    reducer_ =
        make_reducer(communicator, *type_of<Element>(), *op_of<Operator>(), fields, settings);
  } else {
    static_assert(!op_of<Operator>(), "there is no such operator of elements of this type");
    using Operation = UserReduction<Element, Operator>;
    const Kind kind{typeid(Element).name(),
                    typeid(Operator).name(),
                    sizeof(Element),
                    order_of(settings, false),
                    false,
                    false};
    reducer_ = std::make_unique<FieldReducerOf<Operation, Element>>(
        communicator, fields, settings, kind, Operation(function, settings, of_products(fields)),
        std::nullopt);
  }
}

}  // namespace bracket
