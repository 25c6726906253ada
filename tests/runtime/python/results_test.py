# SPDX-License-Identifier: MIT

"""Results of the Python package against loops over the elements, on the ranks of mpiexec."""

import itertools
import math
import operator
from fractions import Fraction

import numpy as np
from support import *

import bracket


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
        dtypes[:4] + dtypes[6:], [("minimum-location", np.argmin), ("maximum_location", np.argmax)]
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


def test_digests():
    def mixed(word):  # SplitMix64
        word = (word + 0x9E3779B97F4A7C15) % 2**64
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        return word ^ word >> 31

    for dtype in dtypes:
        everything = numbers(dtype)
        size = np.dtype(dtype).itemsize
        words = np.zeros((len(everything), 16), np.uint8)
        words[:, :size] = everything.view(np.uint8).reshape(-1, size)
        words = [[int(word) for word in pair] for pair in words.view(np.uint64)]
        bits = [mixed(low) if size <= 8 else mixed((mixed(low) + high) % 2**64)
                for low, high in words]
        sequence = sum(mixed((word + i) % 2**64) for i, word in enumerate(bits)) % 2**64
        with bracket.Reducer(comm, mine(everything), op="digest") as reducer:
            digest = reducer.run(mine(everything))
            assert digest == bracket.Digest(sum(bits) % 2**64, sequence), (dtype, digest)
            assert digest != reducer.run(mine(everything[::-1]))


def test_algorithms():
    everything = numbers(np.float64)
    plus = joins["sum"]
    assert same(bracket.sum(mine(everything), algorithm="chunked-tree:7"),
                chunks(everything, 7, plus))
    assert bracket.sum(mine(everything), algorithm="binned:4") == math.fsum(everything)
    assert bracket.sum(mine(everything), algorithm="double_double") == math.fsum(everything)
    assert abs(bracket.sum(mine(everything), algorithm="stochastic") - math.fsum(everything)) <= (
        1e-12 * np.abs(everything).sum())
    shuffled = np.random.RandomState(3).permutation(everything)
    for bins in (1, 2, 3):
        sums = [bracket.sum(mine(x), algorithm=f"binned:{bins}") for x in (everything, shuffled)]
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
    """Arrays that hold a block of 3 x 4 x 5 elements in other layouts."""
    yield block
    yield np.asfortranarray(block)
    wide = np.full((7, 9, 6), 99, block.dtype)
    wide[1:4, 8:0:-2, ::-1][:, :, :5] = block
    yield wide[1:4, 8:0:-2, ::-1][:, :, :5]
    structured = np.zeros(block.shape, [("flag", "i1"), ("x", block.dtype), ("y", "i2")])
    structured["x"] = block
    yield structured["x"]  # not aligned, and its size does not divide its stride
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
    # All strides are 0.
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
    # Ranks without elements.
    assert bracket.sum(np.ones(3 if rank == 0 else 0)) == 3


def test_ranges():
    x = np.full((6, 5), 1e300)
    x[1:4, 2:] = mine(numbers(np.float64, 9 * ranks)).reshape(3, 3)
    expected = tree(numbers(np.float64, 9 * ranks), joins["sum"])
    for ranges in (((1, 4), (2, 5)), np.s_[1:4, 2:], np.s_[1:4, -3:]):
        assert same(bracket.sum(x, ranges=ranges), expected)
    assert bracket.sum(np.arange(10), ranges=np.s_[2:4]) == 5 * ranks
    for wrong, words in [
        (((0, 7), (0, 5)), "range"),
        (((0, 1),), "1 range(s) for an array of 2"),
        (np.s_[::2, :], "steps of 2"),
        ((("a", 1), (0, 1)), "not a whole number"),
        (np.s_[1, :], "1 is not a range: give a slice or (begin, end), such as 1:2"),
        (np.s_[..., 1:], "'...' is not a range: give one for each dimension"),
        ([(0, 4), (1, 5)], "which is for several fields: give a tuple"),
        (((0, 4), (1, 5, 2)), "(1, 5, 2) is not a range"),
        (3, "the ranges are 3, not a tuple"),
    ]:
        refused(words, lambda: bracket.sum(x, ranges=wrong))
    # Ranges that differ between ranks, and factors whose array has another size outside the range.
    own = 2 + rank % 2
    x, y = np.full((5, 3), 7), np.full((4, 3), 2)
    total = bracket.dot(x, y, ranges=((0, own), (0, 3)))
    assert total == 14 * 3 * comm.allreduce(own)


