// SPDX-License-Identifier: MIT

#include "bracket/runtime/threads.hpp"

#include <exception>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

bool have_threads() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

void check_threads(int threads) {
  if (threads < 1 || threads > most_threads) {
    throw Error(text(threads, " threads: a rank folds with at least 1 and at most ", most_threads));
  }
  if (threads > 1 && !have_threads()) {
    throw Error(text(threads, " threads: this build has no OpenMP"));
  }
}

void for_each_part(int threads, Index parts, void (*body)(void* context, Index part),
                   void* context) {
  std::exception_ptr failure;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#else
  static_cast<void>(threads);
#endif
  for (Index part = 0; part < parts; ++part) {
    try {
      body(context, part);
    } catch (...) {
#ifdef _OPENMP
#pragma omp critical(bracket_failure)
#endif
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bracket::runtime
