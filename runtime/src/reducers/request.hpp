#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/digest.hpp"
#include "bracket/runtime/field_reducer.hpp"

/// What `make_reducer` chooses from, one function for each kind of numbers.
namespace bracket::reducers {

/// The arguments of `make_reducer`.
struct Request {
  MPI_Comm communicator;
  Type type;
  Op op;
  const std::vector<Field>& fields;
  const Settings& settings;
};

/// Each throws `Error`, before anything collective, for a combination that makes no sense.
template <class Number>  // float, double
std::unique_ptr<AnyReducer> make_of_floats(const Request& request);
template <class Number>  // float, double: of complex numbers
std::unique_ptr<AnyReducer> make_of_complexes(const Request& request);
template <class Integer>  // std::int32_t, std::int64_t, std::uint32_t, std::uint64_t
std::unique_ptr<AnyReducer> make_of_integers(const Request& request);

/// `Operation` with a result that is rounded to `Number`: once, where its value has more digits
/// than float64.
template <class Operation, class Number>
struct Rounded : Operation {
  using Result = Number;
  [[nodiscard]] Number finish(const typename Operation::Value& value) const {
    if constexpr (requires { Operation::finish_to_odd(value); }) {
      return static_cast<Number>(Operation::finish_to_odd(value));
    } else {
      return static_cast<Number>(Operation::finish(value));
    }
  }
};

/// A reducer of `Number` by an operation; `nothing` is the result of no elements.
template <class Number, class Operation>
std::unique_ptr<AnyReducer> make(const Request& request, Operation operation,
                                 typename Operation::Result nothing) {
  const detail::Kind kind{std::string(name_of(request.type)),
                          std::string(name_of(request.op)),
                          sizeof(Number),
                          detail::order_of(request.settings, operation.associative),
                          operation.associative,
                          true};
  return std::make_unique<detail::FieldReducerOf<Operation, Number>>(
      request.communicator, request.fields, request.settings, kind, std::move(operation), nothing);
}

/// A reducer of the digest of `Number`s; of no elements it is {0, 0}.
template <class Number>
std::unique_ptr<AnyReducer> make_digest(const Request& request) {
  return make<Number>(request, DigestReduction<Number>{}, Digest{});
}

/// As `make`. If the operation's results are wider than `Number`, they are rounded once.
template <class Number, class Operation>
std::unique_ptr<AnyReducer> make_rounded(const Request& request, const Operation& operation,
                                         Number nothing) {
  if constexpr (std::is_same_v<Number, typename Operation::Result>) {
    return make<Number>(request, operation, nothing);
  } else {
    return make<Number>(request, Rounded<Operation, Number>{operation}, nothing);
  }
}

/// Calls `use` with the K that the settings ask for as a constant.
template <class Use>
std::unique_ptr<AnyReducer> with_bins(const Settings& settings, Use&& use) {
  return [&]<int... index>(std::integer_sequence<int, index...>) {
    std::unique_ptr<AnyReducer> made;
    static_cast<void>(((settings.bins == index + 1 &&
                        (made = use(std::integral_constant<int, index + 1>()), true)) ||
                       ...));
    return made;
  }
  (std::make_integer_sequence<int, Bins::most>());
}

}  // namespace bracket::reducers
