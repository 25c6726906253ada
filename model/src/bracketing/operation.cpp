#include "bracket/model/operation.hpp"

#include <algorithm>
#include <span>

#include "bracket/model/order.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

bool is_extreme(Op op) { return op == Op::minimum || op == Op::maximum; }

bool is_complex(Type type) { return type == Type::complex64 || type == Type::complex128; }

bool is_narrow(Type type) { return type == Type::float32 || type == Type::complex64; }

}  // namespace

void Operation::check() const {
  const bool integers = is_integer(type);
  const bool of_sums = algorithm.arithmetic != Arithmetic::plain;
  if (integers && of_sums) {
    throw Error(text("the algorithm ", algorithm.spec(), " is for floats, not for ", name_of(type),
                     ": omit it, the bits of integers do not depend on the bracketing"));
  }
  if (of_sums && op != Op::sum && !(is_extreme(op) && row_of(algorithm.arithmetic).of_extremes)) {
    throw Error(text("the algorithm ", algorithm.spec(), " is for sums: take tree",
                     op == Op::product  ? " or chunked-tree"
                     : is_extreme(op)   ? ", the bits do not depend on the bracketing"
                     : op == Op::digest ? ", the digest does not depend on the bracketing"
                                        : ", the location does not depend on the bracketing"));
  }
  if (is_complex(type) && op != Op::sum && op != Op::product && op != Op::digest) {
    throw Error(text("complex numbers have no ", name_of(op)));
  }
  if (widened && !is_narrow(type)) {
    throw Error(text("widened is for float32 and complex64, not for ", name_of(type)));
  }
  if (widened && op == Op::digest) {
    throw Error("widened is not for a digest, which covers the elements as they are");
  }
  if (checked && !integers) {
    throw Error(text("checked is for integers, not for ", name_of(type)));
  }
  if (algorithm.arithmetic == Arithmetic::plain && !make_order(algorithm.order, 1).fixed() &&
      !associative()) {
    throw Error(text("the bits of the ", name_of(op), " of ", name_of(type),
                     " depend on the bracketing: the algorithm must be ", fixed_orders(),
                     op == Op::sum ? ", or binned, whose bits do not" : ""));
  }
}

bool Operation::associative() const {
  if (is_integer(type) || (op != Op::sum && op != Op::product)) return true;
  if (algorithm.arithmetic == Arithmetic::plain) return false;
  return !make_order(row_of(algorithm.arithmetic).order, 1).fixed();
}

Index Operation::value_bytes() const {
  check();
  const Index parts = is_complex(type) ? 2 : 1;
  if (op == Op::sum && algorithm.arithmetic != Arithmetic::plain) {
    const ArithmeticEntry& row = row_of(algorithm.arithmetic);
    return parts * (Index{row.bytes_each} * algorithm.parameter + row.bytes_more);
  }
  if (op == Op::sum || op == Op::product) {
    if (checked) return op == Op::sum && products ? 24 : 16;
    return widened ? 8 * parts : static_cast<Index>(bytes_of(type));
  }
  if (is_extreme(op)) {
    if (checked && products) return 16;
    return widened ? 8 : static_cast<Index>(bytes_of(type));
  }
  return 16;  // a number and an index, or the two numbers of a digest
}

std::string Operation::spec() const {
  const bool named = op == Op::sum && algorithm.arithmetic != Arithmetic::plain;
  return text(named ? algorithm.spec() + '/' : "", widened ? "widened/" : "",
              checked ? "checked/" : "", products ? "products/" : "", name_of(op), '/',
              name_of(type));
}

namespace {

template <class Row>
bool has(std::span<const Row> table, std::string_view name) {
  return std::any_of(table.begin(), table.end(),
                     [&](const Row& row) { return row.entry.name == name; });
}

}  // namespace

Operation make_operation(std::string_view spec) {
  Operation operation;
  for (std::size_t begin = 0; begin <= spec.size();) {
    const std::size_t end = std::min(spec.find('/', begin), spec.size());
    const std::string_view word = spec.substr(begin, end - begin);
    begin = end + 1;
    if (word == "widened") {
      operation.widened = true;
    } else if (word == "checked") {
      operation.checked = true;
    } else if (word == "products") {
      operation.products = true;
    } else if (has(operators(), word)) {
      operation.op = op_named(word);
    } else if (has(types(), word)) {
      operation.type = type_named(word);
    } else {
      const Algorithm algorithm = make_algorithm(word);
      if (algorithm.arithmetic == Arithmetic::plain) {
        throw Error(text("'", excerpt(spec), "': an operation does not name its order, ", word));
      }
      operation.algorithm = algorithm;
    }
  }
  operation.check();
  return operation;
}

}  // namespace bracket
