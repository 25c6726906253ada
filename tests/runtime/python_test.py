"""Tests of the Python package on the ranks of mpiexec. A test that fails ends all ranks."""

import gc
import itertools
import math
import subprocess
import sys
import threading
import time
import traceback
import weakref
from fractions import Fraction

import numpy as np
from mpi4py import MPI

import bracket

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
dtypes = [np.int32, np.int64, np.float32, np.float64, np.complex64, np.complex128]
N = 60  # elements on each rank


def numbers(dtype, count=N * ranks, seed=1):
    """The same on every rank, of both signs; floats of many magnitudes."""
    random = np.random.RandomState(seed)
    if np.issubdtype(dtype, np.integer):
        return random.randint(-(2**31), 2**31 - 1, count).astype(dtype)

    def parts():
        return (random.rand(count) - 0.5) * 2.0 ** random.randint(-20, 20, count)

    if np.issubdtype(dtype, np.complexfloating):
        return (parts() + 1j * parts()).astype(dtype)
    return parts().astype(dtype)


def mine(everything):
    count = len(everything) // ranks
    return everything[count * rank : count * (rank + 1)]


def tree(level, join):
    """By the definition: neighbours level by level, the last one moves up alone."""
    level = list(level)
    while len(level) > 1:
        above = [join(a, b) for a, b in zip(level[::2], level[1::2])]
        level = above + ([level[-1]] if len(level) % 2 else [])
    return level[0]


def chunks(elements, size, join):
    firsts = []
    for begin in range(0, len(elements), size):
        value = elements[begin]
        for element in elements[begin + 1 : begin + size]:
            value = join(value, element)
        firsts.append(value)
    return tree(firsts, join)


def same(left, right):
    return type(left) is type(right) and left.tobytes() == right.tobytes()


def times(a, b):
    """Of complex numbers by the formula, each operation rounded."""
    if not isinstance(a, np.complexfloating):
        return a * b
    real, imag = a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real
    return type(a)(complex(real, imag))


joins = {"sum": lambda a, b: a + b, "product": times, "minimum": min, "maximum": max}


def refused(words, action, kind=bracket.CollectiveError):
    try:
        action()
    except kind as wrong:
        assert words in str(wrong), (words, str(wrong))
    else:
        raise AssertionError(f"not refused: {words}")


def test_every_type_and_operator():
    for dtype, op in itertools.product(dtypes, joins):
        if np.issubdtype(dtype, np.complexfloating) and op not in ("sum", "product"):
            refused("complex numbers have no", lambda: bracket.Reducer(comm, dtype(1), op=op))
            continue
        everything = numbers(dtype)
        if op == "product" and not np.issubdtype(dtype, np.integer):
            everything = (everything / np.abs(everything)).astype(dtype)
        with np.errstate(over="ignore"):
            expected = tree(everything, joins[op])
        with bracket.Reducer(comm, mine(everything), op=op) as reducer:
            result = reducer.run(mine(everything))
            assert same(result, expected), (dtype, op, result, expected)
            assert reducer.held == range(N * rank, N * (rank + 1))
            assert reducer.elements == N * ranks
            assert reducer.messages_sent > 0 or ranks == 1


def test_locations():
    for dtype, (op, extreme) in itertools.product(
        dtypes[:4], [("minimum-location", np.argmin), ("maximum_location", np.argmax)]
    ):
        everything = numbers(dtype) // 8
        with bracket.Reducer(comm, mine(everything), op=op) as reducer:
            located = reducer.run(mine(everything))
        index = extreme(everything)
        assert located.index == index and type(located.index) is int
        assert same(located.value, everything[index])
        value, index = located  # a tuple
    with bracket.Reducer(comm, np.zeros(0), op="minimum-location") as reducer:
        assert reducer.run(np.zeros(0)).index == -1


