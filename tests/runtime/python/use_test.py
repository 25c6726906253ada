# SPDX-License-Identifier: MIT

"""Use and misuse of the Python package, on the ranks of mpiexec."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
from mpi4py import MPI
from support import *

import bracket


def test_other_communicators():
    half = comm.Split(rank % 2, rank)
    assert bracket.sum(1, comm=half) == half.size
    assert bracket.sum(rank, comm=MPI.COMM_SELF) == rank
    half.Free()
    refused("MPI_COMM_NULL", lambda: bracket.sum(1, comm=half), bracket.Error)
    refused("not a communicator", lambda: bracket.sum(1, comm=7), TypeError)
    assert bracket.sum(1) == ranks


def test_nonblocking():
    x, y = numbers(np.float64), numbers(np.float64, seed=2)
    first, second = bracket.Reducer(comm, mine(x)), bracket.Reducer(comm, mine(y), root=0)
    assert first.test() and first.wait() is None
    for _ in range(5):
        array = mine(x).copy()
        kept = weakref.ref(array)
        if rank > 0:
            comm.Barrier()
        first.start(array)
        if rank == 0 and ranks > 1:  # no message has come from the others
            refused("under way", lambda: first.start(mine(x)), bracket.Error)
            refused("under way", lambda: first.start(mine(x).astype(">f8")), bracket.Error)
        if rank == 0:
            comm.Barrier()
        second.start(mine(y)[::-1][::-1])
        del array
        gc.collect()
        while not first.test():
            time.sleep(0)
        assert kept() is None
        assert same(first.wait(), tree(x, joins["sum"]))
        result = second.wait()
        assert (result is None) == (rank > 0)
        if rank == 0:
            assert same(result, tree(y, joins["sum"]))
    with first, second:  # a run under way is completed
        first.start(mine(x))
        second.start(mine(y))
    refused("freed", lambda: first.run(mine(x)), bracket.Error)
    first.free()


def test_what_is_refused():
    good = np.ones(3)
    for wrong, words in [
        (good.astype(">f8"), "byte order"),
        (np.array(["a"]), "<U1"),
        (np.array([None]), "object"),
        (np.ones(3, np.uint8), "uint8"),
        (np.ones(3, bool), "bool"),
        (np.ones(3, np.float16), "float16"),
        (np.ones(3, np.longdouble), "float128"),
        (np.zeros(3, [("x", "f8")]), "not reduced"),
        (np.ma.masked_equal(good, 1), "masked"),
        ([good, np.ones(3, "f4")], "field 1: elements of dtype float32 among those of float64"),
    ]:
        refused(words, lambda: bracket.sum(wrong))
        # An error on one rank reaches all ranks.
        refused(words, lambda: bracket.sum(wrong if rank == ranks - 1 else good))
    for settings, words in [
        (dict(op="median"), "unknown operator 'median'; known: sum"),
        (dict(algorithm="kahan"), "unknown algorithm 'kahan'; known: tree"),
        (dict(algorithm="associative"), "the bits of the sum of float64 depend on the bracketing"),
        (dict(algorithm="tree:8"), "tree"),
        (dict(algorithm=3), "algorithm is 3, not a name"),
        (dict(op=np.add, algorithm="binned"), "binned"),
        (dict(op=np.add, factors=np.ones(3)), "an operator *"),
        (dict(algorithm="chunked_tree"), "'chunked-tree' needs the chunk size"),
        (dict(algorithm="chunked-tree:0"), "chunk size K"),
        (dict(algorithm="binned:9"), "at most 8"),
        (dict(root="x"), "root is 'x', not a whole number"),
        (dict(root=2**40), "root is 1099511627776: out of range"),
        (dict(root=ranks), "is no rank"),
        (dict(root=1.5), "root is 1.5"),
        (dict(plan="x"), "unknown plan 'x'"),
        (dict(threads=0), "thread"),
        (dict(kernel="x"), "kernel"),
        (dict(widened=True), "widened"),
        (dict(checked=True), "checked"),
    ]:
        refused(words, lambda: bracket.Reducer(comm, good, **settings))
        if ranks > 1:
            one = settings if rank == 0 else {}
            refused("", lambda: bracket.Reducer(comm, good, **one))
    if ranks > 1:
        refused("different types", lambda: bracket.sum(good.astype("f8" if rank else "f4")))
        op = ["sum", "minimum"][rank % 2]
        refused("different operators", lambda: bracket.Reducer(comm, good, op=op))
        refused("different numbers of fields", lambda: bracket.sum([good] * (1 + rank % 2)))
    assert bracket.sum(good) == 3 * ranks


def test_errors_in_a_run_reach_all():
    good = np.ones((2, 3))
    for wrong, words in [
        (np.ones((3, 2)), "of shape (3, 2), the reducer was made for (2, 3)"),
        (np.ones(6), "of shape (6,)"),
        (np.ones((2, 3), np.float32), "arrays of float32, the reducer was made for float64"),
        (good.astype(">f8"), "byte order"),
        ("text", "<U4"),
        (None, "object"),
    ]:
        for culprit in {0, ranks - 1}:
            with bracket.Reducer(comm, good) as reducer:
                assert reducer.run(good) == 6 * ranks
                refused(words, lambda: reducer.run(wrong if rank == culprit else good))
                refused("", lambda: reducer.run(good), bracket.Error)
    try:
        with bracket.Reducer(comm, good) as reducer:
            raise KeyError("what the block raises is handed on")
    except KeyError:
        pass
    refused("freed", lambda: reducer.held, bracket.Error)


def test_threads_of_python():
    """While one thread waits, others run, but must not enter the same reducer."""
    reducer = bracket.Reducer(comm, np.ones(3))
    seen = []

    def wait():
        while not seen:
            try:
                seen.append(reducer.wait())
            except bracket.Error as wrong:  # the other thread was inside
                assert "two threads" in str(wrong)

    comm.Barrier()
    if rank == 0 and ranks > 1:
        reducer.start(np.ones(3))
        waiter = threading.Thread(target=wait)
        waiter.start()
        refusals = 0
        while refusals < 3:  # the run waits for the other ranks, which wait for this rank
            try:
                reducer.test()
            except bracket.Error as wrong:
                refusals += "two threads" in str(wrong)
        comm.Barrier()
        waiter.join()
    else:
        comm.Barrier()
        reducer.start(np.ones(3))
        wait()
    assert seen == [3 * ranks]
    # One reducer for each thread.
    reducers = [bracket.Reducer(MPI.COMM_SELF, np.ones(9)) for _ in range(4)]
    workers = [
        threading.Thread(target=lambda r=r: [r.run(np.ones(9)) for _ in range(50)])
        for r in reducers
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(r.run(np.ones(9)) == 9 for r in reducers)


def test_words():
    for name in bracket.__all__:
        assert getattr(bracket, name).__doc__, name
    for name in ("run", "start", "test", "wait", "free", "held", "elements", "messages_sent"):
        assert getattr(bracket.Reducer, name).__doc__, name
    for word in ("ranges", "factors", "distribution", "operator of your own", "kernel", "widened"):
        assert word in bracket.Reducer.__doc__, word
    assert repr(bracket.Error) == "<class 'bracket.Error'>"
    assert issubclass(bracket.CollectiveError, bracket.Error)


def test_without_mpi():
    """An import neither needs nor starts MPI."""
    if ranks > 1:
        return
    script = """
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
import bracket, numpy
assert not MPI.Is_initialized()
try:
    bracket.Reducer(MPI.COMM_SELF, numpy.ones(3))
