// SPDX-License-Identifier: MIT

#include <bracket/runtime/reducer.hpp>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const std::vector<double> elements{1, 2, 3};
    bracket::Reducer<double> sum(MPI_COMM_SELF, bracket::Layout::contiguous(3), {.plan = "direct"});
    std::cout << sum.run(elements).value() << '\n';
  }
  MPI_Finalize();
}
