// SPDX-License-Identifier: MIT

#pragma once

#include <exception>
#include <new>

#include "bracket.h"
#include "bracket/runtime/collective_error.hpp"
#include "bracket/runtime/settings.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

/// Functions that all parts of the interface for C call.
namespace bracket {

/// Keeps the message of a failure for `bracket_message`. Returns the code.
int failed(int code, const char* words) noexcept;

/// Runs the body of a function. Turns every exception into a code.
template <class Action>
int guarded(Action&& action) noexcept {
  try {
    action();
    return BRACKET_OK;
  } catch (const CollectiveError& wrong) {
    return failed(BRACKET_COLLECTIVE, wrong.what());
  } catch (const Error& wrong) {
    return failed(BRACKET_BAD_INPUT, wrong.what());
  } catch (const std::bad_alloc&) {
    return failed(BRACKET_NO_MEMORY, "there is not enough memory");
  } catch (const std::exception& thrown) {
    return failed(BRACKET_INTERNAL, thrown.what());
  } catch (...) {
    return failed(BRACKET_INTERNAL, "an exception of an unknown type");
  }
}

/// The object that a pointer of the caller's points to. Throws `Error` if it is null.
template <class Pointed>
Pointed& at(Pointed* pointer, const char* name) {
  if (pointer == nullptr) throw Error(text(name, " is NULL"));
  return *pointer;
}

/// The words of a refusal.
inline const char* words_or_default(const char* words) {
  return words == nullptr || *words == '\0' ? "refused without words" : words;
}

/// The settings of a C program, or the defaults for null. Throws `Error` for members that do not
/// fit together, and for those that this library does not know.
Settings settings_of(const bracket_settings* caller);

}  // namespace bracket
