// SPDX-License-Identifier: MIT

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/reducer.hpp"

using namespace bracket;
using namespace bracket::runtime;

namespace {

/// True if `words` are the error of an object that is used after MPI ended. Its destructor must not
/// fail.
bool refuses(const char* name, const std::string& words) {
  if (words == "MPI was finalised") return true;
  std::fprintf(stderr, "%s: %s\n", name, words.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::vector<double> own(1, 1.0);
  Reducer<double> reducer(MPI_COMM_WORLD, Layout::contiguous(1));
  Reducer<double> planned(MPI_COMM_WORLD, Layout::contiguous(1), {.plan = "dissemination"});
  Reducer<double> native(MPI_COMM_WORLD, Layout::contiguous(1), {.plan = "native"});
  reducer.run(own);
  planned.run(own);
  native.run(own);
  MPI_Finalize();

  bool all = refuses("reducer", words_of([&] { reducer.run(own); }));
  all = refuses("test", words_of([&] { reducer.test(); })) && all;
  all = refuses("wait", words_of([&] { reducer.wait(); })) && all;
  all = refuses("planned", words_of([&] { planned.run(own); })) && all;
  all = refuses("native", words_of([&] { native.run(own); })) && all;
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
