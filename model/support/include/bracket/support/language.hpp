// SPDX-License-Identifier: MIT

#pragma once

// Included first, so that with an older standard the first error is the helpful one.
#if __cplusplus < 202002L
#error "Bracket needs C++20: -std=c++20"
#endif