def test_one_call():
    x = numbers(np.float64)
    assert same(bracket.allreduce(mine(x)), tree(x, operator.add))
    assert same(bracket.allreduce(mine(x), op="maximum"), x.max())
    assert same(bracket.allreduce(mine(x), op=np.hypot), tree(x, np.hypot))
    assert same(bracket.allreduce(mine(x), factors=mine(x)), tree(x * x, operator.add))
    assert bracket.allreduce(1.0, comm=MPI.COMM_SELF, algorithm="binned") == 1


def test_accuracy():
    own = mine(numbers(np.float64))
    with bracket.Reducer(comm, [own, own[:0]], algorithm="stochastic", root=0) as sums:
        words = "no run is complete" if rank == 0 else "does not get the results"
        refused(words, lambda: sums.accuracy, bracket.Error)
        sums.run([own, own[:0]])
        if rank == 0:
            first, none = sums.accuracy
            assert isinstance(first, bracket.Accuracy) and 8 < first.digits < 15.96
            assert math.isclose(none.digits, 53 * math.log10(2)) and none.cancellations == 0
    with bracket.Reducer(comm, own) as tree_sum:
        refused("only the algorithm stochastic", lambda: tree_sum.accuracy, bracket.Error)


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
    exact = Fraction(0)
    for a, b in zip(x, y):
        exact += Fraction(a * b)
    assert bracket.dot(mine(x), mine(y), algorithm="binned:8") == float(exact)
    # A mask that is broadcast, without an array of its own.
    mask = np.broadcast_to(np.arange(5) % 2 == 0, (3, 4, 5)).astype(np.float64)
    masked = tree([a if i % 5 % 2 == 0 else a * 0 for i, a in enumerate(x)], joins["sum"])
    assert same(bracket.sum(mine(x).reshape(3, 4, 5), factors=mask), masked)
    refused("not as many", lambda: bracket.dot(np.ones(3), np.ones(4)))
    refused("float32 among those of float64", lambda: bracket.dot(np.ones(3), np.ones(3, "f4")))
    refused("factors of dtype bool among those of float64: .astype(np.float64)",
            lambda: bracket.sum(np.ones(3), factors=np.ones(3, bool)))
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
    for plain in ([1.0, 2.0], (1, 2), [np.float64(1)], [[1.0, 2.0], [3.0, 4.0]]):
        refused("a list is several fields, each of them an array; np.asarray(x) is one",
                lambda: bracket.sum(plain))
        refused("np.asarray(factors) is one", lambda: bracket.sum(two, factors=plain))
    refused("as many ranges", lambda: bracket.sum([one, two], ranges=[np.s_[:]]))


def test_operators():
    x, y = numbers(np.float64), numbers(np.float64, seed=3)
    ops = ["sum", "maximum", "product", "minimum"]
    with bracket.Reducer(comm, [mine(x), mine(y), mine(y), mine(x)], op=ops) as several:
        results = several.run([mine(x), mine(y), mine(y), mine(x)])
        with bracket.Reducer(comm, mine(x)) as one:
            one.run(mine(x))
            assert several.messages_sent == one.messages_sent
    for result, op, all in zip(results, ops, [x, y, y, x]):
        assert same(result, tree(all, joins[op]))
    least, largest = bracket.Reducer(
        comm, [mine(x)] * 2, op=["minimum-location", "maximum_location"]
    ).run([mine(x)] * 2)
    assert least == (min(x), np.argmin(x)) and largest == (max(x), np.argmax(x))
    pair = [mine(x), mine(x)]
    refused("different types", lambda: bracket.Reducer(comm, pair, op=["sum", "digest"]))
    refused("unknown operator 'mean'", lambda: bracket.Reducer(comm, pair, op=["sum", "mean"]))
    refused("as many ranges, distributions and operators",
            lambda: bracket.Reducer(comm, pair, op=["sum"]))
    refused("which is for several fields", lambda: bracket.Reducer(comm, x, op=["sum"]))
    refused("give a list for several", lambda: bracket.Reducer(comm, pair, op=("sum", "sum")))


def test_operators_of_mpi4py():
    from mpi4py import MPI

    x = np.arange(3.0) + rank
    for mpi, name in (
        (MPI.SUM, "sum"), (MPI.PROD, "product"), (MPI.MIN, "minimum"), (MPI.MAX, "maximum"),
    ):
        assert same(bracket.allreduce(x, op=mpi), bracket.allreduce(x, op=name))
    both = bracket.Reducer(comm, [x, x], op=[MPI.SUM, "maximum"])
    assert same(both.run([x, x])[1], bracket.maximum(x))
    both.free()
    sums = bracket.Accumulator(op=MPI.MAX)
    sums.add(x)
    assert same(sums.reduce(comm), bracket.maximum(x))
    for unknown in (MPI.MAXLOC, MPI.LAND):
        refused("other than SUM, PROD, MIN and MAX", lambda: bracket.allreduce(x, op=unknown))