except bracket.Error as wrong:
    assert "not initialised" in str(wrong), wrong
else:
    raise AssertionError
MPI.Init()
reducer = bracket.Reducer(MPI.COMM_SELF, numpy.ones(3))
assert reducer.run(numpy.ones(3)) == 3
MPI.Finalize()
try:
    reducer.run(numpy.ones(3))
except bracket.Error as wrong:
    assert "finalised" in str(wrong), wrong
else:
    raise AssertionError
try:
    bracket.sum(1)
except bracket.Error as wrong:
    assert "finalised" in str(wrong), wrong
reducer.free()
import bracket._mpi
bracket._mpi.VENDOR = "Another MPI"
try:
    bracket._mpi.check()
except ImportError as wrong:
    assert "bracket was built for Another MPI, mpi4py" in str(wrong)
else:
    raise AssertionError
"""
    # A separate process, unknown to mpiexec.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX", "OMPI_COMM", "PMI"))}
    for key in list(environment):
        if key.startswith("OMPI_MCA_") and ("orte" in key or "ess" in key or "pmix" in key):
            del environment[key]
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=60)


left_to_the_end = bracket.Reducer(comm, np.ones(3))  # freed before MPI ends, after a run:
left_to_the_end.run(np.ones(3))

run_tests(globals())
