# SPDX-License-Identifier: MIT

"""One program in C, C++, Fortran and Python. It prints the same lines on any number of ranks.

A field of cells x levels, both counted from 0, has the values

    h = (cell / 4 * 48271 + level * 16807 + 11) mod 2147483647
    cell mod 4 = 0: h * 2^20    1: h / 2^30    2: -h * 2^20    3: -h / 2^40

and the areas (cell + level) mod 5 / 4. Doubles hold all of them exactly. Large values cancel, and
small values are lost beside them, so that another bracketing gives another sum.

    mpiexec -n 4 python3 total.py [CELLS]
"""

import sys

import numpy as np
from mpi4py import MPI

import bracket

levels, ghosts = 7, 2
comm = MPI.COMM_WORLD

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
first = cells * comm.rank // comm.size
own = cells * (comm.rank + 1) // comm.size - first

# The ghost cells after a rank's own cells belong to other ranks. Their values here would change the
# results.
values = np.full((own + ghosts, levels), 1e300)
areas = values.copy()
cell = np.arange(first, first + own)[:, np.newaxis]
level = np.arange(levels)
scale = np.array([2.0**20, 2.0**-30, -(2.0**20), -(2.0**-40)])
values[:own] = (cell // 4 * 48271 + level * 16807 + 11) % 2147483647 * scale[cell % 4]
areas[:own] = (cell + level) % 5 / 4

ranges = np.s_[:own, :]
results = {
    "sum": bracket.sum(values, ranges=ranges),
    "sum_binned": bracket.sum(values, ranges=ranges, algorithm="binned"),
    "sum_double_double": bracket.sum(values, ranges=ranges, algorithm="double-double"),
    "sum_stochastic": bracket.sum(values, ranges=ranges, algorithm="stochastic"),
    "dot": bracket.dot(values, areas, ranges=ranges),
    "minimum": bracket.minimum(values, ranges=ranges),
}
with bracket.Reducer(comm, values, op="maximum-location", ranges=ranges) as reducer:
    greatest = reducer.run(values)


def bits(number):
    return f"{np.float64(number).view(np.uint64):016X}"


if comm.rank == 0:
    for name, result in results.items():
        print(name, bits(result))
    print("maximum_location", bits(greatest.value), greatest.index)
