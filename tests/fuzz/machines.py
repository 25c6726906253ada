# SPDX-License-Identifier: MIT

"""Machine files."""

import re

from json_values import (
    Refused, Unclear, array, cost, fields_of, header, number, text, whole)

FIGURES = (
    "latency_seconds", "overhead_seconds", "gap_seconds", "gap_seconds_per_byte",
    "overhead_seconds_per_byte", "seconds_per_addition",
)


TABLES = ("messages", "cold_messages", "library_messages")


def machine(value):
    """Figures of a machine, in seconds or seconds per byte."""
    fields_of(
        value, ("format", "version", "name", "source", *FIGURES, "eager_bytes"),
        ("inside_node", "work", *TABLES, "cache_bytes", "operations", "kernels", "residuals",
         "rounds", "environment"))
    header(value, "bracket-machine", 2)
    text(value["name"])
    text(value["source"])
    figures = {key: cost(value[key]) for key in FIGURES}
    if value["eager_bytes"] is not None and not number(value["eager_bytes"]) >= 0:
        raise Refused("eager bytes below 0")
    if "inside_node" in value:
        inside = fields_of(value["inside_node"], FIGURES[:4], TABLES)
        for key in FIGURES[:4]:
            cost(inside[key])
        tables(inside)
    if not number(value.get("cache_bytes", 0)) >= 0:
        raise Refused("caches below 0")
    array(value.get("kernels", []))
    if value["version"] == 1:
        array(value.get("messages", []))
        tables({**value, "messages": []})
    else:
        tables(value)
    for key in ("residuals", "rounds", "environment"):
        if not isinstance(value.get(key, {}), dict):
            raise Refused("an object was expected")
    if "work" in value:
        work(value["work"])
    operations = [operation(times) for times in array(value.get("operations", []))]
    if operations and "work" not in value:
        raise Refused("operations beside no sum")
    if len({SUM, *operations}) != len(operations) + 1:
        raise Refused("an operation twice")
    return figures


TIMES = (
    "send_overhead_seconds", "receive_overhead_seconds", "round_trip_seconds", "gap_seconds",
)


def tables(value):
    for key in TABLES:
        messages(value.get(key, []))
    if value.get("library_messages") and not value.get("messages"):
        raise Refused("messages of the library beside no others")


def messages(value):
    size = 0
    for row in array(value):
        fields_of(row, ("bytes", *TIMES), ("exchange_seconds",))
        if whole(row["bytes"], 1) <= size:
            raise Refused("messages that do not grow")
        size = row["bytes"]
        for key in (*TIMES, *row.keys() & {"exchange_seconds"}):
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
              ("start_alone_seconds", "start_reduce_seconds", "start_in_program_seconds",
               "start_library_seconds", "seconds_per_receive", "first_cache", "folds_together",
               "copies", "joins",
               "vector_folds", "partial_folds", "complete_folds", "wakes", "seconds_per_result",
               "more_start_seconds"))
    cost(value["start_seconds"])
    cost(value.get("start_alone_seconds", 0))
    cost(value.get("start_reduce_seconds", 0))
    cost(value.get("start_library_seconds", 0))
    cost(value.get("seconds_per_receive", 0))
    if "first_cache" in value:
        fields_of(value["first_cache"], ("elements", "more_start_seconds"))
        whole(value["first_cache"]["elements"], 1)
        cost(value["first_cache"]["more_start_seconds"])
    threads = 1
    for wake in array(value.get("wakes", [])):
        fields_of(wake, ("threads", "seconds"))
        if whole(wake["threads"], 2) <= threads:
            raise Refused("threads that do not grow")
        threads = wake["threads"]
        cost(wake["seconds"])
    operation_times(value)


