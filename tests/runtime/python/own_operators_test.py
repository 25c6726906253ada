# SPDX-License-Identifier: MIT

"""Operators of Python programs, on the ranks of mpiexec."""

import functools
import operator

import numpy as np
from support import *

import bracket


def test_own_operators():
    pair = np.dtype([("first", np.int64), ("last", np.int64), ("sum", np.float64)])
    size = 700 * ranks  # more than a block of elements on each rank
    everything = np.zeros(size, pair)
    everything["first"] = everything["last"] = np.arange(size)
    everything["sum"] = numbers(np.float64, size)

    def append(left, right):
        """Not commutative; fails if an operand is in a wrong place."""
        assert (left["last"] + 1 == right["first"]).all()
        both = left.copy()
        both["last"] = right["last"]
        both["sum"] = left["sum"] + right["sum"]
        return both

    references = {
        "tree": tree(everything["sum"], operator.add),
        "chunked-tree:7": chunks(everything["sum"], 7, operator.add),
        "chunked-tree:600": chunks(everything["sum"], 600, operator.add),
        "sequential": functools.reduce(operator.add, everything["sum"]),
    }
    for algorithm, total in references.items():
        for threads in (1, 2):
            own = mine(everything)
            with bracket.Reducer(
                comm, own, op=append, algorithm=algorithm, threads=threads
            ) as reducer:
                result = reducer.run(own)
            assert (result["first"], result["last"]) == (0, size - 1)
            assert same(np.float64(result["sum"]), np.float64(total)), algorithm
    x = mine(numbers(np.float32))
    assert same(bracket.Reducer(comm, x, op=np.add).run(x), bracket.sum(x))
    with bracket.Reducer(comm, [x, x[:0] if rank else x[:1]], op=np.hypot) as several:
        norms = several.run([x, x[:0] if rank else x[:1]])
    assert same(norms[0], tree(numbers(np.float32), np.hypot))
    assert same(norms[1], numbers(np.float32)[0])


def test_own_operators_that_fail():
    x = np.ones(4)
    for operator, words in [
        (lambda a, b: a[:0], "the operator returned an array of dtype float64 and shape (0,)"),
        (lambda a, b: a.astype(np.float32), "the operator returned an array of dtype float32"),
        (lambda a, b: 1 / 0, "ZeroDivisionError: division by zero"),
    ]:
        # The function of one rank fails, and the run on all.
        by = operator if rank == ranks - 1 else np.add
        reducer = bracket.Reducer(comm, x, op=by)
        refused(words, lambda: reducer.run(x), bracket.Error)
        refused("an earlier run failed", lambda: reducer.run(x), bracket.Error)
        reducer.free()
    with bracket.Reducer(comm, x, op=lambda a, b: 1 / 0) as reducer:
        try:
            reducer.run(x)
        except bracket.Error as wrong:
            assert isinstance(wrong.__cause__, ZeroDivisionError)
    refused("refer to objects", lambda: bracket.Reducer(comm, np.array([None]), op=np.add))
    refused("300 bytes", lambda: bracket.Reducer(comm, np.zeros(1, "S300"), op=np.add))


run_tests(globals())
