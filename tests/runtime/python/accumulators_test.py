# SPDX-License-Identifier: MIT

"""Accumulators of the Python package, on the ranks of mpiexec."""

import itertools
import math
import threading

import numpy as np
from mpi4py import MPI
from support import *

import bracket


def in_pieces(accumulator, elements):
    """Adds elements as numbers, arrays, lists and accumulators."""
    third = len(elements) // 3
    for element in elements[:third]:
        accumulator.add(element)
    accumulator.add(elements[third : 2 * third])
    accumulator.add(elements[2 * third : 2 * third + 2].reshape(2, 1).T)
    return elements[2 * third + 2 :]


def test_every_type_and_operator():
    for dtype, op in itertools.product(dtypes, joins):
        if np.issubdtype(dtype, np.complexfloating) and op not in ("sum", "product"):
            refused("complex", lambda: bracket.Accumulator(dtype, op=op), bracket.Error)
            continue
        everything = numbers(dtype)
        if op == "product" and not np.issubdtype(dtype, np.integer):
            everything = (everything / np.abs(everything)).astype(dtype)
        with np.errstate(over="ignore"):
            expected = tree(everything, joins[op])
        accumulator = bracket.Accumulator(dtype, op=op, first=N * rank)
        rest = in_pieces(accumulator, mine(everything))
        other = bracket.Accumulator(dtype, op=op, first=N * rank + accumulator.count)
        other.add(rest)
        accumulator.add(other)
        assert accumulator.count == N
        for _ in range(2):
            assert same(accumulator.reduce(), expected), (dtype, op)


def test_algorithms():
    everything = numbers(np.float64)
    for algorithm in ("tree", "binned:2", "double_double", "stochastic"):
        accumulator = bracket.Accumulator(algorithm=algorithm, first=N * rank)
        accumulator.add(in_pieces(accumulator, mine(everything)))
        assert same(accumulator.reduce(comm), bracket.sum(mine(everything), algorithm=algorithm))
    binned = bracket.Accumulator(algorithm="binned:4")
    for element in everything[::-1][rank::ranks]:  # in any sequence
        binned.add(float(element))
    assert binned.reduce() == math.fsum(everything)
    alone = bracket.Accumulator(algorithm="binned:4")
    alone.add(everything[::3])  # strided
    assert alone.value() == math.fsum(everything[::3])
    alone.reset()
    alone.add(1)
    assert alone.reduce(MPI.COMM_SELF) == 1 and alone.count == 1


def test_structured_results_and_roots():
    everything = numbers(np.float32)
    found = bracket.Accumulator(np.float32, op="maximum_location", first=N * rank, root=ranks - 1)
    found.add(mine(everything))
    located = found.reduce()
    assert (located is None) == (rank != ranks - 1)
    if located is not None:
        assert located.index == np.argmax(everything) and same(located.value, everything.max())
    digest = bracket.Accumulator(np.float32, op="digest", first=N * rank)
    digest.add(mine(everything))
    with bracket.Reducer(comm, mine(everything), op="digest") as reducer:
        assert digest.reduce() == reducer.run(mine(everything))


def test_refusals():
    sums = bracket.Accumulator(np.float32)
    refused("elements of dtype float64", lambda: sums.add(np.ones(3)), ValueError)
    refused("is not of the accumulator's dtype", lambda: sums.add(1j), ValueError)
    refused("a masked array", lambda: sums.add(np.ma.array([1.0], mask=[True])), ValueError)
    whole = bracket.Accumulator(np.int32)
    refused("is not of the accumulator's dtype int32", lambda: whole.add(1.5), ValueError)
    refused("does not fit dtype int32", lambda: whole.add(2**31), ValueError)
    whole.add(-(2**31))
    assert whole.value() == -(2**31)
    positive = bracket.Accumulator(np.uint64)
    refused("does not fit dtype uint64", lambda: positive.add(-1), ValueError)
    positive.add(2**64 - 1)
    assert positive.value() == 2**64 - 1
    refused("are not reduced", lambda: bracket.Accumulator(np.int8), ValueError)
    refused("cannot compute sequential", lambda: bracket.Accumulator(algorithm="sequential"),
            bracket.Error)
    refused("not a name", lambda: bracket.Accumulator(op=max), ValueError)
    refused("the first global index is -1", lambda: bracket.Accumulator(first=-1), bracket.Error)
    refused("is added to itself", lambda: sums.add(sums), bracket.Error)
    refused("not a communicator", lambda: sums.reduce(7), TypeError)
    gap = bracket.Accumulator(first=5)
    gap.add(1.0)
    refused("begins at the global index 5", gap.reduce)


def test_threads():
    everything = numbers(np.float64, 200000)
    parts = [bracket.Accumulator(algorithm="binned:8") for _ in range(4)]
    threads = [threading.Thread(target=part.add, args=(everything[k::4].copy(),))
               for k, part in enumerate(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for part in parts[1:]:
        parts[0].add(part)
    assert parts[0].value() == math.fsum(everything)


run_tests(globals())
