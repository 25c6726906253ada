# SPDX-License-Identifier: MIT

"""Accumulators of elements that come one after the other."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from mpi4py import MPI

from . import _bracket
from ._arguments import elements_of, name_of, own_names, type_of, whole
from ._reducer import Scalar, room_for, values_of


class Accumulator:
    """Reduces elements that come one after the other, without an array of them.

    Accumulator(dtype=np.float64, *, op="sum", algorithm="tree", first=0, root=None, widened=False,
                checked=False, plan=None, threads=1, kernel=None)

        mass = bracket.Accumulator(algorithm="binned")
        for cell in cells:
            mass.add(cell.density * cell.volume)
        total = mass.reduce(MPI.COMM_WORLD)

    The result has the bits of a `Reducer` over all elements with the same settings, which `Reducer`
    describes. Sums by "binned", minima, maxima, and sums and products of integers do not depend on the
    sequence: elements may come in any. All other results need the elements in their global sequence:
    those of all ranks' accumulators together are the elements from 0 on, without a gap.

    dtype         of the elements: as `Reducer` takes it.
    algorithm     "tree", "binned", "double-double" or "stochastic".
    first         the global index of this accumulator's first element. It has no meaning if the result
                  does not depend on the sequence.

    Making an accumulator is not collective. It raises Error or ValueError for wrong settings.
    """

    def __init__(
        self,
        dtype: Any = np.float64,
        *,
        op: Any = "sum",
        algorithm: str = "tree",
        first: int = 0,
        root: Optional[int] = None,
        widened: bool = False,
        checked: bool = False,
        plan: Optional[str] = None,
        threads: int = 1,
        kernel: Optional[str] = None,
    ):
        self._dtype = np.dtype(dtype)
        named = name_of("op", own_names(op))
        self._accumulator = _bracket.Accumulator(
            type_of(self._dtype), named, whole("first", first, 64), name_of("algorithm", algorithm),
            bool(widened), bool(checked), None if root is None else whole("root", root),
            str(plan or ""), whole("threads", threads), str(kernel or ""),
        )
        self._room = room_for(1, self._dtype, named)

    def add(self, x: Any) -> None:
        """Adds a number, the elements of an array or a list, or those of another accumulator, which
        keeps them. The last dimension of an array varies fastest. An array has the accumulator's
        dtype. If the result depends on the sequence, the elements of another accumulator must follow
        those of this one."""
        if isinstance(x, Accumulator):
            self._accumulator.add_other(x._accumulator)
        else:
            self._accumulator.add(elements_of(x, self._dtype))

    @property
    def count(self) -> int:
        """Number of elements that were added."""
        return self._accumulator.count

    def reset(self, first: int = 0) -> None:
        """Forgets all elements. The next one has the global index `first`."""
        self._accumulator.reset(whole("first", first, 64))

    def value(self) -> Scalar:
        """The result of this accumulator's elements alone: a NumPy scalar of its dtype, `Located` or
        `Digest`. If it depends on the sequence, the elements must begin at the global index 0."""
        result = self._room.copy()
        self._accumulator.value(result)
        return values_of(result)[0]

    def reduce(self, comm: Optional[MPI.Comm] = None) -> Optional[Scalar]:
        """The result of the elements of all ranks of `comm`, by default MPI.COMM_WORLD; None on ranks
        that do not get it. The accumulators keep their elements. Collective. Raises CollectiveError if
        the ranks' accumulators do not fit together."""
        comm = MPI.COMM_WORLD if comm is None else comm
        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm is of type {type(comm).__name__}, not a communicator of mpi4py")
        result = self._room.copy()
        delivered = self._accumulator.reduce(MPI._addressof(comm), result)
        return values_of(result)[0] if delivered else None
