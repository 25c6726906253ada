# SPDX-License-Identifier: MIT

"""Plan files."""

from __future__ import annotations

import os
from typing import NamedTuple, Optional, Union

from mpi4py import MPI

from . import _bracket
from ._arguments import whole


class Planned(NamedTuple):
    """What a plan file says about a number of elements; `planned` of a `Reducer`."""

    held: range
    """Global indices of the elements that this rank is to hold."""
    distribution: _bracket.Distribution
    """The elements of all ranks."""
    algorithm: str
    plan: str
    root: Optional[int]
    """Rank that gets the results. None: every rank."""


def read_plan(comm: MPI.Comm, path: Union[str, "os.PathLike[str]"], elements: int) -> Planned:
    """What a plan file of `bracket tune` says about so many elements on the ranks of `comm`. Collective.
    Raises CollectiveError if a rank cannot read the file, or if it is for other numbers of elements
    or ranks or for another version of the order, which would give other bits."""
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is of type {type(comm).__name__}, not a communicator of mpi4py")
    address = MPI._addressof(comm)
    arguments, refused = ("", 0), ""
    try:
        arguments = str(os.fspath(path)), whole("elements", elements, 64)
    except Exception as wrong:  # the other ranks are waiting
        refused = str(wrong) or type(wrong).__name__
    distribution, algorithm, plan, root = _bracket.read_plan(address, refused, *arguments)
    return Planned(distribution.held(comm.Get_rank()), distribution, algorithm, plan, root)
