// SPDX-License-Identifier: MIT

#include "bracket/runtime/any_reducer.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bracket/model/operation.hpp"
#include "bracket/runtime/field_reducer.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "operations/operations.hpp"
#include "reducer/own_operation.hpp"
#include "reducer/two_reductions.hpp"

namespace bracket {

void AnyReducer::UseGuard::refuse() {
  throw Error(
      "a reducer is used by two threads at once, or by a function or an operator that it calls");
}

namespace {

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
    const Operation operation{
        algorithm,        chosen.ops[i],    type,
        settings.widened, settings.checked, of_products[i] ? Terms::products : Terms::elements};
    try {
      chosen.operations.all.push_back(
          runtime::reducers::make_operation(operation, settings.kernel));
    } catch (const Error& wrong) {
      if (chosen.ops.size() == 1) throw;
      const auto& of_field = chosen.operations.of_field;
      const auto field = std::find(of_field.begin(), of_field.end(), i) - of_field.begin();
      throw Error(text("field ", field, ": ", wrong.what(), "; make a reducer of its own for it"));
    }
    chosen.operations.asked.push_back(operation);
  }
  return chosen;
}

/// The operation of each field.
std::vector<Operation> operations_of_fields(const std::vector<Field>& fields,
                                            const Chosen& chosen) {
  std::vector<Operation> all;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    all.push_back(chosen.operations.asked[chosen.operations.of_field[k]]);
    all.back().terms = fields[k].factors ? Terms::products : Terms::elements;
  }
  return all;
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
  bool two_reductions = false;
  const std::string refused = words_of([&] {
    asked = with_environment(settings, type, op);
    const Algorithm algorithm = runtime::checked_algorithm(asked);
    two_reductions = algorithm.arithmetic == Arithmetic::pre_rounded;
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
  if (two_reductions && !fields.empty()) {
    return std::make_unique<runtime::TwoReductions>(communicator, fields, asked,
                                                    operations_of_fields(fields, chosen));
  }
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
    if (algorithm.arithmetic == Arithmetic::pre_rounded) {
      throw Error(text(asked.algorithm,
                       " needs two reductions, a schedule is one: make a reducer of fields, or "
                       "take binned"));
    }
    // A schedule has its own order, which the set-up compares with that of the settings.
    if (algorithm.arithmetic == Arithmetic::plain) algorithm.order = "tree";
    operations.asked = {{algorithm, op, type, asked.widened, asked.checked}};
    operations.all.push_back(
        runtime::reducers::make_operation(operations.asked.front(), asked.kernel));
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
