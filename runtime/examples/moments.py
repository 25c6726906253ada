# SPDX-License-Identifier: MIT

"""Mean and variance of 1 / k for k from 1 to N, by an operator of the program. The program exists in
C, C++, Fortran and Python.

    mpiexec -n 4 python3 moments.py [N] [PLAN.json]

It prints the same lines on any number of ranks, and with any plan file of `bracket tune` for N elements
in tree order.
"""

import sys

import numpy as np
from mpi4py import MPI

import bracket

moments = np.dtype([("count", "f8"), ("mean", "f8"), ("squares", "f8")])  # of differences to the mean


def merge(a, b):
    apart = b["mean"] - a["mean"]
    both = a.copy()
    both["count"] = a["count"] + b["count"]
    both["mean"] = a["mean"] + apart * b["count"] / both["count"]
    both["squares"] = a["squares"] + b["squares"] + apart * apart * a["count"] * b["count"] / both["count"]
    return both


comm = MPI.COMM_WORLD
elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

# Without a plan file, each rank has a block of the elements.
held = range(elements * comm.rank // comm.size, elements * (comm.rank + 1) // comm.size)
planned = None
if len(sys.argv) > 2:
    planned = bracket.read_plan(comm, sys.argv[2], elements)
    held = planned.held

mine = np.zeros(len(held), moments)
mine["count"] = 1
mine["mean"] = 1 / np.arange(held.start + 1, held.stop + 1, dtype=float)
with bracket.Reducer(comm, mine, op=merge, planned=planned) as every:
    whole = every.run(mine)
root = planned.root if planned and planned.root is not None else 0
if comm.rank == root:
    for name, number in (("mean", whole["mean"]), ("variance", whole["squares"] / whole["count"])):
        print(name, f"{np.float64(number).view(np.uint64):016X}")
