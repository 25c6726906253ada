# SPDX-License-Identifier: MIT

"""Whole numbers, counts and permutations of ranks as words of the command line."""

from fractions import Fraction
import re

from form import Form, expect, only_row
from processes import Finding
from readers import LARGEST_INDEX, Refused, strict_json

SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def whole_number(written):
    """Value of `1000`, `1e6`, `2.5e3` or `64Ki`."""
    found = re.fullmatch(
        r"(-?[0-9]+(?:\.[0-9]+)?)(?:[eE]([-+]?[0-9]+)|(k|M|G|Ki|Mi|Gi)?)", written, re.ASCII)
    if not found:
        raise Refused("no whole number")
    number, exponent, suffix = found.groups()
    value = Fraction(number)
    if exponent:
        power = int(exponent[:30])
        if value and abs(power) > 400 + len(number):
            raise Refused("far too large or small")
        value = value * Fraction(10) ** power if value else value
    value *= SUFFIXES[suffix or ""]
    if value.denominator != 1:
        raise Refused("no whole number")
    return int(value)


def plain_number(written):
    if not re.fullmatch(r"-?[0-9]+", written, re.ASCII) or abs(int(written[:400])) > LARGEST_INDEX:
        raise Refused("no number")
    return int(written)


class Words(Form):
    """A kind of word on the command line, in place of a file."""

    file = None
    text = True

    def as_word(self, mutant):
        # An argument cannot contain a zero byte. Python passes bytes that are not UTF-8 as
        # surrogates.
        return mutant.replace(b"\0", b"").decode("utf-8", "surrogateescape")

    def read(self, content, context):
        return self.read_word(context["word"], context)


class WholeNumber(Words):
    name = "whole number"

    def make(self):
        return self.random.choice((
            "1", "16", "1000", "1e3", "2.5e3", "1.5k", "10M", "64Ki", "1Gi", "1e18", "0.5Ki",
            "9223372036854775807", "120e-1", "007")).encode(), {}

    def words(self, context):
        return ["verify", f"-N{context['word']}", "-p", "4", "--json"]

    def read_word(self, word, context):
        value = whole_number(word)
        if not 1 <= value <= LARGEST_INDEX:
            raise Refused("out of range")
        return value

    def compare(self, seen, outcome, context):
        expect(only_row(outcome), elements=seen, ranks=4)


class Counts(Words):
    name = "counts"

    def make(self):
        counts = [self.random.randint(0, 9) for _ in range(self.random.randint(1, 5))]
        counts[0] += 1
        context = {"elements": sum(counts), "ranks": len(counts)}
        return ("counts:" + ":".join(map(str, counts))).encode(), context

    def words(self, context):
        return ["count", "-N", context["elements"], "-p", context["ranks"],
                f"--distribution={context['word']}", "--json"]

    def read_word(self, word, context):
        names = word.split(",")
        if not all(names):
            raise Refused("an empty name")
        return [self.read_name(name, context) for name in names]

    def read_name(self, word, context):
        name, *counts = word.split(":")
        if name in ("lower", "upper", "power2") and not counts:
            return None
        if name != "counts":
            raise Refused("another name")
        counts = [plain_number(count) for count in counts]
        if len(counts) != context["ranks"] or min(counts) < 0 or sum(counts) != context["elements"]:
            raise Refused("other counts")
        return counts

    def compare(self, seen, outcome, context):
        rows = outcome.out.splitlines()
        if len(rows) != len(seen):
            raise Finding(f"{len(rows)} rows for {len(seen)} distributions")
        for row, counts in zip(rows, seen):
            if counts:
                expect(strict_json(row), largest_share=max(counts))


class RankOrder(Words):
    name = "rank order"

    def make(self):
        ranks = self.random.randint(1, 6)
        order = self.random.sample(range(ranks), ranks)
        return ("ranks:" + ":".join(map(str, order))).encode(), {"ranks": ranks}

    def words(self, context):
        return ["count", "-N", 16, "-p", context["ranks"], f"--rank-order={context['word']}",
                "--json"]

    def read_word(self, word, context):
        name, *order = word.split(":")
        if name in ("identity", "reversed") and not order:
            return None
        if name == "random" and len(order) <= 1 and all(0 <= plain_number(seed) for seed in order):
            return None
        order = [plain_number(rank) for rank in order]
        if name != "ranks" or sorted(order) != list(range(context["ranks"])):
            raise Refused("no order of the ranks")
        return order

    def compare(self, seen, outcome, context):
        expect(only_row(outcome), ranks=context["ranks"])


FORMS = (WholeNumber, Counts, RankOrder)
