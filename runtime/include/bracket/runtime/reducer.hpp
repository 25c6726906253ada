#pragma once

#include <mpi.h>

#include "bracket/model/language.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "bracket/model/distribution.hpp"    // Distribution: who holds what
#include "bracket/model/error.hpp"           // Error
#include "bracket/model/range.hpp"           // Index, Rank, Range
#include "bracket/runtime/any_reducer.hpp"   // Algorithm, Settings, Field
#include "bracket/runtime/communicator.hpp"  // CollectiveError
#include "bracket/runtime/delivered.hpp"     // Delivered: what `run` returns
#include "bracket/runtime/digest.hpp"        // Digest: results of ElementDigest
#include "bracket/runtime/field_reducer.hpp"
#include "bracket/runtime/layout.hpp"    // Layout: where elements lie
#include "bracket/runtime/location.hpp"  // Located: results of locations
#include "bracket/runtime/operation.hpp"
#include "bracket/runtime/operators.hpp"  // Sum, Product, Minimum, Maximum

namespace bracket {

/// Operators of `Reducer` beside those of operators.hpp: the extreme element and the lowest global
/// index at which it lies. Of no elements the index is −1.
struct MinimumLocation {};
struct MaximumLocation {};

/// The operator of `Reducer` whose result is the `Digest` of the elements.
struct ElementDigest {};

namespace detail {

/// Of two types of the same size, as `long` and `long long`, one is std::int64_t, the other not.
template <class Element>
inline constexpr bool is_standard_integer =
    std::is_same_v<Element, int> || std::is_same_v<Element, unsigned> ||
    std::is_same_v<Element, long> || std::is_same_v<Element, unsigned long> ||
    std::is_same_v<Element, long long> || std::is_same_v<Element, unsigned long long>;

/// Which of `Type` and `Op` stand for C++'s types, if any.
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
  if (std::is_same_v<Operator, ElementDigest>) return Op::digest;
  return std::nullopt;
}

/// The operation of a function object of the user's, in the order that the settings name.
template <class Element, class Operator>
struct UserReduction : Reduction<Element, Operator> {
  Settings settings;
  bool of_products = false;

  UserReduction(const Operator& function, const Settings& asked, bool products)
      : Reduction<Element, Operator>{function}, settings(asked), of_products(products) {}

  void prepare() const {
    if constexpr (std::is_pointer_v<Operator> ||
                  std::is_constructible_v<Operator, std::nullptr_t>) {
      if (this->join_function == nullptr) throw Error("the operator is null: give a function");
    }
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

template <class Operator>
inline constexpr bool locates =
    std::is_same_v<Operator, MinimumLocation> || std::is_same_v<Operator, MaximumLocation>;

}  // namespace detail

/// The arrays of one field at a call: at least as long as its layouts reach.
template <class Element>
struct Operand {
  std::span<const Element> elements = {};
  std::span<const Element> factors = {};  ///< of a field of products
  const void* function = nullptr;         ///< what `elements_by` was given
  MakeElements* make = nullptr;           ///< calls it
};

/// Elements of a field that is not of products by a function in place of an array: `element(i)` is
/// the i-th of this rank's, from 0 on, in the sequence of the field's layout. It must last while
/// the run is under way and give the same for the same i, of which it may be asked twice; with
/// several threads they call it at once.
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

/// Reduces fields that the ranks of a communicator hold, with the arithmetic that the settings
/// name, to the same bits on any number of ranks and threads.
///
/// `Operator` is `Sum`, `Product`, `Minimum`, `Maximum`, `MinimumLocation`, `MaximumLocation` or
/// `ElementDigest` of integers of 32 and 64 bits, float, double, or one of the first two or the
/// last of std::complex of the latter. Or it is a function object of your own over any trivially
/// copyable type, called with the left operand first; it need be neither associative nor
/// commutative.
///
///     bracket::Reducer<double> sum(MPI_COMM_WORLD, bracket::Layout::contiguous(mine.size()));
///     const double total = sum.run(mine).value();  // without a root every rank has it
///
/// The same bits on any number of ranks need the same sequence: the elements of rank 0, then those
/// of rank 1, … Blocks of a grid are another sequence on another number of ranks; for them
/// `{.algorithm = Algorithm::binned}` are the settings whose bits do not depend on it.
///
/// Made once, with messages of its own; called as often as wanted; any number side by side.
/// Where several are under way all ranks wait for them in the same order. Ends before MPI does.
template <class Element, class Operator = Sum>
class Reducer {
 public:
  static_assert(std::is_trivially_copyable_v<Element>,
                "elements are copied and sent as bytes: their type must be trivially copyable");
  static_assert(!detail::op_of<Operator>() || detail::type_of<Element>(),
                "the library's operators are of integers of 32 and 64 bits, float, double, and for "
                "sums and products of std::complex of both: other types need an operator of your "
                "own");
  static_assert(!detail::op_of<Operator>() || !is_complex<Element> ||
                    std::is_same_v<Operator, Sum> || std::is_same_v<Operator, Product> ||
                    std::is_same_v<Operator, ElementDigest>,
                "complex numbers have no minimum, maximum or location: they have sum and product");
  static_assert(
      detail::op_of<Operator>() ||
          std::is_invocable_r_v<Element, const Operator&, const Element&, const Element&>,
      "an operator of your own must be callable where it is const, with two elements that "
      "are const, and give an element");

