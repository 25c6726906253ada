# SPDX-License-Identifier: MIT

"""Orders by their definitions: chunks from left to right, then the tree over them."""

import functools
import struct
from typing import Callable, NamedTuple

import numpy as np

LARGEST = 4096  # most elements of an order whose brackets are listed
LARGEST_PARAMETER = 2**63 - 1


class Kind(NamedTuple):
    has_parameter: bool
    fixed: bool  # the order fixes the bracketing
    chunk: Callable[[int, int], int]  # elements in a chunk, from the parameter and N


ORDERS = {
    "tree": Kind(False, True, lambda _, elements: 1),
    "chunked-tree": Kind(True, True, lambda size, elements: size),
    "sequential": Kind(False, True, lambda _, elements: elements),
    "associative": Kind(False, False, lambda _, elements: elements),
}


def parsed(written):
    """Kind and parameter of an order. Raises `ValueError` if there is no such order."""
    name, colon, parameter = written.partition(":")
    if name not in ORDERS:
        raise ValueError("no order")
    kind = ORDERS[name]
    if not kind.has_parameter and not colon:
        return kind, 0
    if not kind.has_parameter or not parameter.isascii() or not parameter.isdigit():
        raise ValueError("no parameter of an order")
    if not 1 <= int(parameter) <= LARGEST_PARAMETER:
        raise ValueError("no parameter of an order")
    return kind, int(parameter)


def is_fixed(written):
    return parsed(written)[0].fixed


def names(parameter):
    """Each order with a fixed bracketing, with this parameter if it has one."""
    return tuple(f"{name}:{parameter}" if kind.has_parameter else name
                 for name, kind in ORDERS.items() if kind.fixed)


def some(random, parameters, fixed=True):
    """A random order, often the tree. Unless `fixed`, its bracketing may be open."""
    name = random.choice(["tree", *(name for name, kind in ORDERS.items()
                                    if kind.fixed or not fixed)])
    return f"{name}:{random.choice(parameters)}" if ORDERS[name].has_parameter else name


def explicit_parents(written):
    """The parents of an explicit order. Raises `ValueError` if it is none."""
    name, *words = written.split(":")
    if name != "explicit" or not all(word.isascii() and word.isdigit() for word in words):
        raise ValueError("no explicit order")
    parents = [int(word) for word in words]
    open_ = [0]  # elements whose largest bracket may go on
    for x, parent in enumerate(parents, 1):
        if parent not in open_:
            raise ValueError("brackets that cross")
        del open_[open_.index(parent) + 1 :]
        open_.append(x)
    return parents


class Order:
    """All brackets of N elements, each with its two halves."""

    def __init__(self, name, elements):
        self.name = name
        self.elements = elements
        self.fixed = is_fixed(name)
        self.chunk = chunk_of(name, elements)
        self.halves = {}
        if not self.fixed:
            return
        level = []
        for begin in range(0, elements, self.chunk):
            end = min(begin + self.chunk, elements)
            for x in range(begin, end):
                self.halves[x, x + 1] = None
            for x in range(begin + 1, end):
                self.halves[begin, x + 1] = ((begin, x), (x, x + 1))
            level.append((begin, end))
        # Neighbours join level by level; a last one without a neighbour moves up unchanged.
        while len(level) > 1:
            above = []
            for i in range(0, len(level) - 1, 2):
                joined = (level[i][0], level[i + 1][1])
                self.halves[joined] = (level[i], level[i + 1])
                above.append(joined)
            if len(level) % 2 == 1:
                above.append(level[-1])
            level = above

    def is_bracket(self, begin, end):
        if not 0 <= begin < end <= self.elements:
            return False
        return (begin, end) in self.halves if self.fixed else True

    def joins(self, left, right):
        """True if two values join to one value."""
        if left[1] != right[0]:
            return False
        joined = (left[0], right[1])
        if not self.fixed:
            return left[0] < left[1] < right[1]
        return self.halves.get(joined) == (left, right)

    def goes_on(self, left, run):
        """True if a run continues the value `left` inside one chunk."""
        if not self.fixed or left[1] != run[0]:
            return False
        begin = run[0] - run[0] % self.chunk
        return left[0] == begin < run[0] and run[1] <= min(begin + self.chunk, self.elements)


def chunk_of(name, elements):
    kind, parameter = parsed(name)
    return kind.chunk(parameter, elements)


def reduced(elements, chunk, join):
    """Arrays or numbers reduced by the order with chunks of `chunk` elements."""
    level = [
        functools.reduce(join, elements[begin : begin + chunk])
        for begin in range(0, len(elements), chunk)
    ]
    while len(level) > 1:
        above = [join(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2 == 1:
            above.append(level[-1])
        level = above
    return level[0]


def bits64(value):
    """Bits of a float64; all NaNs have equal bits."""
    value = float(value)
    if value != value:
        return 0x7FF8000000000000
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def bits32(value):
    if value != value:
        return 0x7FC00000
    return struct.unpack("<I", struct.pack("<f", value))[0]


def shown_bits(value):
    """Bits as in a row of `bracket run --json`."""
    if isinstance(value, np.float32):
        return f"0x{bits32(value):08X}"
    return f"0x{bits64(value):016X}"


def fnv1a(numbers):
    """64-bit FNV-1a of 64-bit numbers, low byte first."""
    state = 0xCBF29CE484222325
    for number in numbers:
        for byte in struct.pack("<Q", number):
            state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"


def vector_sum(numbers, items, chunk):
    """Sum of float64 vectors, item by item."""
    rows = np.asarray(numbers, dtype=np.float64).reshape(-1, items)
    with np.errstate(all="ignore"):
        return reduced(list(rows), chunk, np.add)


def as_vectors(numbers, fields):
    """The numbers of one field after the other, as vectors with an item of each field."""
    count = len(numbers) // fields
    return [numbers[field * count + i] for i in range(count) for field in range(fields)]


def expected_result(numbers, items, order):
    """Key and value of the result in a row of `bracket run --json`."""
    chunk = chunk_of(order, len(numbers) // items)
    result = vector_sum(numbers, items, chunk)
    if items == 1:
        return "result_bits", f"0x{bits64(result[0]):016X}"
    return "result_digest", fnv1a(bits64(value) for value in result)
