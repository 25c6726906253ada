// SPDX-License-Identifier: MIT

#pragma once

namespace bracket::tools {

/// The compiler of this program.
#if defined(__clang__)
inline constexpr const char* compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
inline constexpr const char* compiler = "GCC " __VERSION__;
#else
inline constexpr const char* compiler = "unknown compiler";
#endif

}  // namespace bracket::tools
