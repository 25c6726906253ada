#pragma once

// Included before all else: with an older standard the first error is the one that helps.
#if __cplusplus < 202002L
#error "Bracket needs C++20: -std=c++20"
#endif
