#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Compares the time to compile a program that uses `Reducer` with that of the same sum by plain MPI.

Usage: compile_time.py PREFIX [PAIRS]

PREFIX is the folder that Bracket is installed in. Compiles both programs in turns by
`mpicxx -std=c++20 -O2`, PAIRS times (15 if not given), and prints the median time of each, the median
ratio of a pair, and the lowest and highest ratio of the middle half of the pairs.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PLAIN = """#include <mpi.h>
#include <cstdio>
#include <numeric>
#include <vector>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::vector<double> mine(1000, 0.1);
  double total = std::accumulate(mine.begin(), mine.end(), 0.0);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::printf("%.17g\\n", total);
  MPI_Finalize();
}
"""
REDUCER = """#include <mpi.h>
#include <bracket/runtime/reducer.hpp>
#include <cstdio>
#include <vector>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const std::vector<double> mine(1000, 0.1);
    bracket::Reducer<double> sum(MPI_COMM_WORLD, bracket::Layout::contiguous(1000));
    const double total = sum.run(mine).value();
    std::printf("%.17g\\n", total);
  }
  MPI_Finalize();
}
"""


def seconds_of(folder, source, flags):
    start = time.perf_counter()
    subprocess.run(["mpicxx", "-std=c++20", "-O2", *flags, "-c", source, "-o", folder / "out.o"],
                   check=True)
    return time.perf_counter() - start


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    flags = ["-I", str(pathlib.Path(sys.argv[1]) / "include")]
    pairs = int(sys.argv[2]) if len(sys.argv) == 3 else 15
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain, reducer = folder / "plain.cpp", folder / "reducer.cpp"
        plain.write_text(PLAIN)
        reducer.write_text(REDUCER)
        times = []
        for _ in range(pairs + 1):
            times.append((seconds_of(folder, plain, []), seconds_of(folder, reducer, flags)))
        times = times[1:]  # the first pair reads the headers from the disk
    ratios = sorted(with_reducer / without for without, with_reducer in times)
    quarter = len(ratios) // 4
    print(f"plain MPI {statistics.median(t for t, _ in times):.3f} s, with Reducer "
          f"{statistics.median(t for _, t in times):.3f} s, ratio {statistics.median(ratios):.2f} "
          f"({ratios[quarter]:.2f} to {ratios[-1 - quarter]:.2f}, {len(ratios)} pairs)")


if __name__ == "__main__":
    main()
