# SPDX-License-Identifier: MIT

"""Mutants of bytes, of texts and of JSON values."""

import copy
import json

EXTREMES = [
    "0", "-0", "1", "-1", "2", "255", "256", "1000", "1001", "2147483647", "2147483648",
    "-2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551615", "18446744073709551616", "1" + "0" * 40, "9" * 400, "0.0", "-0.0",
    "1.0", "0.5", "1e0", "1e-9", "1e308", "1e309", "-1e400", "5e-324", "1e-400", "1e999999999",
    "NaN", "nan", "Infinity", "-Infinity", "inf", "01", "+1", ".5", "1.", "0x10", "1_000", "",
    "true", "false", "null", '""', '"1"', "[]", "{}", "[1]", "1L", "1,2", "1 2",
]

WORDS = [
    b"\x00", b"\x1b[31m", b"\r", b"\n", b"\x7f", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3\x28",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", "é".encode(), "…".encode(), b"\\u0000",
    b"\\ud800", b"\\u001b", b"%s%n", b"../../", b"'", b'"', b"\\", b"{", b"}", b"[", b"]", b",",
    b":", b" ", b"\t", b"//", b"/**/", b"#", b"nan", b"inf", b"True", b"(", b")", b"\xe2\x80\xa8",
]


def bytes_mutant(random, content, others=()):
    """Bytes with one to three changes, most often one."""
    content = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        size = len(content)
        at = random.randrange(size + 1)
        end = min(size, at + random.choice((1, 1, 2, 4, 8, random.randrange(size + 1))))
        kind = random.randrange(10)
        if kind == 0 and at < size:
            content[at] ^= 1 << random.randrange(8)
        elif kind == 1 and at < size:
            content[at] = random.choice((0, 0xFF, 0x7F, 0x80, random.randrange(256)))
        elif kind == 2:
            del content[at:]
        elif kind == 3:
            del content[at:end]
        elif kind == 4:
            content[at:at] = random.choice(WORDS)
        elif kind == 5:
            content[at:at] = content[at:end]
        elif kind == 6:
            content += random.choice(WORDS) * random.choice((1, 1, 8, 1000))
        elif kind == 7:
            content[at:end] = random.randbytes(end - at)
        elif kind == 8:
            content[:0] = random.choice(WORDS)
        elif others:
            other = random.choice(others)
            content[at:end] = other[random.randrange(len(other) + 1) :][:64]
    return bytes(content)


def number_mutant(random, content):
    """Text with one of its numbers replaced by an extreme."""
    import re

    found = list(re.finditer(rb"-?\d[\d.]*(?:[eE][-+]?\d+)?", content))
    if not found:
        return content
    number = random.choice(found)
    new = random.choice(EXTREMES).encode()
    return content[: number.start()] + new + content[number.end() :]


class Raw:
    """A text that is written into JSON unchanged."""

    def __init__(self, text):
        self.text = text


def dumped(value):
    """JSON text of a value with `Raw` parts, and with `Pairs` in place of objects."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(k)}:{dumped(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumped, value)) + "]"
    return json.dumps(value)


class Pairs(list):
    """An object as a list of keys and values, so that a key may occur twice."""


def paired(value):
    if isinstance(value, dict):
        return Pairs([k, paired(v)] for k, v in value.items())
    if isinstance(value, list):
        return [paired(v) for v in value]
    return value


def places(value, found=None):
    """Containers in a value, each with a position in it."""
    found = [] if found is None else found
    if isinstance(value, Pairs):
        for pair in value:
            found.append((pair, 1))
            places(pair[1], found)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            found.append((value, i))
            places(part, found)
    return found


def objects(value):
    found = [value] if isinstance(value, Pairs) else []
    for container, i in places(value):
        if isinstance(container[i], Pairs):
            found.append(container[i])
    return found


def deep(random):
    depth = random.choice((3, 63, 64, 65, 100, 5000))
    left, right = random.choice((("[", "]"), ('{"a":', "}")))
    return Raw(left * depth + "1" + right * depth)


def json_mutant(random, value):
    """JSON text of a value with one to three changes of its structure."""
    value = paired(copy.deepcopy(value))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = places(value)
        if not at:
            break
        container, i = random.choice(at)
        kind = random.randrange(11)
        if kind <= 2:
            container[i] = Raw(random.choice(EXTREMES) or "0")
        elif kind == 3:
            container[i] = deep(random)
        elif kind == 4:
            other, k = random.choice(at)
            container[i] = copy.deepcopy(other[k])
        elif kind == 5 and isinstance(container[i], int) and not isinstance(container[i], bool):
            container[i] += random.choice((-1, 1, 2, -2, 2**31, 2**32, 2**63))
        elif kind == 6 and isinstance(container[i], str):
            text = container[i]
            cut = random.randrange(len(text) + 1)
            container[i] = random.choice(
                (text[:cut], text[:cut] + random.choice((":", ":0", ":-1", ":1e9", "\x1b[2J", "\0",
                 "\n", "é", " ", "," * 3, "x" * 3000, ":18446744073709551616")) + text[cut:],
                 text.upper(), ""))
        elif kind == 7 and isinstance(container[i], list) and container[i]:
            inner = container[i]
            k = random.randrange(len(inner))
            change = random.randrange(3)
            if change == 0:
                del inner[k]
            elif change == 1:
                inner.insert(k, copy.deepcopy(inner[k]))
            else:
                random.shuffle(inner)
        else:
            fields = random.choice(objects(value) or [None])
            if not fields:
                continue
            k = random.randrange(len(fields))
            change = random.randrange(4)
            if change == 0:
                del fields[k]
            elif change == 1:
                fields.insert(random.randrange(len(fields) + 1), copy.deepcopy(fields[k]))
            elif change == 2:
                fields[k][0] = random.choice(
                    (fields[k][0].upper(), fields[k][0] + "s", "", "\x1b[1m", "x" * 5000, "é"))
            else:
                fields.append([random.choice(("extra", "version", "digest", "items")), 1])
    return dumped(value).encode()


def same_json(random, value):
    """Another JSON text of the same value: keys in another order, spaces, escapes."""
    def write(part):
        space = lambda: random.choice(("", "", " ", "\n", "\t", "\r\n  "))
        if isinstance(part, dict):
            fields = list(part.items())
            random.shuffle(fields)
            inner = ",".join(
                f"{space()}{word(k)}{space()}:{space()}{write(v)}{space()}" for k, v in fields)
            return "{" + (inner or space()) + "}"
        if isinstance(part, list):
            return "[" + (",".join(space() + write(v) + space() for v in part) or space()) + "]"
        return word(part) if isinstance(part, str) else json.dumps(part)

    def word(text):
        return '"' + "".join(
            f"\\u{ord(c):04x}" if random.random() < 0.1 and ord(c) < 0xD800
            else json.dumps(c, ensure_ascii=random.random() < 0.5)[1:-1]
            for c in text) + '"'

    return (write(value) + random.choice(("", "\n", "  "))).encode()
