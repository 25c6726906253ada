# SPDX-License-Identifier: MIT

"""Elements that reveal a wrong bracketing, a flushed subnormal or a padded zero, and their
files."""

import io
import struct

import numpy as np

KINDS = [
    "uniform", "cancelling", "signed zeros", "negative zeros", "subnormals", "specials", "bits",
    "huge", "integers",
]


def hostile(random, count, kind=None):
    """`count` float64 numbers of a kind."""
    kind = kind or random.choice(KINDS)
    sign = lambda: random.choice((-1.0, 1.0))
    if kind == "uniform":
        return np.array([random.uniform(-1, 1) for _ in range(count)])
    if kind == "cancelling":
        big = [sign() * random.uniform(0.5, 1) * 10.0 ** random.randint(10, 300)
               for _ in range(max(1, count // 4))]
        return np.array([
            random.choice((1, -1)) * random.choice(big) if random.random() < 0.5
            else random.uniform(-1, 1) * 10.0 ** random.randint(-300, 20)
            for _ in range(count)
        ])
    if kind == "signed zeros":
        return np.array([
            random.uniform(-1, 1) if random.random() < 0.1 else sign() * 0.0 for _ in range(count)
        ])
    if kind == "negative zeros":
        return np.full(count, -0.0)
    if kind == "subnormals":
        return np.array([random.randint(-1000, 1000) * 5e-324 for _ in range(count)])
    if kind == "specials":
        pool = [np.inf, -np.inf, np.nan, -np.nan, 1.7e308, -1.7e308, -0.0, 0.0, 5e-324, 2.3e-308]
        share = random.choice((0.02, 0.2, 0.9))
        one_sign = random.random() < 0.4  # else most sums are NaN
        return np.array([
            (abs(x) if one_sign and x == x else x)
            for x in (random.choice(pool) if random.random() < share else random.uniform(-1, 1)
                      for _ in range(count))
        ])
    if kind == "bits":
        return np.frombuffer(random.randbytes(8 * count), dtype="<f8").copy()
    if kind == "huge":
        return np.array([sign() * random.uniform(0.1, 1.79) * 1e308 for _ in range(count)])
    return np.array([float(random.randint(-(2**24), 2**24)) for _ in range(count)])


def npy(values):
    out = io.BytesIO()
    np.save(out, values)
    return out.getvalue()


def binpsllh(values):
    return struct.pack("<Q", len(values)) + np.asarray(values, dtype="<f8").tobytes()


def write_input(random, folder, values):
    """Writes a file of float64 in one of the forms. Returns its name and the numbers a program
    reads."""
    form = random.choice(("npy", "npy", "binpsllh", "f64", "narrow"))
    if form == "narrow":
        with np.errstate(all="ignore"):
            narrow = np.asarray(values, dtype="<f4")
        (folder / "in.npy").write_bytes(npy(narrow))
        return "in.npy", narrow.astype(np.float64)
    content = {
        "npy": lambda: npy(np.asarray(values, dtype="<f8")),
        "binpsllh": lambda: binpsllh(values),
        "f64": lambda: np.asarray(values, dtype="<f8").tobytes(),
    }[form]()
    (folder / f"in.{form}").write_bytes(content)
    return f"in.{form}", np.asarray(values, dtype=np.float64)
