// SPDX-License-Identifier: MIT

#include "bracket/model/operation.hpp"

#include <algorithm>
#include <set>
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

std::span<const BaselineEntry> baselines() {
  static constexpr BaselineEntry rows[] = {
      {Baseline::irreproducible,
       {"irreproducible", "", "vector instructions on each rank, then the MPI library's collective",
        "baseline"}},
      {Baseline::accumulate,
       {"accumulate", "", "std::accumulate on each rank, then the MPI library's collective",
        "thesis 4.2"}}};
  return rows;
}

Baseline baseline_named(std::string_view name) {
  for (const BaselineEntry& row : baselines()) {
    if (row.entry.name == name) return row.baseline;
  }
  return Baseline::none;
}

std::span<const TermsEntry> all_terms() {
  static constexpr TermsEntry rows[] = {
      {Terms::elements, {"elements", "", "the elements of an array", ""}},
      {Terms::products, {"products", "", "the products of two arrays", ""}},
      {Terms::squares, {"squares", "", "the products of an array with itself", ""}}};
  return rows;
}

void Operation::check() const {
  if (baseline != Baseline::none) {
    Operation replaced = *this;
    replaced.baseline = Baseline::none;
    replaced.terms = Terms::elements;
    if (replaced.spec() != Operation{}.spec()) {
      throw Error(text(algorithm_spec(),
                       " is a sum of float64: leave out other algorithms, "
                       "operators and types"));
    }
    return;
  }
  const bool integers = is_integer(type);
  const bool of_sums = algorithm.arithmetic != Arithmetic::plain;
  if (integers && of_sums) {
    throw Error(text("the algorithm ", algorithm.spec(), " is for floats, not for ", name_of(type),
                     ": omit it, the bits of integers do not depend on the bracketing"));
  }
  if (of_sums && op != Op::sum && !(is_extreme(op) && row_of(algorithm.arithmetic).of_extremes)) {
    throw Error(text("the algorithm ", algorithm.spec(), " is for sums, not for a ", name_of(op),
                     ": take tree",
                     op == Op::product ? " or chunked-tree"
                                       : ", whose result does not depend on the bracketing"));
  }
  if (is_complex(type) && op != Op::sum && op != Op::product && op != Op::digest) {
    throw Error(text("complex numbers have no ", name_of(op)));
  }
  if (algorithm.arithmetic == Arithmetic::pre_rounded && is_complex(type)) {
    throw Error(text(algorithm.spec(), " is for real numbers, not for ", name_of(type),
                     ": take binned, or a field for each part"));
  }
  if (algorithm.arithmetic == Arithmetic::binned_exact && is_complex(type) && of_products()) {
    throw Error(text(algorithm.spec(), ": products of ", name_of(type),
                     " are rounded; take binned, or a field for each part"));
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
  if (checked && of_products() && op != Op::sum && !is_extreme(op) && op != Op::digest) {
    throw Error(text("checked integers: a field of products has a sum, minimum or maximum, not a ",
                     name_of(op)));
  }
  if (algorithm.arithmetic == Arithmetic::plain && !fixes_bracketing(algorithm.order) &&
      !associative()) {
    throw Error(text("the bits of the ", name_of(op), " of ", name_of(type),
                     " depend on the bracketing: the algorithm must be ", fixed_orders(),
                     op == Op::sum ? ", or binned, whose bits do not" : ""));
  }
}

Operation Operation::in_order(const std::string& order) const {
  Operation operation = *this;
  if (plain()) operation.algorithm.order = order;
  return operation;
}

bool Operation::associative() const {
  if (baseline != Baseline::none) return true;
  if (is_integer(type) || (op != Op::sum && op != Op::product)) return true;
  if (algorithm.arithmetic == Arithmetic::plain) return false;
  return !fixes_bracketing(row_of(algorithm.arithmetic).order);
}

Index Operation::value_bytes() const {
  check();
  const Index parts = is_complex(type) ? 2 : 1;
  if (!plain()) {
    const ArithmeticEntry& row = row_of(algorithm.arithmetic);
    return parts * (Index{row.bytes_each} * algorithm.parameter + row.bytes_more);
  }
  if (op == Op::sum || op == Op::product) {
    if (checked) return of_products() ? 24 : 16;
    return widened ? 8 * parts : static_cast<Index>(bytes_of(type));
  }
  if (is_extreme(op)) {
    if (checked && of_products()) return 16;
    return widened ? 8 : static_cast<Index>(bytes_of(type));
  }
  return 16;  // a number and an index, or the two numbers of a digest
}

Index Operation::flops() const {
  const bool of_complex = is_complex(type);
  const Index product = of_complex ? 6 : 1;
  Index combine = op == Op::product ? product : of_complex ? 2 : 1;
  if (!plain()) {
    const ArithmeticEntry& row = row_of(algorithm.arithmetic);
    combine *= Index{row.flops_each} * algorithm.parameter + row.flops_more;
    // Each product is two numbers, and the second takes a fused multiply-add.
    if (algorithm.arithmetic == Arithmetic::binned_exact && of_products()) {
      return 2 * combine + 2 * product;
    }
  }
  return combine + (of_products() ? product : 0);
}

std::string Operation::algorithm_spec() const {
  for (const BaselineEntry& row : baselines()) {
    if (row.baseline == baseline) return std::string(row.entry.name);
  }
  return algorithm.spec();
}

std::string Operation::spec() const {
  const bool tree = baseline == Baseline::none && plain();
  std::string_view of_terms;
  for (const TermsEntry& row : all_terms()) {
    if (row.terms == terms && of_products()) of_terms = row.entry.name;
  }
  return text(tree ? "" : algorithm_spec() + '/', widened ? "widened/" : "",
              checked ? "checked/" : "", of_terms, of_products() ? "/" : "", name_of(op), '/',
              name_of(type));
}

namespace {

template <class Row>
bool has(std::span<const Row> table, std::string_view name) {
  return std::any_of(table.begin(), table.end(),
                     [&](const Row& row) { return row.entry.name == name; });
}

/// Sets what a word of an operation names, and returns the kind of the word. Throws `Error`.
std::string_view take(std::string_view word, Operation& operation) {
  struct Flag {
    std::string_view word;
    std::string_view kind;
    bool Operation::*flag;
  };
  constexpr Flag flags[] = {{"widened", "word widened", &Operation::widened},
                            {"checked", "word checked", &Operation::checked}};
  for (const auto& [name, kind, flag] : flags) {
    if (word != name) continue;
    operation.*flag = true;
    return kind;
  }
  for (const TermsEntry& row : all_terms()) {
    if (word != row.entry.name || row.terms == Terms::elements) continue;
    operation.terms = row.terms;
    return "kind of terms";
  }
  if (has(operators(), word)) {
    operation.op = op_named(word);
    return "operator";
  }
  if (has(types(), word)) {
    operation.type = type_named(word);
    return "type";
  }
  if (has(baselines(), word)) {
    operation.baseline = baseline_named(word);
    return "algorithm";
  }
  if (has(std::span<const ArithmeticEntry>(arithmetics), word.substr(0, word.find(':')))) {
    operation.algorithm = make_algorithm(word);
    return "algorithm";
  }
  throw Error(
      text("'", excerpt(word),
           "' is no algorithm other than an order, no operator, no type, and not widened, "
           "checked, products or squares; an operation is written as in binned:3/sum/float64"));
}

}  // namespace

Operation make_operation(std::string_view spec) {
  Operation operation;
  std::set<std::string_view> taken;
  for (std::size_t begin = 0; begin <= spec.size();) {
    const std::size_t end = std::min(spec.find('/', begin), spec.size());
    const std::string_view kind = take(spec.substr(begin, end - begin), operation);
    if (!taken.insert(kind).second) {
      throw Error(text("'", excerpt(spec), "': the ", kind, " is given twice"));
    }
    begin = end + 1;
  }
  operation.check();
  return operation;
}

}  // namespace bracket
