# SPDX-License-Identifier: MIT

"""Common parts of the Python package's tests: elements, references and a test runner."""

import sys
import traceback

import numpy as np
from mpi4py import MPI

import bracket

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
dtypes = [np.int32, np.int64, np.float32, np.float64, np.complex64, np.complex128, np.uint32,
          np.uint64]
N = 60  # elements on each rank


def numbers(dtype, count=N * ranks, seed=1):
    """Numbers of both signs, equal on all ranks; floats have many magnitudes."""
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
    """Tree order by its definition: neighbours level by level; a last value moves up alone."""
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
    """Product; of complex numbers by the formula, with each operation rounded."""
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


def run_tests(names):
    """Runs the tests among a module's names on all ranks. A test that fails ends all ranks."""
    for name, test in list(names.items()):
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