def test_elements_by_a_function():
    x, y, z = (mine(numbers(np.float64, seed=seed)) for seed in (1, 2, 3))
    everything = [numbers(np.float64, seed=seed) for seed in (1, 2, 3)]
    expected = tree(everything[0] * everything[1] * everything[2], joins["sum"])
    for threads in (1, 2):
        with bracket.Reducer(comm, np.broadcast_to(0.0, N), threads=threads) as total:
            assert same(total.run(lambda s: x[s] * y[s] * z[s]), expected)
            assert same(total.run(x), tree(everything[0], joins["sum"]))
            total.start(lambda s: (x[s] * y[s] * z[s]))
            assert same(total.wait(), expected)
    with bracket.Reducer(comm, [x, x], op=["sum", "maximum"]) as several:
        results = several.run([lambda s: -x[s], x])
    assert same(results[0], tree(-everything[0], joins["sum"]))
    assert same(results[1], max(everything[0]))
    # The function gets numbers in the sequence of the ranges.
    block = np.arange(20, dtype=np.int64).reshape(4, 5)
    inner = block[1:3, 1:].ravel()
    with bracket.Reducer(comm, block, ranges=np.s_[1:3, 1:]) as reducer:
        assert reducer.run(lambda s: inner[s]) == ranks * inner.sum()

    def fails(words, function, made_of=x, **settings):
        reducer = bracket.Reducer(comm, made_of, **settings)
        refused(words, lambda: reducer.run(function), bracket.Error)
        reducer.free()

    fails("dtype float64 and shape (), not float64 and (", lambda s: 1.0)
    fails("dtype float32 and shape (", lambda s: x[s].astype(np.float32))
    fails("index 99 is out of bounds", lambda s: x[99])
    fails("for a field of products", lambda s: x[s], factors=x)
    large = np.zeros(100000)
    fails("by zero", lambda s: large[s] if s.start == 0 else [1 // 0], large, threads=2)
    refused("a function of elements is for a run", lambda: bracket.sum(lambda s: x[s]))
    fails("a masked array: give an array whose masked", lambda s: np.ma.array(x[s], mask=x[s] > 0))

    class Unknown(Exception):
        pass

    for raised in (KeyError("rho"), AssertionError(), Unknown("why"), SystemExit(3),
                   KeyboardInterrupt()):

        def raises(s):
            if rank == ranks - 1:
                raise raised
            return x[s]

        reducer = bracket.Reducer(comm, x)
        ends = rank == ranks - 1 and not isinstance(raised, Exception)
        try:
            reducer.run(raises)
            assert False
        except BaseException as caught:
            assert caught is raised if ends else isinstance(caught, bracket.Error), caught
            if rank == ranks - 1 and not ends:
                assert caught.__cause__ is raised
            if not ends:
                assert type(raised).__name__ in str(caught), caught
        reducer.free()


def test_sums_in_any_sequence():
    everything = numbers(np.float64)
    exact = math.fsum(everything)
    for algorithm in ("binned:4:30", "binned-exact", "pre-rounded", "pre-rounded:3"):
        total = bracket.sum(mine(everything), algorithm=algorithm)
        assert abs(total - exact) <= 2 ** -40 * np.abs(everything).sum(), algorithm
        turned = bracket.sum(mine(everything)[::-1], algorithm=algorithm)
        assert same(turned, total), algorithm
    # Rounded products cancel.
    x, y = np.full(N, 1 + 2.0 ** -30), np.full(N, 1 - 2.0 ** -30)
    x, y = np.concatenate([x, -np.ones(N)]), np.concatenate([y, np.ones(N)])
    assert bracket.dot(x, y, algorithm="binned") == 0
    assert bracket.dot(x, y, algorithm="binned-exact") == -N * ranks * 2.0 ** -60
    refused("for real numbers, not for complex128",
            lambda: bracket.sum(np.zeros(2, complex), algorithm="pre-rounded"), bracket.Error)


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
    refused("there is no rank 99", lambda: held.held(99), bracket.Error)
    refused("bracket.Distribution, not", lambda: bracket.sum(x, distribution="upper"))
    refused("distribution", lambda: bracket.sum(np.ones(N + 1), distribution=held))


run_tests(globals())
