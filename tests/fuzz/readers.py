# SPDX-License-Identifier: MIT

"""Second readers of files, by NumPy, by Python's JSON, or by a format's description."""

import io
import json
import pathlib
import warnings

import numpy as np

import orders
from json_values import (
    LARGEST_INDEX, LARGEST_RANK, Refused, Unclear, array, cost, fields_of, header, number,
    strict_json, text, whole)
from machines import (
    BASELINES, FIGURES, INTEGERS, TABLES, TIMES, computes, machine, machine_is_measured,
    operation_of)

# Bracket takes no more fields in one reduction.
LARGEST_FIELDS = 100_000

# A header can be written in many ways and NumPy uses one; Bracket may accept or refuse the others.
OTHER_HEADER = "the header is written in another way than NumPy's"


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


def order_file(value):
    """The written form of an explicit order, and the rank of each operand."""
    fields_of(value, ("format", "version", "order", "order_version", "ranks"))
    header(value, "bracket-order")
    ranks = [whole(rank, 0, LARGEST_RANK) for rank in array(value["ranks"])]
    if not ranks or sorted(ranks) != list(range(len(ranks))):
        raise Refused("no permutation of ranks")
    try:
        parents = orders.explicit_parents(text(value["order"]))
    except ValueError as failure:
        raise Refused(str(failure)) from None
    if len(parents) + 1 != len(ranks):
        raise Refused("another number of ranks")
    whole(value["order_version"], 1, 1)
    return ":".join(["explicit", *map(str, parents)]), ranks


def items_of(value):
    """Key, number and kind of the items: vectors' items, or fields in their place."""
    key = "fields" if "fields" in value else "items"
    count = whole(value[key], 1, LARGEST_FIELDS if key == "fields" else LARGEST_INDEX)
    return ("fields", count) if key == "fields" and count > 1 else ("items", count)


def plan_file(value):
    """Returns the object if it matches the description."""
    fields_of(value, (
        "format", "version", "made_by", "objective", "ranks", "collective", "root",
        "fields" if "fields" in value else "items", "machine", "budget", "seed", "plans"), ("operation",))
    header(value, "bracket-plan")
    text(value["made_by"])
    text(value["objective"])
    ranks = whole(value["ranks"], 1, LARGEST_RANK)
    whole(value["root"], 0, ranks - 1)
    key, items = items_of(value)
    if key == "fields" and value["collective"] == "reduce-scatter":
        raise Refused("a reduce-scatter of fields")
    whole(value["budget"])
    whole(value["seed"])
    if text(value["collective"]) not in ("reduce", "all-reduce", "reduce-scatter"):
        raise Refused("no collective")
    machine(value["machine"])
    last = 0
    for plan in array(value["plans"]):
        fields_of(plan, ("elements", "order", "order_version", "plan", "distribution", "predicted"))
        first = whole(plan["elements"][0], 1) if len(array(plan["elements"])) == 2 else 0
        if first <= last or whole(plan["elements"][1], first) * items > LARGEST_INDEX:
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
    if "operation" in value:
        plans_of_operation(value)
    for plan in value["plans"]:
        for name in ("order", "plan", "distribution"):
            if not isinstance(plan[name], dict) and plan[name] != "associative":
                known_name(name, plan[name])
        if plan["order"] == "associative":
            if "operation" not in value:
                raise Unclear("no order")
            if plan["plan"] in ("direct", "buffered"):
                raise Refused("a plan that needs an order")
    return value


def plans_of_operation(value):
    """Refuses plans in another order than that of the operation."""
    wanted = operation_of(value["operation"])
    arithmetic, op, kind, flags = wanted
    if arithmetic in BASELINES:
        raise Refused("baselines have no plan")
    if "products" in flags or not computes(value["machine"], wanted):
        raise Refused("no times, or elements of two arrays")
    free = kind in INTEGERS or op not in ("sum", "product")
    for plan in value["plans"]:
        order = plan["order"]
        if arithmetic and order != ("associative" if arithmetic.startswith("binned") else "tree"):
            raise Refused("another order")
        if not arithmetic and order == "associative" and not free:
            raise Refused("no order")
