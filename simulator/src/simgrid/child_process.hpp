// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <string>

namespace bracket::simulator {

/// The bytes that `work` returns when a child process runs it. What the child prints is not shown.
///
/// Throws `Error`: the one that `work` threw, or, for any other exception and for a child that
/// ended before its time, one that begins with `subject` and carries the exception's words or what
/// the child wrote to its standard error.
std::string in_child_process(const std::string& subject, const std::function<std::string()>& work);

}  // namespace bracket::simulator
