# SPDX-License-Identifier: MIT

"""Reads a schedule and verifies it by its description, for one item and element range at a time.

A rank's values are stored only for the ranges between neighbouring ends, so sizes do not matter.
"""

from collections import deque

import orders
from readers import (LARGEST_INDEX, LARGEST_RANK, Refused, Unclear, array, fields_of, header,
                     items_of, permutation, text, whole)

KINDS = ("fold", "join", "send", "recv")
COLLECTIVES = ("reduce", "all-reduce", "reduce-scatter")


class Schedule:
    def __init__(self, value):
        fields_of(value, (
            "format", "version", "order", "order_version", "plan", "elements", "ranks",
            "boundaries", "collective", "root", "fields" if "fields" in value else "items",
            "parts"), ("rank_order", "digest"))
        header(value, "bracket-schedule")
        self.order = text(value["order"])
        self.order_version = whole(value["order_version"], 0, LARGEST_RANK)
        text(value["plan"])
        text(value.get("digest", ""))
        bounds = [whole(boundary) for boundary in array(value["boundaries"])]
        if len(bounds) < 2 or bounds[0] != 0 or bounds != sorted(bounds) or bounds[-1] < 1:
            raise Refused("no boundaries")
        self.elements = bounds[-1]
        self.ranks = len(bounds) - 1
        if whole(value["elements"], 1) != self.elements or whole(value["ranks"], 1) != self.ranks:
            raise Refused("other boundaries than elements and ranks")
        places = list(range(self.ranks))
        if "rank_order" in value:
            places = permutation(value["rank_order"], self.ranks)
        self.own = [None] * self.ranks
        for k, rank in enumerate(places):
            self.own[rank] = (bounds[k], bounds[k + 1])
        self.key, self.items = items_of(value)
        if self.items * self.elements > LARGEST_INDEX:
            raise Refused("more numbers than can be counted")
        if text(value["collective"]) not in COLLECTIVES:
            raise Refused("no collective")
        self.collective = value["collective"]
        if self.key == "fields" and self.collective == "reduce-scatter":
            raise Refused("a reduce-scatter of fields")
        self.root = whole(value["root"], 0, LARGEST_RANK)
        self.parts = [[self.step(step) for step in array(part)] for part in array(value["parts"])]

    def step(self, value):
        if not isinstance(value, dict):
            raise Refused("a step is an object")
        # The first of the four keys in the step is its kind; the others are then refused.
        kind = next((kind for kind in KINDS if kind in value), None)
        if kind is None:
            raise Refused("no step")
        if kind in ("send", "recv"):
            fields_of(value, (kind, "partials"))
            partials = [self.partial(part) for part in array(value["partials"])]
            numbers = sum(self.numbers(partial) for partial in partials)
            if numbers > LARGEST_INDEX:
                raise Refused("a message of more numbers than can be counted")
            return kind, whole(value[kind], 0, LARGEST_RANK), partials
        fields_of(value, (kind,))
        if kind == "fold":
            return kind, None, [self.partial(value["fold"])]
        partials = [self.partial(part) for part in array(value["join"])]
        if len(partials) != 2:
            raise Refused("a join has two operands")
        return kind, None, partials

    def partial(self, value):
        """Range, True if it is a run, and items."""
        run, items = False, (0, self.items)
        if isinstance(value, dict):
            run = "run" in value
            fields_of(value, ("run" if run else "value",), (self.key,))
            if self.key in value:
                items = self.range(value[self.key])
                if not 0 <= items[0] < items[1] <= self.items:
                    raise Refused("items that are none")
            value = value["run"] if run else value["value"]
        begin, end = self.range(value)
        if run and end - begin < 2:
            raise Refused("a run of fewer than two elements")
        return (begin, end), run, items

    @staticmethod
    def range(value):
        if len(array(value)) != 2:
            raise Refused("no range")
        return whole(value[0]), whole(value[1])

    @staticmethod
    def numbers(partial):
        (begin, end), run, items = partial
        return (end - begin if run else 1) * (items[1] - items[0])

    def wanted(self, rank):
        """Items of the result that the rank ends with."""
        if self.collective == "reduce":
            return (0, self.items if rank == self.root else 0)
        if self.collective == "all-reduce":
            return (0, self.items)
        share, rest = divmod(self.items, self.ranks)
        begin = rank * share + min(rank, rest)
        return (begin, begin + share + (rank < rest))


class Pieces:
    """A line that is cut at both ends of each range that matters."""

    def __init__(self, ends):
        self.cuts = sorted(set(ends))
        self.position = {cut: i for i, cut in enumerate(self.cuts)}

    def of(self, begin, end):
        return range(self.position[begin], self.position[end])


def verify(value):
    """Returns the schedule; raises `Refused` with the reason if it is wrong."""
    schedule = Schedule(value)
    if len(schedule.parts) != schedule.ranks:
        raise Refused("not a part for each rank")
    if schedule.root >= schedule.ranks:
        raise Refused("the root does not exist")
    order = order_of(schedule)
    if schedule.order_version != 1:
        raise Refused("another version of the order")
    run(schedule, order)
    return schedule


