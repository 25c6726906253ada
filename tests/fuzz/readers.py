"""Second readers of files, by NumPy, by Python's JSON, or by a format's description."""

import io
import json
import math
import pathlib
import re
import warnings

import numpy as np

import orders

LARGEST_INDEX = 2**63 - 1
LARGEST_RANK = 2**31 - 1
# A header can be written in many ways and NumPy uses one; Bracket may accept or refuse the others.
OTHER_HEADER = "the header is written in another way than NumPy's"


class Refused(Exception):
    """The second reader refuses the file."""


class Unclear(Exception):
    """The second reader cannot decide, for the given reason."""


def npy_elements(content):
    """Elements read by NumPy, and why Bracket refuses the file; None if Bracket must accept it."""
    stream = io.BytesIO(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            array = np.load(stream, allow_pickle=False, max_header_size=2**33)
        except Exception as failure:
            raise Refused(f"NumPy refuses it: {type(failure).__name__}: {failure}") from None
    if not isinstance(array, np.ndarray):
        raise Refused("NumPy finds an archive")
    stricter = None
    if array.dtype.str not in ("<f8", "<f4"):
        stricter = "float64 and float32 alone are read"
    elif array.ndim != 1:
        stricter = "one dimension alone is read"
    elif array.size < 1:
        stricter = "N is at least 1"
    elif stream.tell() != len(content):
        stricter = "bytes behind the elements are refused"
    elif not canonical_header(content, array):
        stricter = OTHER_HEADER
    return array, stricter


def canonical_header(content, array):
    """True if the header, apart from its spaces, is as NumPy writes it."""
    size, length = (2, 10) if content[6] == 1 else (4, 12)
    end = length + int.from_bytes(content[8 : 8 + size], "little")
    dictionary = content[length:end]
    plain = {"descr": array.dtype.str, "shape": array.shape}
    texts = {
        repr(dict(sorted({**plain, "fortran_order": order}.items()))).encode()
        for order in (True, False)
    }
    tidy = dictionary.rstrip(b" \n").replace(b", }", b"}")
    return tidy in texts


def binpsllh_elements(content):
    if len(content) < 8:
        raise Refused("shorter than its count")
    count = int.from_bytes(content[:8], "little")
    if count < 1 or len(content) != 8 + 8 * count:
        raise Refused("not as many elements as it counts")
    return np.frombuffer(content[8:], dtype="<f8"), None


def f64_elements(content):
    if len(content) % 8 or not content:
        raise Refused("no whole number of elements")
    return np.frombuffer(content, dtype="<f8"), None


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


def permutation(value, ranks):
    order = [whole(rank, 0, LARGEST_RANK) for rank in array(value)]
    if sorted(order) != list(range(ranks)):
        raise Refused("no order of the ranks")
    return order


def distribution(value):
    """Counts by position, and the rank of each position."""
    fields_of(value, ("format", "version", "elements", "ranks", "counts"), ("rank_order",))
    header(value, "bracket-distribution")
    counts = [whole(count) for count in array(value["counts"])]
    if not counts or whole(value["ranks"], 1) != len(counts):
        raise Refused("not so many ranks")
    if whole(value["elements"], 1) != sum(counts):
        raise Refused("not so many elements")
    order = list(range(len(counts)))
    if "rank_order" in value:
        order = permutation(value["rank_order"], len(counts))
    return counts, order


FIGURES = (
    "latency_seconds", "overhead_seconds", "gap_seconds", "gap_seconds_per_byte",
    "overhead_seconds_per_byte", "seconds_per_addition",
)


def machine(value):
    """Figures of a machine, in seconds or seconds per byte."""
    fields_of(
        value, ("format", "version", "name", "source", *FIGURES, "eager_bytes"),
        ("inside_node", "work", "messages", "cold_messages", "cache_bytes", "operations", "kernels", "residuals", "rounds", "environment"))
    header(value, "bracket-machine", 2)
    text(value["name"])
    text(value["source"])
    figures = {key: cost(value[key]) for key in FIGURES}
    if value["eager_bytes"] is not None and not number(value["eager_bytes"]) >= 0:
        raise Refused("eager bytes below 0")
    if "inside_node" in value:
        inside = fields_of(value["inside_node"], FIGURES[:4], ("messages", "cold_messages"))
        for key in FIGURES[:4]:
            cost(inside[key])
        messages(inside.get("messages", []))
        messages(inside.get("cold_messages", []))
    messages(value.get("cold_messages", []))
    if not number(value.get("cache_bytes", 0)) >= 0:
        raise Refused("caches below 0")
    array(value.get("kernels", []))
    if value["version"] == 1:
        array(value.get("messages", []))
    else:
        messages(value.get("messages", []))
    for key in ("residuals", "rounds", "environment"):
        if not isinstance(value.get(key, {}), dict):
            raise Refused("an object was expected")
    if "work" in value:
        work(value["work"])
    for times in array(value.get("operations", [])):
        operation(times)
    return figures


TIMES = (
    "send_overhead_seconds", "receive_overhead_seconds", "round_trip_seconds", "gap_seconds",
)


def messages(value):
    size = 0
    for row in array(value):
        fields_of(row, ("bytes", *TIMES))
        if whole(row["bytes"], 1) <= size:
            raise Refused("messages that do not grow")
        size = row["bytes"]
        for key in TIMES:
            if not cost(row[key]) > 0:
                raise Refused("a message that takes no time")


def times_grow(value):
    """Largest number of elements; 0 without a row."""
    elements, seconds = 0, 0.0
    for time in array(value):
        fields_of(time, ("elements", "seconds"))
        if whole(time["elements"], 1) <= elements or cost(time["seconds"]) < seconds:
            raise Refused("times that do not grow")
        elements, seconds = time["elements"], float(time["seconds"])
    return elements


def work(value):
    fields_of(value, ("start_seconds", "seconds_per_join", "folds"),
              ("start_alone_seconds", "start_reduce_seconds", "first_cache", "folds_together",
               "copies", "joins"))
    cost(value["start_seconds"])
    cost(value.get("start_alone_seconds", 0))
    cost(value.get("start_reduce_seconds", 0))
    if "first_cache" in value:
        fields_of(value["first_cache"], ("elements", "more_start_seconds"))
        whole(value["first_cache"]["elements"], 1)
        cost(value["first_cache"]["more_start_seconds"])
    operation_times(value)


FLOATS = ("float32", "float64", "complex64", "complex128")
INTEGERS = ("int32", "int64", "uint32", "uint64")
EXTREMES = ("minimum", "maximum")
OPERATORS = ("sum", "product", *EXTREMES, "minimum-location", "maximum-location", "digest")
FLAGS = ("widened", "checked", "products")


def operation(value):
    """Times of an operation, which has its words in any sequence."""
    fields_of(value, ("operation", "seconds_per_join", "folds"),
              ("folds_together", "copies", "joins"))
    op, kind, arithmetic, flags = "sum", "float64", "", set()
    for word in text(value["operation"]).split("/"):
        if word in OPERATORS:
            op = word
        elif word in FLOATS + INTEGERS:
            kind = word
        elif word in FLAGS:
            flags.add(word)
        elif word in ("binned", "double-double") or re.fullmatch("binned:[1-8]", word):
            arithmetic = word.split(":")[0]
        elif re.fullmatch("[a-z-]*", word):
            raise Refused("no word of an operation")
        else:
            raise Unclear("parameters have a grammar of their own")
    if arithmetic and (kind in INTEGERS or op != "sum" and (op not in EXTREMES or arithmetic != "binned")):
        raise Refused("sums of floats only")
    if kind.startswith("complex") and op not in ("sum", "product", "digest"):
        raise Refused("complex numbers have no order")
    if "widened" in flags and (kind not in ("float32", "complex64") or op == "digest"):
        raise Refused("not to be widened")
    if "checked" in flags and kind not in INTEGERS:
        raise Refused("checked floats")
    operation_times(value)


def operation_times(value):
    cost(value["seconds_per_join"])
    if not times_grow(value["folds"]):
        raise Refused("no measured fold")
    before = 1
    for together in array(value.get("folds_together", [])):
        fields_of(together, ("ranks", "folds"))
        if whole(together["ranks"], 2) <= before:
            raise Refused("ranks that do not grow")
        before = together["ranks"]
        if not times_grow(together["folds"]):
            raise Refused("no measured fold")
    times_grow(value.get("copies", []))
    times_grow(value.get("joins", []))


def machine_is_measured(value):
    return "work" in value


# The program has a table of these. A test of `bracket list` compares the file with it.
OBJECTIVES = json.loads(pathlib.Path(__file__).with_name("objectives.json").read_text())
NAMES = {
    "order": orders.names(4),
    "plan": ("direct", "buffered", "aggregated", "aggregated:3"),
    "distribution": ("upper", "lower", "power2"),
}


def known_name(kind, value):
    """One of a few known names. Other names have a grammar of their own and are unclear."""
    if text(value) not in NAMES[kind]:
        raise Unclear(f"the {kind} is another name")
    return value


def plan_file(value):
    """Returns the object if it matches the description."""
    fields_of(value, (
        "format", "version", "made_by", "objective", "ranks", "collective", "root", "items",
        "machine", "budget", "seed", "plans"))
    header(value, "bracket-plan")
    text(value["made_by"])
    text(value["objective"])
    ranks = whole(value["ranks"], 1, LARGEST_RANK)
    whole(value["root"], 0, ranks - 1)
    whole(value["items"], 1)
    whole(value["budget"])
    whole(value["seed"])
    if text(value["collective"]) not in ("reduce", "all-reduce", "reduce-scatter"):
        raise Refused("no collective")
    machine(value["machine"])
    last = 0
    for plan in array(value["plans"]):
        fields_of(plan, ("elements", "order", "order_version", "plan", "distribution", "predicted"))
        first = whole(plan["elements"][0], 1) if len(array(plan["elements"])) == 2 else 0
        if first <= last or whole(plan["elements"][1], first) * value["items"] > LARGEST_INDEX:
            raise Refused("numbers of elements that do not ascend, or too many")
        last = plan["elements"][1]
        whole(plan["order_version"], 1, LARGEST_RANK)
        if isinstance(plan["distribution"], dict):
            counts, _ = distribution(plan["distribution"])
            if first != last or (sum(counts), len(counts)) != (first, ranks):
                raise Refused("counts of other elements or ranks")
        for name in ("order", "plan", "distribution"):
            if name != "distribution" or not isinstance(plan[name], dict):
                text(plan[name])
        if not isinstance(plan["predicted"], dict):
            raise Refused("an object was expected")
        for name, seconds in plan["predicted"].items():
            if name not in OBJECTIVES:
                raise Refused("no objective")
            cost(seconds)
        if value["objective"] not in plan["predicted"]:
            raise Refused("what was minimised is missing")
    if not last:
        raise Refused("no plan")
    for plan in value["plans"]:
        for name in ("order", "plan", "distribution"):
            if not isinstance(plan[name], dict):
                known_name(name, plan[name])
    return value
