"""Reductions of arrays over MPI ranks, with the same bits on any number of ranks and threads.

    from mpi4py import MPI
    import bracket

    total = bracket.sum(x)                        # once, over MPI.COMM_WORLD
    total = bracket.sum(x, algorithm="binned")    # whatever the sequence of the elements
    with bracket.Reducer(MPI.COMM_WORLD, x, algorithm="binned") as total:
        for step in range(1000):
            print(total.run(x))                   # as often as wanted

The bits are the same if all ranks' elements, one rank's behind the other's, are the same sequence on
any number of ranks. Blocks of a grid are not: algorithm="binned" gives the same bits all the same.

`Reducer` is described by `help(bracket.Reducer)`. An operator of your own, written in Python, is
not among what can be reduced by: the C++ template `bracket::Reducer` takes one.
"""

from . import _mpi

_mpi.check()

from ._bracket import CollectiveError, Distribution, Error
from ._reducer import Digest, Located, Reducer, dot, maximum, minimum, sum

for _thing in (
    CollectiveError, Digest, Distribution, Error, Located, Reducer, dot, maximum, minimum, sum,
):
    _thing.__module__ = __name__
del _thing

__all__ = [
    "CollectiveError",
    "Distribution",
    "Error",
    "Digest",
    "Located",
    "Reducer",
    "dot",
    "maximum",
    "minimum",
    "sum",
]
