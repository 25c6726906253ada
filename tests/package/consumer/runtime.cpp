#include <bracket/runtime/executor.hpp>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const std::vector<double> elements{1, 2, 3};
    bracket::Executor<> executor(MPI_COMM_SELF, bracket::make_order("tree", 3),
                                 bracket::make_distribution("lower", 3, 1),
                                 *bracket::make_plan("direct"), {});
    std::cout << executor.run(elements).value() << '\n';
  }
  MPI_Finalize();
}
