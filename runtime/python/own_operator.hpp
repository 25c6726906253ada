// SPDX-License-Identifier: MIT

#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "bracket/runtime/own_operator.hpp"

namespace bracket::python {

/// The message of an exception of Python, or its type if it has none. Needs the interpreter's lock.
std::string words_of(const pybind11::error_already_set& raised);

/// An operator of a Python program, for elements of `bytes` bytes, 1 to 256, of the type `type`.
/// `own` is an `OwnOperator` of the package. Both must exist as long as the operator and its
/// copies, which are made and called without the interpreter's lock.
std::unique_ptr<runtime::OwnOperator> make_python_operator(pybind11::handle own, std::size_t bytes,
                                                           const std::string& type);

}  // namespace bracket::python
