#include "bracket/runtime/any_reducer.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bracket/runtime/field_reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "reducer/own_operation.hpp"
#include "reducer/request.hpp"

namespace bracket {

AnyReducer::UseGuard::UseGuard(AnyReducer& reducer) : busy_(reducer.busy_) {
  if (busy_.test_and_set(std::memory_order_acquire)) {
    throw Error(
        "a reducer is used by two threads at once, or by a function or an operator that it calls");
  }
}

namespace {

/// Checks the settings as far as that is possible without the other ranks. Throws `Error`.
void check_combination(Type type, Op op, const Settings& settings, const Algorithm& algorithm) {
  const bool integers = is_integer(type);
  const bool complexes = type == Type::complex64 || type == Type::complex128;
  const bool of_sums = algorithm.arithmetic != Arithmetic::plain;
  if (integers && of_sums) {
    throw Error(text("the algorithm ", algorithm.spec(), " is for floats, not for ", name_of(type),
                     ": omit it, the bits of integers do not depend on the bracketing"));
  }
  const bool extreme = op == Op::minimum || op == Op::maximum;
  if (of_sums && op != Op::sum && !(extreme && row_of(algorithm.arithmetic).of_extremes)) {
    throw Error(text("the algorithm ", algorithm.spec(), " is for sums: take tree",
                     op == Op::product  ? " or chunked-tree"
                     : extreme          ? ", the bits do not depend on the bracketing"
                     : op == Op::digest ? ", the digest does not depend on the bracketing"
                                        : ", the location does not depend on the bracketing"));
  }
  if (complexes && op != Op::sum && op != Op::product && op != Op::digest) {
    throw Error(text("complex numbers have no ", name_of(op)));
  }
  if (settings.widened && type != Type::float32 && type != Type::complex64) {
    throw Error(text("widened is for float32 and complex64, not for ", name_of(type)));
  }
  if (settings.widened && op == Op::digest) {
    throw Error("widened is not for a digest, which covers the elements as they are");
  }
  if (settings.checked && !integers) {
    throw Error(text("checked is for integers, not for ", name_of(type)));
  }
}

runtime::reducers::Made make_operation(Type type, const runtime::reducers::Request& request) {
  if (request.op == Op::sum) {
    switch (request.algorithm.arithmetic) {
      case Arithmetic::plain:
        break;
#define BRACKET_ROW(name, ...) \
  case Arithmetic::name:       \
    return runtime::reducers::make_##name(type, request);
        BRACKET_ARITHMETICS(BRACKET_ROW)
#undef BRACKET_ROW
    }
  }
  switch (type) {
    case Type::int32:
      return runtime::reducers::make_of_integers<std::int32_t>(request);
    case Type::int64:
      return runtime::reducers::make_of_integers<std::int64_t>(request);
    case Type::float32:
      return runtime::reducers::make_of_floats<float>(request);
    case Type::float64:
      return runtime::reducers::make_of_floats<double>(request);
    case Type::complex64:
      return runtime::reducers::make_of_complexes<float>(request);
    case Type::complex128:
      return runtime::reducers::make_of_complexes<double>(request);
    case Type::uint32:
      return runtime::reducers::make_of_integers<std::uint32_t>(request);
    case Type::uint64:
      return runtime::reducers::make_of_integers<std::uint64_t>(request);
  }
  throw Error(text("there is no type of number ", static_cast<int>(type)));
}

/// Makes the operation that `request` asks for. Throws `Error` for a combination that makes no
/// sense.
runtime::reducers::Made make_checked_operation(Type type,
                                               const runtime::reducers::Request& request) {
  const Algorithm& algorithm = request.algorithm;
  check_combination(type, request.op, request.settings, algorithm);
  runtime::reducers::Made made = make_operation(type, request);
  const bool open = algorithm.arithmetic == Arithmetic::plain && algorithm.order == "associative";
  if (open && !made->associative()) {
    throw Error(text("the bits of the ", name_of(request.op), " of ", name_of(type),
                     " depend on the bracketing: the algorithm must be ", fixed_orders(),
                     request.op == Op::sum ? ", or binned, whose bits do not" : ""));
  }
  return made;
}

/// Type of the results.
enum class ResultKind : std::uint8_t { number, location, digest };
ResultKind result_of(Op op) {
  static_cast<void>(name_of(op));  // throws for an unknown operator
  if (op == Op::digest) return ResultKind::digest;
  const bool locates = op == Op::minimum_location || op == Op::maximum_location;
  return locates ? ResultKind::location : ResultKind::number;
}

/// Operations that reduce the fields, each once.
struct Chosen {
  std::vector<Op> ops;
  runtime::FieldOperations operations;
  std::string names;  ///< "sum" or, if fields differ, "sum,maximum,sum", one for each
};

Chosen choose(Type type, Op op, const std::vector<Field>& fields, const Settings& settings,
              const Algorithm& algorithm) {
  const ResultKind kind = result_of(op);
  Chosen chosen;
  std::vector<bool> of_products;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const Op own = fields[k].op.value_or(op);
    if (result_of(own) != kind) {
      throw Error(text("field ", k, ": the results of ", name_of(own), " and of ", name_of(op),
                       " have different types: make a reducer for each type"));
    }
    const auto known = std::find(chosen.ops.begin(), chosen.ops.end(), own);
    const auto number = static_cast<std::size_t>(known - chosen.ops.begin());
    if (known == chosen.ops.end()) {
      chosen.ops.push_back(own);
      of_products.push_back(false);
    }
    if (fields[k].factors) of_products[number] = true;
    chosen.operations.of_field.push_back(number);
    chosen.names += text(k == 0 ? "" : ",", name_of(own));
  }
  if (chosen.ops.empty()) {  // there are no fields; that is refused later
    chosen.ops.push_back(op);
    of_products.push_back(false);
  }
  if (chosen.ops.size() == 1) chosen.names = name_of(chosen.ops[0]);
  for (std::size_t i = 0; i < chosen.ops.size(); ++i) {
    chosen.operations.all.push_back(
        make_checked_operation(type, {chosen.ops[i], of_products[i], settings, algorithm}));
  }
  return chosen;
}

}  // namespace