FLOATS = ("float32", "float64", "complex64", "complex128")
INTEGERS = ("int32", "int64", "uint32", "uint64")
EXTREMES = ("minimum", "maximum")
OPERATORS = ("sum", "product", *EXTREMES, "minimum-location", "maximum-location", "digest")
FLAGS = ("widened", "checked", "products")
BASELINES = ("irreproducible", "accumulate")
SUM = ("", "sum", "float64", frozenset())


def operation(value):
    """Returns an operation with times."""
    fields_of(value, ("operation", "seconds_per_join", "folds"),
              ("folds_together", "copies", "joins", "vector_folds", "partial_folds",
               "complete_folds", "seconds_per_result", "more_start_seconds",
               "start_in_program_seconds"))
    operation_times(value)
    return operation_of(value["operation"])


def operation_of(written):
    """Returns an operation; its words are in any sequence."""
    op, kind, arithmetic, flags = "sum", "float64", "", set()
    words = text(written).split("/")
    for word in words:
        if word in OPERATORS:
            op = word
        elif word in FLOATS + INTEGERS:
            kind = word
        elif word in FLAGS:
            flags.add(word)
        elif word in ("binned", "binned-exact", "double-double", "stochastic") or re.fullmatch(
                "binned(-exact)?:[1-8]", word):
            arithmetic = word + ":3" if word in ("binned", "binned-exact") else word
        elif word in BASELINES:
            arithmetic = word
        elif re.fullmatch("[a-z-]*", word):
            raise Refused("no word of an operation")
        else:
            raise Unclear("parameters have a grammar of their own")
    kinds = [OPERATORS, FLOATS + INTEGERS, *((flag,) for flag in FLAGS)]
    if any(sum(word in kind_of for word in words) > 1 for kind_of in kinds) or sum(
            word.startswith(("binned", "double-double", "stochastic", *BASELINES)) for word in words) > 1:
        raise Refused("two words of a kind")
    if arithmetic in BASELINES and (op, kind, flags - {"products"}) != ("sum", "float64", set()):
        raise Refused("baselines are sums of float64 or of their products")
    if arithmetic and (kind in INTEGERS or op != "sum" and (
            op not in EXTREMES or arithmetic in ("double-double", "stochastic"))):
        raise Refused("sums of floats only")
    if kind.startswith("complex") and op not in ("sum", "product", "digest"):
        raise Refused("complex numbers have no order")
    if "widened" in flags and (kind not in ("float32", "complex64") or op == "digest"):
        raise Refused("not to be widened")
    if "checked" in flags and kind not in INTEGERS:
        raise Refused("checked floats")
    if {"checked", "products"} <= flags and op not in ("sum", *EXTREMES, "digest"):
        raise Refused("no products of checked integers")
    return arithmetic if op == "sum" else "", op, kind, frozenset(flags)


def computes(value, wanted):
    """Whether a machine can tell the times of an operation."""
    known = [operation(times) for times in value.get("operations", [])]
    return "work" not in value or wanted in (SUM, *known)


def operation_times(value):
    cost(value["seconds_per_join"])
    cost(value.get("seconds_per_result", 0))
    cost(value.get("more_start_seconds", 0))
    cost(value.get("start_in_program_seconds", 0))
    if not times_grow(value["folds"]):
        raise Refused("no measured fold")
    before = 1
    for together in array(value.get("folds_together", [])):
        fields_of(together, ("ranks", "folds"), ("vector_folds",))
        if whole(together["ranks"], 2) <= before:
            raise Refused("ranks that do not grow")
        before = together["ranks"]
        if not times_grow(together["folds"]):
            raise Refused("no measured fold")
        if times_grow(together.get("vector_folds", [])) and not value.get("vector_folds"):
            raise Refused("vectors on several ranks alone")
    times_grow(value.get("copies", []))
    times_grow(value.get("joins", []))
    times_grow(value.get("vector_folds", []))
    times_grow(value.get("partial_folds", []))
    times_grow(value.get("complete_folds", []))


def machine_is_measured(value):
    return "work" in value


# The program has a table of these. A test of `bracket list` compares the file with it.
