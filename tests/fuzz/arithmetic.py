# SPDX-License-Identifier: MIT

"""Types, operators and algorithms of reductions, by their definitions."""

from fractions import Fraction
import math

import numpy as np

from orders import chunk_of, reduced, shown_bits
import stochastic

TYPES = {
    "float64": np.float64, "float32": np.float32, "complex128": np.complex128,
    "complex64": np.complex64, "int32": np.int32, "int64": np.int64, "uint32": np.uint32,
    "uint64": np.uint64,
}
INTEGERS = ("int32", "int64", "uint32", "uint64")


def is_integer(kind):
    return kind in INTEGERS


def limits(kind):
    info = np.iinfo(TYPES[kind])
    return int(info.min), int(info.max)


def fitting(numbers, kind):
    """Elements as whole numbers; None if an element is not whole or does not fit."""
    least, most = limits(kind)
    whole = []
    for number in numbers:
        if not math.isfinite(number) or number != math.floor(number):
            return None
        if not least <= int(number) <= most:
            return None
        whole.append(int(number))
    return whole


def wrapped(value, kind):
    least, most = limits(kind)
    return (value - least) % (most - least + 1) + least


def typed(numbers, kind):
    """Elements of a floating-point type; a complex element has two numbers."""
    with np.errstate(all="ignore"):
        if kind == "float64":
            return np.asarray(numbers, dtype=np.float64)
        if kind == "float32":
            return np.asarray(numbers, dtype=np.float64).astype(np.float32)
        part = np.float64 if kind == "complex128" else np.float32
        return np.asarray(numbers, dtype=np.float64).astype(part).reshape(-1, 2)


def times(left, right):
    """Product of numbers, or of complex numbers with two parts; each operation is rounded once."""
    if np.ndim(left) == 0:
        return left * right
    a, b, c, d = left[0], left[1], right[0], right[1]
    return np.array([a * c - b * d, a * d + b * c], dtype=left.dtype)


def least_first(a, b):
    """True if a comes before b: a NaN is first, and -0 is before +0."""
    if a != a or b != b:
        return a != a
    if a == b:
        return math.copysign(1, a) < math.copysign(1, b)
    return a < b


def extreme(values, largest):
    """Index of the first minimum or maximum."""
    best = 0
    for i in range(1, len(values)):
        a, b = values[i], values[best]
        nan = a != a and not b != b
        if nan or not (a != a or b != b) and least_first(*((b, a) if largest else (a, b))):
            best = i
    return best


class Expected:
    """Keys and values of a correct row. `near` is an interval for the result in place of its
    bits."""

    def __init__(self, keys, near=None, refused=False):
        self.keys = keys
        self.near = near
        self.refused = refused


def told(value):
    if np.ndim(value) == 1:
        return {"result_bits": " ".join(shown_bits(part) for part in value)}
    return {"result_bits": shown_bits(value)}


def expected(numbers, kind, op, order, widened, checked):
    """Expected row for an order with a fixed bracketing; for integers and extremes, any order."""
    if is_integer(kind):
        return expected_integer(numbers, kind, op, checked)
    values = typed(numbers, kind)
    if op in ("minimum", "maximum"):
        return Expected(told(values[extreme(values, op == "maximum")]))
    if op in ("minimum-location", "maximum-location"):
        at = extreme(values, op == "maximum-location")
        return Expected({**told(values[at]), "result_index": at})
    chunk = chunk_of(order, len(values))
    narrow = values.dtype.type
    if widened:
        values = values.astype(np.float64)
    with np.errstate(all="ignore"):
        result = reduced(list(values), chunk, np.add if op == "sum" else times)
        if widened:
            result = result.astype(narrow) if np.ndim(result) else narrow(result)
    return Expected(told(result))


def expected_integer(numbers, kind, op, checked):
    values = fitting(numbers, kind)
    if values is None:
        return Expected({}, refused=True)
    if op in ("sum", "product"):
        exact = sum(values) if op == "sum" else math.prod(values)
        if checked and wrapped(exact, kind) != exact:
            return Expected({}, refused=True)
        return Expected({"result": wrapped(exact, kind)})
    best = max(values) if op.startswith("maximum") else min(values)
    keys = {"result": best}
    if op.endswith("location"):
        keys["result_index"] = values.index(best)
    return Expected(keys)


# Algorithms of `expected_near`. Of all but stochastic, only a bound on their error is known.
NEAR = ("binned", "binned:2", "binned:4", "binned:4:30", "binned-exact", "pre-rounded", "pre-rounded:4",
        "double-double", "stochastic")


def expected_near(numbers, algorithm):
    """Expected row for sums of float64 by an algorithm of `NEAR`: the exact sum and its largest
    error, or the bits. None if a partial sum may overflow."""
    if not np.all(np.isfinite(numbers)):
        infinities = {float(x) for x in numbers if math.isinf(x)}
        if np.any(np.isnan(numbers)) or len(infinities) == 2:
            return Expected({"result_bits": "0x7FF8000000000000"})
        return Expected(told(infinities.pop()))
    exact = sum(map(Fraction, map(float, numbers)), Fraction(0))
    sizes = [abs(Fraction(float(x))) for x in numbers]
    count = len(numbers)
    if algorithm.split(":")[0] in ("binned", "binned-exact"):
        written = [int(number) for number in algorithm.split(":")[1:]]
        bins, width = written + [3, 40][len(written):]
        off = count * Fraction(2) ** (width * (1 - bins)) * max(sizes)
    elif algorithm.split(":")[0] == "pre-rounded":
        levels = int(algorithm.split(":")[1]) if ":" in algorithm else 2
        terms = max(2, (count - 1).bit_length())
        off = 2 * count * Fraction(2) ** (levels * (terms - 54)) * max(sizes)
        # The additions of all levels but the first, whose terms are below its unit.
        off += levels * count * Fraction(2) ** (terms - 53 - 53) * max(sizes)
    elif algorithm == "double-double":
        if sum(sizes) >= Fraction(2) ** 1023:
            return None  # a partial sum may overflow
        off = math.ceil(math.log2(count)) * sum(sizes) / 2**104 if count > 1 else Fraction(0)
    elif algorithm == "stochastic":
        if sum(sizes) >= Fraction(2) ** 1023:
            return None
        return Expected(told(np.float64(stochastic.mean(numbers))))
    else:
        raise ValueError(f"the error of {algorithm} is not known")
    # The smallest low parts may be lost.
    off += count * Fraction(2) ** -1074
    return Expected({}, near=(exact, off))


def is_near(bits, near):
    """True if a float64 is within `off` and half an ulp of the exact sum."""
    value = np.uint64(int(bits, 16)).view(np.float64)
    exact, off = near
    if math.isnan(value):
        return False
    half = Fraction(math.ulp(float(value))) / 2 if math.isfinite(value) else Fraction(0)
    if math.isinf(value):
        bound = Fraction(2) ** 1024 - Fraction(2) ** 970
        return abs(exact) + off >= bound and (exact > 0) == (value > 0)
    return abs(Fraction(float(value)) - exact) <= off + half