Settings with_environment(Settings settings, Type type, Op op) {
  constexpr const char* variable = "BRACKET_WIDENED";
  const char* const written = std::getenv(variable);
  const std::string_view value = written == nullptr ? "" : written;
  if (value != "" && value != "0" && value != "1") {
    throw Error(text(variable, " must be 1, or 0 or empty, not ", value));
  }
  const bool narrow = type == Type::float32 || type == Type::complex64;
  if (value == "1" && narrow && op != Op::digest) settings.widened = true;
  return settings;
}

std::unique_ptr<AnyReducer> make_reducer(MPI_Comm communicator, Type type, Op op,
                                         const std::vector<Field>& fields,
                                         const Settings& settings) {
  check_communicator(communicator);
  std::optional<runtime::ReducerKind> kind;
  Settings asked;
  Chosen chosen;
  const std::string refused = words_of([&] {
    asked = with_environment(settings, type, op);
    const Algorithm algorithm = runtime::checked_algorithm(asked);
    chosen = choose(type, op, fields, asked, algorithm);
    const auto& all = chosen.operations.all;
    const bool associative =
        std::all_of(all.begin(), all.end(), [](const auto& one) { return one->associative(); });
    kind = {std::string(name_of(type)),
            chosen.names,
            bytes_of(type),
            associative ? "associative" : algorithm.order,
            associative,
            true};
  });
  if (!refused.empty()) runtime::refuse_fields(communicator, refused);
  return std::make_unique<runtime::FieldReducer>(communicator, fields, asked, *kind,
                                                 std::move(chosen.operations));
}

std::unique_ptr<AnyReducer> make_reducer(MPI_Comm communicator, Type type, Op op,
                                         const ScheduleHeader& header, const Schedule* given,
                                         const Settings& settings) {
  check_communicator(communicator);
  runtime::ReducerKind kind;
  Settings asked;
  runtime::FieldOperations operations;
  const std::string refused = words_of([&] {
    asked = with_environment(settings, type, op);
    Algorithm algorithm = runtime::checked_algorithm(asked);
    // A schedule has its own order, which the set-up compares with that of the settings.
    if (algorithm.arithmetic == Arithmetic::plain) algorithm.order = "tree";
    operations.all.push_back(make_checked_operation(type, {op, false, asked, algorithm}));
    kind = {std::string(name_of(type)),
            std::string(name_of(op)),
            bytes_of(type),
            header.order,
            operations.all.front()->associative(),
            false};
  });
  if (!refused.empty()) runtime::refuse_fields(communicator, refused);
  return std::make_unique<runtime::FieldReducer>(communicator, header, given, asked, kind,
                                                 std::move(operations));
}

std::unique_ptr<AnyReducer> make_own_reducer(MPI_Comm communicator, const runtime::OwnOperator& own,
                                             const ScheduleHeader& header, const Schedule* given,
                                             const Settings& settings) {
  check_communicator(communicator);
  runtime::FieldOperations operations;
  operations.all.push_back(runtime::make_own_operation(own, settings, false));
  const runtime::ReducerKind kind{
      text(own.type, " of ", own.bytes, " bytes"), own.name, own.bytes, header.order, false, false};
  return std::make_unique<runtime::FieldReducer>(communicator, header, given, settings, kind,
                                                 std::move(operations));
}

std::unique_ptr<AnyReducer> make_own_reducer(MPI_Comm communicator, const runtime::OwnOperator& own,
                                             const std::vector<Field>& fields,
                                             const Settings& settings) {
  check_communicator(communicator);
  runtime::ReducerKind kind;
  Settings asked = settings;
  runtime::FieldOperations operations;
  const std::string refused = words_of([&] {
    const Algorithm algorithm = runtime::checked_algorithm(asked);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (!fields[k].op) continue;
      throw Error(text("field ", k, " has the operator ", name_of(*fields[k].op),
                       ", but the reducer has an operator of one's own: make a reducer for each"));
    }
    const bool of_products = std::any_of(
        fields.begin(), fields.end(), [](const Field& field) { return field.factors.has_value(); });
    operations.all.push_back(runtime::make_own_operation(own, asked, of_products));
    kind = {text(own.type, " of ", own.bytes, " bytes"), own.name, own.bytes, algorithm.order};
  });
  if (!refused.empty()) runtime::refuse_fields(communicator, refused);
  return std::make_unique<runtime::FieldReducer>(communicator, fields, asked, kind,
                                                 std::move(operations));
}

}  // namespace bracket
