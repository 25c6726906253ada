# SPDX-License-Identifier: MIT

"""Sums 1 / k for k from 1 to N without an array of these numbers. The program exists in C, C++, Fortran
and Python. It prints the same lines on any number of ranks.

    mpiexec -n 4 python3 harmonic.py [N]
"""

import sys

import numpy as np
from mpi4py import MPI

import bracket

comm = MPI.COMM_WORLD
elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

# The ranks take turns: binned sums do not depend on the sequence.
binned = bracket.Accumulator(algorithm="binned")
for k in range(comm.rank + 1, elements + 1, comm.size):
    binned.add(1.0 / k)

# Each rank has a slab of the sequence, which begins at a global index.
first, end = elements * comm.rank // comm.size, elements * (comm.rank + 1) // comm.size
tree = bracket.Accumulator(first=first)
for begin in range(first, end, 100):  # arrays of some elements
    tree.add(1.0 / np.arange(begin + 1, min(begin + 100, end) + 1))

sums = {"binned": binned.reduce(comm), "tree": tree.reduce(comm)}
if comm.rank == 0:
    for name, result in sums.items():
        print(name, f"{result.view(np.uint64):016X}")