def order_of(schedule):
    try:
        fixed = orders.is_fixed(schedule.order)
    except ValueError as reason:
        raise Refused(str(reason)) from None
    if schedule.elements > orders.LARGEST and fixed:
        raise Unclear("so many elements are not looked at")
    return orders.Order(schedule.order, schedule.elements)


class Rank:
    def __init__(self, schedule, rank, elements, items):
        self.elements = elements
        self.items = items
        self.values = set()  # range and piece of the items
        self.at_hand = set()  # pieces of the elements and of the items
        self.next = 0
        self.take_elements(schedule.own[rank], (0, schedule.items))

    def take_elements(self, range_, items):
        for x in self.elements.of(*range_):
            self.at_hand.update((x, item) for item in self.items.of(*items))

    def take(self, partial):
        range_, run, items = partial
        if not run:
            self.values.update((range_, item) for item in self.items.of(*items))
        if run or range_[1] - range_[0] == 1:
            self.take_elements(range_, items)

    def has_elements(self, range_, items):
        return all((x, item) in self.at_hand
                   for x in self.elements.of(*range_) for item in self.items.of(*items))

    def has(self, partial):
        range_, run, items = partial
        if run:
            return self.has_elements(range_, items)
        return all((range_, item) in self.values for item in self.items.of(*items))

    def make(self, range_, items):
        """Makes a value. Raises `Refused` if the rank has already made or received it."""
        if any((range_, item) in self.values for item in self.items.of(*items)):
            raise Refused(f"makes {range_} a second time")
        self.take((range_, False, items))


def run(schedule, order):
    """Runs all ranks until no rank can continue."""
    partials = [partial for part in schedule.parts for _, _, step in part for partial in step]
    for range_, _, _ in partials:
        if not 0 <= range_[0] < range_[1] <= schedule.elements:
            # No rank holds such elements, and no bracket has such a range.
            raise Refused(f"a partial of {range_}")
    elements = Pieces([end for range_, _, _ in partials for end in range_]
                      + [end for own in schedule.own for end in own] + [0, schedule.elements])
    items = Pieces([end for _, _, segment in partials for end in segment]
                   + [end for rank in range(schedule.ranks) for end in schedule.wanted(rank)]
                   + [0, schedule.items])
    ranks = [Rank(schedule, rank, elements, items) for rank in range(schedule.ranks)]
    channels = {}
    moved = True
    while moved:
        moved = False
        for rank, state in enumerate(ranks):
            part = schedule.parts[rank]
            while state.next < len(part) and step(schedule, order, channels, rank, state):
                state.next += 1
                moved = True
    for rank, state in enumerate(ranks):
        if state.next < len(schedule.parts[rank]):
            raise Refused(f"rank {rank} waits forever")
    if any(channels.values()):
        raise Refused("a message is never received")
    for rank, state in enumerate(ranks):
        wanted = schedule.wanted(rank)
        if wanted[0] < wanted[1] and not state.has(((0, schedule.elements), False, wanted)):
            raise Refused(f"rank {rank} ends without the result")


def ends_if_sends_block(schedule):
    """True if all ranks of a right schedule end when each send waits until it is received."""
    at = [0] * schedule.ranks

    def now(rank):
        part = schedule.parts[rank]
        return part[at[rank]][:2] if at[rank] < len(part) else (None, None)

    moved = True
    while moved:
        moved = False
        for rank in range(schedule.ranks):
            kind, peer = now(rank)
            while kind in ("fold", "join") or kind == "send" and now(peer) == ("recv", rank):
                at[rank] += 1
                if kind == "send":
                    at[peer] += 1
                moved = True
                kind, peer = now(rank)
    return all(now(rank)[0] is None for rank in range(schedule.ranks))


def step(schedule, order, channels, rank, state):
    """Does a rank's next step; returns False if the step waits."""
    kind, peer, partials = schedule.parts[rank][state.next]
    if kind == "fold":
        range_, is_run, items = partials[0]
        if is_run or not order.is_bracket(*range_) or not state.has_elements(range_, items):
            raise Refused(f"rank {rank}: fold of {range_}")
        state.make(range_, items)
        return True
    if kind == "join":
        (left, left_run, items), (right, right_run, others) = partials
        if not state.has(partials[0]) or not state.has(partials[1]) or items != others or left_run:
            raise Refused(f"rank {rank}: join of what is not there")
        if not (order.goes_on(left, right) if right_run else order.joins(left, right)):
            raise Refused(f"rank {rank}: join of {left} and {right}")
        state.make((left[0], right[1]), items)
        return True
    if peer >= schedule.ranks or peer == rank:
        raise Refused(f"rank {rank}: a message to or from {peer}")
    if kind == "send":
        if not partials or not all(map(state.has, partials)):
            raise Refused(f"rank {rank}: send of what is not there")
        channels.setdefault((rank, peer), deque()).append(partials)
        return True
    waiting = channels.get((peer, rank))
    if not waiting:
        return False
    if waiting.popleft() != partials:
        raise Refused(f"rank {rank}: other partials than rank {peer} sends")
    for partial in partials:
        state.take(partial)
    return True
