// SPDX-License-Identifier: MIT

#include "operations/operations.hpp"

#include <cstdint>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime::reducers {

Made make_operation(const Operation& operation, std::string_view kernel) {
  operation.check();
  if (operation.op == Op::sum) {
    switch (operation.algorithm.arithmetic) {
      case Arithmetic::plain:
        break;
#define BRACKET_ROW(name, ...) \
  case Arithmetic::name:       \
    return make_##name(operation, kernel);
        BRACKET_ARITHMETICS(BRACKET_ROW)
#undef BRACKET_ROW
    }
  }
  switch (operation.type) {
    case Type::int32:
      return make_of_integers<std::int32_t>(operation);
    case Type::int64:
      return make_of_integers<std::int64_t>(operation);
    case Type::float32:
      return make_of_floats<float>(operation, kernel);
    case Type::float64:
      return make_of_floats<double>(operation, kernel);
    case Type::complex64:
      return make_of_complexes<float>(operation, kernel);
    case Type::complex128:
      return make_of_complexes<double>(operation, kernel);
    case Type::uint32:
      return make_of_integers<std::uint32_t>(operation);
    case Type::uint64:
      return make_of_integers<std::uint64_t>(operation);
  }
  throw Error(text("there is no type of number ", static_cast<int>(operation.type)));
}

}  // namespace bracket::runtime::reducers
