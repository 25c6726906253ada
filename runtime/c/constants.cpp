// SPDX-License-Identifier: MIT

#include "constants.hpp"

#include <cctype>
#include <optional>
#include <string>

#include "bracket.h"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

/// An enum of C with the members of a C++ enum, in the same sequence.
template <class Enum>
struct Members {
  int first;
  Enum last;
  const char* kind;  // with its article

  [[nodiscard]] std::optional<Enum> find(int number) const {
    const int place = number - first;
    if (number < first || place > static_cast<int>(last)) return std::nullopt;
    return static_cast<Enum>(place);
  }
  /// "BRACKET_SUM is an operator"; empty if the number is not a member.
  [[nodiscard]] std::string name(int number) const {
    const auto found = find(number);
    if (!found) return {};
    std::string constant = "BRACKET_";
    for (const char letter : name_of(*found)) {
      constant += letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
    }
    return text(constant, " is ", kind);
  }
};
constexpr Members<Type> type_members{BRACKET_INT32, Type::uint64, "a type"};
constexpr Members<Op> op_members{BRACKET_SUM, Op::digest, "an operator"};
static_assert(BRACKET_UINT64 - BRACKET_INT32 == static_cast<int>(type_members.last));
static_assert(BRACKET_DIGEST - BRACKET_SUM == static_cast<int>(op_members.last));

template <class Enum>
Enum member(int number, const Members<Enum>& members) {
  if (const auto found = members.find(number)) return *found;
  for (const std::string& other : {type_members.name(number), op_members.name(number)}) {
    if (!other.empty()) throw Error(text(other, ", ", members.kind, " was expected"));
  }
  throw Error(text("the number ", number, " is not ", members.kind));
}

}  // namespace

Type type_of(int number) { return member(number, type_members); }

Op op_of(int number) { return member(number, op_members); }

}  // namespace bracket
