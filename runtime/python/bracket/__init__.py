# SPDX-License-Identifier: MIT

"""Reductions of arrays over MPI ranks, with the same bits on any number of ranks and threads.

    from mpi4py import MPI
    import bracket

    total = bracket.sum(x)                        # once, over MPI.COMM_WORLD
    total = bracket.sum(x, algorithm="binned")    # the same bits for any sequence of the elements
    with bracket.Reducer(MPI.COMM_WORLD, x, algorithm="binned") as total:
        for step in range(1000):
            print(total.run(x))                   # as often as you want

The bits are the same if the sequence of elements is the same: the elements of rank 0, then those of
rank 1, and so on. Blocks of a grid have different sequences on different numbers of ranks. For these,
algorithm="binned" gives bits that do not depend on the sequence.

Elements that are computed one after the other need no array:

    mass = bracket.Accumulator(algorithm="binned")
    for cell in cells:
        mass.add(cell.density * cell.volume)
    total = mass.reduce(MPI.COMM_WORLD)

`help(bracket.Reducer)` describes `Reducer`, which also takes an operator of your own.
"""

from . import _mpi

_mpi.check()

from ._bracket import CollectiveError, Distribution, Error
from ._accumulator import Accumulator
from ._plans import Planned, read_plan
from ._reducer import Accuracy, Digest, Located, Reducer, allreduce, dot, maximum, minimum, sum

for _thing in (
    Accumulator, Accuracy, CollectiveError, Digest, Distribution, Error, Located, Planned, Reducer,
    allreduce, dot, maximum, minimum, read_plan, sum,
):
    _thing.__module__ = __name__
del _thing

__all__ = [
    "Accumulator",
    "Accuracy",
    "CollectiveError",
    "Distribution",
    "Error",
    "Digest",
    "Located",
    "Planned",
    "Reducer",
    "allreduce",
    "dot",
    "maximum",
    "minimum",
    "read_plan",
    "sum",
]
