# SPDX-License-Identifier: MIT

"""Values in JSON files, read by the description of each format."""

import json
import math

LARGEST_INDEX = 2**63 - 1
LARGEST_RANK = 2**31 - 1


class Refused(Exception):
    """The second reader refuses the file."""


class Unclear(Exception):
    """The second reader cannot decide, for the given reason."""


def strict_json(content):
    """Value of standard JSON, without Python's extensions; unique keys, 64 levels, 1000 keys."""

    def fields(pairs):
        keys = [k for k, _ in pairs]
        if len(set(keys)) != len(keys):
            raise Refused("a key is twice in one object")
        if len(keys) > 1000:
            raise Refused("more than 1000 keys")
        return dict(pairs)

    def constant(word):
        raise Refused(f"{word} is no JSON")

    def real(text):
        value = float(text)
        if math.isinf(value):
            raise Refused("a number too large for a float64")
        return value

    def whole(text):
        # A number beyond 64 bits is a float.
        if len(text) > 19 and not -(2**63) <= int(text[:400] or 0) < 2**64:
            return real(text)
        return int(text)

    try:
        text = content.decode("utf-8-sig")
        value = json.loads(
            text, object_pairs_hook=fields, parse_constant=constant, parse_float=real,
            parse_int=whole)
        # JSON can contain half of a surrogate pair, which is not a character.
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeError, ValueError) as failure:
        raise Refused(f"no JSON: {failure}") from None
    except RecursionError:
        raise Refused("nested deeply") from None
    if depth_of(value) > 64:
        raise Refused("nested deeper than 64 levels")
    return value


def depth_of(value):
    depth = 0
    level = [value]
    while level:
        inner = []
        for part in level:
            if isinstance(part, dict):
                inner.extend(part.values())
            elif isinstance(part, list):
                inner.extend(part)
        containers = any(isinstance(part, (dict, list)) for part in level)
        depth += containers
        level = inner
    return depth


def whole(value, least=0, most=LARGEST_INDEX):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Refused(f"an integer from {least} to {most} was expected, not {str(value)[:40]}")
    return value


def number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused("a number was expected")
    return float(value)


def cost(value):
    value = number(value)
    if not value >= 0 or math.isinf(value):
        raise Refused("a finite number of at least 0 was expected")
    return value


def text(value):
    if not isinstance(value, str):
        raise Refused("a string was expected")
    return value


def array(value):
    if not isinstance(value, list):
        raise Refused("an array was expected")
    return value


def fields_of(value, required, optional=()):
    """Returns the object if it has these keys and no others."""
    if not isinstance(value, dict):
        raise Refused("an object was expected")
    for key in required:
        if key not in value:
            raise Refused(f"{key} is missing")
    for key in value:
        if key not in required and key not in optional:
            raise Refused(f"{key[:40]} has no place")
    return value


def header(value, form, latest=1):
    if value["format"] != form or not isinstance(value["format"], str):
        raise Refused("another format")
    if not 1 <= whole(value["version"]) <= latest:
        raise Refused("another version")
