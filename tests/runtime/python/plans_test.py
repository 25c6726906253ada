# SPDX-License-Identifier: MIT

"""Plan files in Python, on the ranks of mpiexec."""

import json
import operator
import pathlib

import numpy as np
from support import *

import bracket


def plan_file(counts):
    """Writes a plan file for chunks of three elements, and returns its path."""
    machine = {
        "format": "bracket-machine", "version": 2, "name": "default", "source": "",
        "latency_seconds": 1e-7, "overhead_seconds": 7e-8, "gap_seconds": 7e-8,
        "gap_seconds_per_byte": 1e-10, "overhead_seconds_per_byte": 0.0,
        "seconds_per_addition": 4e-9, "eager_bytes": None,
    }
    held = {
        "format": "bracket-distribution", "version": 1, "elements": sum(counts), "ranks": ranks,
        "counts": counts,
    }
    plan = {
        "elements": [sum(counts), sum(counts)], "order": "chunked-tree:3", "order_version": 1,
        "plan": "butterfly:1024", "distribution": held, "predicted": {"score": 1e-6},
    }
    whole = {
        "format": "bracket-plan", "version": 1, "made_by": "a test", "objective": "score",
        "ranks": ranks, "collective": "reduce", "root": ranks - 1, "items": 1, "machine": machine,
        "budget": 0, "seed": 0, "plans": [plan],
    }
    path = pathlib.Path(f"planned_by_python_{ranks}.json")
    if rank == 0:
        path.write_text(json.dumps(whole))
    comm.Barrier()
    return path


def test_plan_files():
    x = numbers(np.float64)
    counts = [0] * (ranks - 1) + [len(x)]
    path = plan_file(counts)
    planned = bracket.read_plan(comm, path, len(x))
    assert planned.held == (range(len(x)) if rank == ranks - 1 else range(0, 0))
    assert (planned.algorithm, planned.plan) == ("chunked-tree:3", "butterfly:1024")
    assert planned.root == ranks - 1
    own = x[planned.held.start : planned.held.stop]
    with bracket.Reducer(comm, own, planned=planned) as reducer:
        total = reducer.run(own)
        assert reducer.delivers == (rank == ranks - 1)
        if reducer.delivers:
            assert same(total, chunks(x, 3, operator.add))
    if ranks > 1:
        refused("the distribution gives this rank", lambda: bracket.sum(mine(x), planned=planned))
    refused("are those of planned", lambda: bracket.sum(own, planned=planned, algorithm="binned"))
    refused("of bracket.read_plan", lambda: bracket.sum(own, planned=str(path)))
    refused("none.json", lambda: bracket.read_plan(comm, "none.json", len(x)))
    refused(str(len(x) + 1), lambda: bracket.read_plan(comm, str(path), len(x) + 1))
    for wrong, words in [(None, "not a whole number"), (2**63, "out of range"), (-1, "-1"), (1.5, "1.5")]:
        # An argument that is wrong on one rank is refused on all.
        count = wrong if rank == ranks - 1 else len(x)
        refused(words, lambda: bracket.read_plan(comm, path, count))
    refused("not a communicator", lambda: bracket.read_plan(7, path, 1), TypeError)
    comm.Barrier()
    if rank == 0:
        path.unlink()


run_tests(globals())