  using Result = std::conditional_t<
      detail::locates<Operator>, Located<Element>,
      std::conditional_t<std::is_same_v<Operator, ElementDigest>, Digest, Element>>;

  /// Of several fields, which are reduced in the messages of one. Collective. Throws
  /// `CollectiveError` as `make_reducer` does.
  Reducer(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings = {},
          const Operator& function = {});
  Reducer(MPI_Comm communicator, const Field& field, const Settings& settings = {},
          const Operator& function = {})
      : Reducer(communicator, std::vector<Field>{field}, settings, function) {}

  /// Reduces all fields. `results` has a place for each, or none where they are not delivered.
  /// Collective. Throws as `AnyReducer::start` and `AnyReducer::wait` do.
  void run(std::span<const Operand<Element>> fields, std::span<Result> results) {
    reducer_->run(fields.size(), arrays_of(fields), results.data(), results.size());
  }

  /// The same of fields between braces: `run({{x}, {x, volumes}}, results)`.
  void run(std::initializer_list<Operand<Element>> fields, std::span<Result> results) {
    run(std::span<const Operand<Element>>(fields.begin(), fields.size()), results);
  }

  /// Reduces the only field; of products with the second array. The result, where it is delivered.
  Delivered<Result> run(std::span<const Element> elements, std::span<const Element> factors = {}) {
    const Operand<Element> operand{elements, factors};
    Result result{};
    run(std::span(&operand, 1), std::span(&result, 1));
    return delivers() ? Delivered<Result>(result) : Delivered<Result>();
  }

  /// The same of elements by a function (see `elements_by`): no array is needed for the products of
  /// three, `sum.run([&](bracket::Index i) { return u[i] * v[i] * w[i]; })`.
  template <class Function>
  requires std::is_invocable_r_v<Element, const Function&, Index> Delivered<Result> run(
      const Function& element) {
    const Operand<Element> operand = elements_by<Element>(element);
    Result result{};
    run(std::span(&operand, 1), std::span(&result, 1));
    return delivers() ? Delivered<Result>(result) : Delivered<Result>();
  }

  /// Begins such a run. The arrays must last, and `results` is not to be touched, until `test` is
  /// true or `wait` returns. Throws as `AnyReducer::start` does.
  void start(std::span<const Operand<Element>> fields, std::span<Result> results) {
    reducer_->start(fields.size(), arrays_of(fields), results.data(), results.size());
  }

  void start(std::initializer_list<Operand<Element>> fields, std::span<Result> results) {
    start(std::span<const Operand<Element>>(fields.begin(), fields.size()), results);
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
      const auto& [elements, factors, function, make] = fields[k];
      if (make != nullptr) return FieldArrays{function, nullptr, 0, 0, make};
      return FieldArrays{elements.data(), factors.data(), elements.size_bytes(),
                         factors.size_bytes()};
    };
  }

  std::unique_ptr<AnyReducer> reducer_;
};

template <class Element, class Operator>
Reducer<Element, Operator>::Reducer(MPI_Comm communicator, const std::vector<Field>& fields,
                                    const Settings& settings, const Operator& function) {
  using namespace detail;
  if constexpr (type_of<Element>() && op_of<Operator>()) {
    reducer_ =
        make_reducer(communicator, *type_of<Element>(), *op_of<Operator>(), fields, settings);
  } else if constexpr (!op_of<Operator>()) {
    using Operation = UserReduction<Element, Operator>;
    const Kind kind{typeid(Element).name(),
                    typeid(Operator).name(),
                    sizeof(Element),
                    order_of(settings, false),
                    false,
                    false};
    FieldOperations operations;
    const std::string refused = words_of([&] {
      operations = only(std::make_unique<FieldOperationOf<Operation, Element>>(
                            std::nullopt, function, settings, of_products(fields)),
                        fields);
    });
    if (!refused.empty()) refuse_fields(communicator, refused);
    reducer_ =
        std::make_unique<FieldReducer>(communicator, fields, settings, kind, std::move(operations));
  }
}

}  // namespace bracket
