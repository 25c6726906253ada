#pragma once

// Included before all else, so that with an older standard this is the first error.
#if __cplusplus < 202002L
#error "Bracket needs C++20: -std=c++20"
#endif