def test_algorithms():
    everything = numbers(np.float64)
    plus = joins["sum"]
    assert same(bracket.sum(mine(everything), algorithm="chunked-tree", chunk=7),
                chunks(everything, 7, plus))
    assert bracket.sum(mine(everything), algorithm="binned", bins=4) == math.fsum(everything)
    assert bracket.sum(mine(everything), algorithm="double_double") == math.fsum(everything)
    shuffled = np.random.RandomState(3).permutation(everything)
    for bins in (1, 2, 3):
        sums = [bracket.sum(mine(x), algorithm="binned", bins=bins) for x in (everything, shuffled)]
        assert same(*sums)
    narrow = everything.astype(np.float32)
    assert same(bracket.sum(mine(narrow), widened=True),
                np.float32(tree(narrow.astype(np.float64), plus)))
    for plan in ("butterfly", "aggregated", "direct", "dissemination"):
        assert same(bracket.sum(mine(everything), plan=plan), tree(everything, plus))
    for threads in (2, 3):
        long = numbers(np.float64, 30000 * ranks)
        assert same(bracket.sum(mine(long), threads=threads), tree(long, plus))


def test_checked_integers():
    x = np.full(1, 2**62, np.int64)
    wrapped = (2**62 * ranks + 2**63) % 2**64 - 2**63
    assert bracket.sum(x) == wrapped
    if ranks > 1:
        refused("fit", lambda: bracket.sum(x, checked=True), bracket.Error)
    assert bracket.sum(np.int64(2**62 // ranks), checked=True) == 2**62 // ranks * ranks
    y = np.full(1, 3, np.int64)
    assert bracket.dot(x // 4, y - 2, checked=ranks < 8) == 2**60 * ranks


def layouts_of(block):
    """Arrays that hold a block of 3 x 4 x 5 elements otherwise."""
    yield block
    yield np.asfortranarray(block)
    wide = np.full((7, 9, 6), 99, block.dtype)
    wide[1:4, 8:0:-2, ::-1][:, :, :5] = block
    yield wide[1:4, 8:0:-2, ::-1][:, :, :5]
    structured = np.zeros(block.shape, [("flag", "i1"), ("x", block.dtype), ("y", "i2")])
    structured["x"] = block
    yield structured["x"]  # neither aligned nor of a stride that its size divides
    assert structured["x"].strides[-1] % block.itemsize != 0
    yield np.ascontiguousarray(block.transpose(2, 0, 1)).transpose(1, 2, 0)


def test_strides():
    for dtype in dtypes:
        everything = numbers(dtype)
        expected = tree(everything, joins["sum"]) if np.issubdtype(dtype, np.inexact) else None
        if expected is None:
            with np.errstate(over="ignore"):
                expected = tree(everything, joins["sum"])
        block = mine(everything).reshape(3, 4, 5)
        with bracket.Reducer(comm, block) as reducer:
            for k, array in enumerate(layouts_of(block)):
                assert same(reducer.run(array), expected), (dtype, k)
                before = array.copy()
                assert same(bracket.sum(array), expected)
                assert (array == before).all()
    # No stride at all.
    constant = np.broadcast_to(np.float64(0.1), (4, 5))
    assert constant.strides == (0, 0)
    assert same(bracket.sum(constant), tree([np.float64(0.1)] * 20 * ranks, joins["sum"]))
    read_only = np.arange(3.0)
    read_only.flags.writeable = False
    assert bracket.sum(read_only) == 3 * ranks


def test_numbers_and_dimensions():
    assert bracket.sum(rank + 1) == ranks * (ranks + 1) // 2
    assert bracket.maximum(float(rank)) == ranks - 1
    assert same(bracket.sum(np.float32(0.5)), np.float32(0.5 * ranks))
    assert same(bracket.minimum(np.array(rank, np.int32)), np.int32(0))
    for dimensions in range(1, 6):
        x = np.ones((2,) * dimensions)
        assert bracket.sum(x) == 2**dimensions * ranks
    refused("there may be 5", lambda: bracket.sum(np.ones((1,) * 6)))
    assert bracket.sum(np.zeros((0, 3))) == 0
    # A rank without elements.
    assert bracket.sum(np.ones(3 if rank == 0 else 0)) == 3


def test_ranges():
    x = np.full((6, 5), 1e300)
    x[1:4, 2:] = mine(numbers(np.float64, 9 * ranks)).reshape(3, 3)
    expected = tree(numbers(np.float64, 9 * ranks), joins["sum"])
    for ranges in (((1, 4), (2, 5)), np.s_[1:4, 2:], [np.s_[1:4, -3:]]):
        assert same(bracket.sum(x, ranges=ranges), expected)
    assert bracket.sum(np.arange(10), ranges=np.s_[2:4]) == 5 * ranks
    for wrong, words in [
        (((0, 7), (0, 5)), "range"),
        (((0, 1),), "1 range(s) for an array of 2"),
        (np.s_[::2, :], "steps of 2"),
        ((("a", 1), (0, 1)), "not a whole number"),
    ]:
        refused(words, lambda: bracket.sum(x, ranges=wrong))
    # Not the same on every rank, and factors of another size behind the range.
    own = 2 + rank % 2
    x, y = np.full((5, 3), 7), np.full((4, 3), 2)
    total = bracket.dot(x, y, ranges=((0, own), (0, 3)))
    assert total == 14 * 3 * comm.allreduce(own)


def test_products():
    for dtype in dtypes:
        x, y = numbers(dtype), numbers(dtype, seed=2)
        with np.errstate(over="ignore"):
            expected = tree([times(a, b) for a, b in zip(x, y)], joins["sum"])
        assert same(bracket.dot(mine(x), mine(y)), expected), dtype
        turned = mine(y).reshape(3, 4, 5).transpose(2, 1, 0).copy().transpose(2, 1, 0)
        block = mine(x).reshape(3, 4, 5)
        assert same(bracket.dot(block, turned), expected)
    x, y = numbers(np.float64), numbers(np.float64, seed=2)
    exact = sum_of_products = Fraction(0)
    for a, b in zip(x, y):
        exact += Fraction(a * b)
    assert bracket.dot(mine(x), mine(y), algorithm="binned", bins=8) == float(exact)
    # A mask without an array of its own.
    mask = np.broadcast_to(np.arange(5) % 2 == 0, (3, 4, 5)).astype(np.float64)
    masked = tree([a if i % 5 % 2 == 0 else a * 0 for i, a in enumerate(x)], joins["sum"])
    assert same(bracket.sum(mine(x).reshape(3, 4, 5), factors=mask), masked)
    refused("not as many", lambda: bracket.dot(np.ones(3), np.ones(4)))
    refused("float32 among those of float64", lambda: bracket.dot(np.ones(3), np.ones(3, "f4")))
    with bracket.Reducer(comm, np.ones(3)) as reducer:
        refused("made without", lambda: reducer.run(np.ones(3), np.ones(3)))
    with bracket.Reducer(comm, np.ones(3), factors=np.ones(3)) as reducer:
        refused("made with them", lambda: reducer.run(np.ones(3)))


def test_several_fields():
    x, y = numbers(np.float64), numbers(np.float64, 7 * ranks, seed=2)
    plus = joins["sum"]
    one, two = mine(x).reshape(6, 10), mine(y)
    with bracket.Reducer(comm, [one, two, 2.5], root=ranks - 1) as reducer:
        for _ in range(3):
            results = reducer.run([one[:, ::-1][:, ::-1], two, 2.5])
            assert reducer.delivers == (rank == ranks - 1)
            if rank < ranks - 1:
                assert results is None
                continue
            assert isinstance(results, list) and len(results) == 3
            assert same(results[0], tree(x, plus)) and same(results[1], tree(y, plus))
            assert results[2] == 2.5 * ranks
        assert reducer.elements == [N * ranks, 7 * ranks, ranks]
        assert reducer.held[1] == range(7 * rank, 7 * rank + 7)
        refused("2 field(s) given", lambda: reducer.run([one, two]))
    mask = np.arange(7.0)
    assert bracket.sum([two, two + 1, two], factors=[mask, mask, None])[2] == tree(y, plus)
    assert bracket.dot([two, two], mask) == [bracket.dot(two, mask)] * 2
    assert bracket.sum([np.arange(4), np.arange(6)], ranges=[np.s_[:2], np.s_[3:]]) == [
        ranks,
        12 * ranks,
    ]
    refused("one array where", lambda: bracket.Reducer(comm, [one]).run(one))
    refused("a reducer of no fields", lambda: bracket.sum([]))
    refused("as many ranges", lambda: bracket.sum([one, two], ranges=[np.s_[:]]))


def test_distributions():
    x = numbers(np.float64)
    expected = tree(x, joins["sum"])
    order = list(range(ranks))[::-1]
    held = bracket.Distribution([N] * ranks, order)
    assert held.elements == N * ranks and held.ranks == ranks
    part = held.held(rank)
    assert part == range(N * (ranks - 1 - rank), N * (ranks - rank))
    assert same(bracket.sum(x[part.start : part.stop], distribution=held), expected)
    made = bracket.Distribution.make("power2", N * ranks, ranks).held(rank)
    assert same(bracket.sum(x[made.start : made.stop]), expected)
    refused("rank 99 is none", lambda: held.held(99), bracket.Error)
    refused("bracket.Distribution, not", lambda: bracket.sum(x, distribution="upper"))
    refused("distribution", lambda: bracket.sum(np.ones(N + 1), distribution=held))


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
        if rank == 0 and ranks > 1:  # nothing has come from the others
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
        # On one rank alone it reaches all.
        refused(words, lambda: bracket.sum(wrong if rank == ranks - 1 else good))
    for settings, words in [
        (dict(op="median"), "unknown operator 'median'; known: sum"),
        (dict(algorithm="kahan"), "unknown algorithm 'kahan'; known: tree"),
        (dict(algorithm="integer"), "not for float64"),
        (dict(chunk=0, algorithm="chunked-tree"), "chunks of 0"),
        (dict(chunk="x"), "chunk is 'x', not a whole number"),
        (dict(bins=9), "9 bins"),
        (dict(bins=2**40), "bins is 1099511627776: out of range"),
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
        refused("different oper", lambda: bracket.Reducer(comm, good, op=["sum", "minimum"][rank % 2]))
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
    """While one thread waits the others run, and none may enter the same reducer."""
    reducer = bracket.Reducer(comm, np.ones(3))
    seen = []

    def wait():
        while not seen:
            try:
                seen.append(reducer.wait())
            except bracket.Error as wrong:  # the other thread was in
                assert "two threads" in str(wrong)

    comm.Barrier()
    if rank == 0 and ranks > 1:
        reducer.start(np.ones(3))
        waiter = threading.Thread(target=wait)
        waiter.start()
        refusals = 0
        while refusals < 3:  # it waits for the others, who wait for this
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
    workers = [threading.Thread(target=lambda r=r: [r.run(np.ones(9)) for _ in range(50)]) for r in reducers]
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
    for word in ("ranges", "factors", "distribution", "own in Python", "kernel", "widened"):
        assert word in bracket.Reducer.__doc__, word
    assert repr(bracket.Error) == "<class 'bracket.Error'>"
    assert issubclass(bracket.CollectiveError, bracket.Error)


def test_without_mpi():
    """Importing neither needs nor starts MPI."""
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
    import os

    # A process of its own, which no mpiexec knows of.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX", "OMPI_COMM", "PMI"))}
    for key in list(environment):
        if key.startswith("OMPI_MCA_") and ("orte" in key or "ess" in key or "pmix" in key):
            del environment[key]
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=60)


left_to_the_end = bracket.Reducer(comm, np.ones(3))  # freed before MPI ends, and after a run:
left_to_the_end.run(np.ones(3))

for name, test in list(globals().items()):
    if name.startswith("test_"):
        try:
            test()
        except BaseException:
            print(f"rank {rank}: {name}", file=sys.stderr)
            traceback.print_exc()
            sys.stderr.flush()
            comm.Abort(1)
if rank == 0:
    print("all passed")
