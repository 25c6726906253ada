# SPDX-License-Identifier: MIT

"""Files of elements: .npy, .binpsllh and .f64."""

import struct

import numpy as np

import elements
import mutants
import orders
import readers
from form import Form, expect, only_row
from processes import Finding


class Elements(Form):
    on_ranks = True

    def make(self):
        values = elements.hostile(self.random, self.random.choice((1, 2, 5, 31, 200)))
        return self.content(values), {}

    def words(self, context):
        return ["run", self.file, "--json", "--repetitions", "1", "--warm-up", "0"]

    def stricter(self, seen, context):
        return seen[1]

    def compare(self, seen, outcome, context):
        if seen[1] and seen[1] != readers.OTHER_HEADER:
            raise Finding(f"accepted, but {seen[1]}")
        row = only_row(outcome)
        with np.errstate(all="ignore"):
            numbers = seen[0].astype("f8")
        key, bits = orders.expected_result(numbers, 1, "tree")
        expect(row, elements=len(seen[0]), **{key: bits})


class Npy(Elements):
    name = file = "in.npy"
    text = True

    def content(self, values):
        if self.random.random() < 0.3:
            with np.errstate(all="ignore"):
                values = values.astype("<f4")
        content = elements.npy(values)
        if self.random.random() < 0.3:
            content = self.versioned(content)
        return content

    def versioned(self, content):
        """Content as version 2.0 or 3.0, with a length of four bytes."""
        length = int.from_bytes(content[8:10], "little")
        return (content[:6] + bytes((self.random.choice((2, 3)), 0)) + struct.pack("<I", length)
                + content[10:])

    def own_mutant(self, random, content):
        """Content with another header, most often of the right length."""
        size, at = (2, 10) if content[6] == 1 else (4, 12)
        end = at + int.from_bytes(content[8 : 8 + size], "little")
        head = content[at:end].rstrip()
        entries = [b"'descr': '<f8'", b"'fortran_order': False", b"'shape': (5,)"]
        kind = random.randrange(5)
        if kind == 0:
            head = mutants.number_mutant(random, head)
        elif kind == 1:
            random.shuffle(entries)
            entries += random.sample(entries, random.choice((0, 0, 1)))
            head = b"{" + b", ".join(entries) + random.choice((b"}", b",}", b", }"))
        elif kind == 2:
            descr = random.choice((
                b">f8", b"=f8", b"f8", b"float64", b"<f2", b"<i8", b"|O", b"<f16", b"<f8,<f8",
                b"|V8", b"<c8", b"<f4", b"<m8", b"|S8", b"<U2"))
            head = head.replace(b"<f8", descr)
        elif kind == 3:
            shape = random.choice((
                b"()", b"(1, 1)", b"(5L,)", b"(-1,)", b"5,", b"[5]", b"(0,)", b"(5, 0)",
                b"(2**3,)", b"(0x5,)", b"(5,),", b"( 5 , )", b"((5),)"))
            head = head[: head.find(b"'shape': ") + 9] + shape + b"}"
        else:
            head = mutants.bytes_mutant(random, head)
        if random.random() < 0.7:
            head += b" " * (-(at + len(head) + 1) % 64) + b"\n"
        length = len(head) + random.choice((0, 0, 0, 0, 1, -1, 64, 60000))
        length = max(0, min(length, 256**size - 1))
        return content[:8] + length.to_bytes(size, "little") + head + content[end:]

    def read(self, content, context):
        return readers.npy_elements(content)


class Binpsllh(Elements):
    name = file = "in.binpsllh"

    def content(self, values):
        return elements.binpsllh(values)

    def own_mutant(self, random, content):
        count = random.choice((0, 2**61, 2**61 + 1, 2**63, 2**64 - 1, 2**60, len(content)))
        return struct.pack("<Q", count) + content[8:]

    def read(self, content, context):
        return readers.binpsllh_elements(content)


class F64(Elements):
    name = file = "in.f64"

    def content(self, values):
        return values.astype("<f8").tobytes()

    def read(self, content, context):
        return readers.f64_elements(content)


FORMS = (Npy, Binpsllh, F64)
