# SPDX-License-Identifier: MIT

"""Random schedules that are right, made without the project's plans.

First, random tasks that depend on each other decide which rank makes which value, and from what.
Then the ranks run the tasks in a random sequence that the dependencies allow, with messages bundled
at random.
"""

import json
import sys

import orders


class Construction:
    def __init__(self, random, largest=None):
        self.random = random
        self.ranks = random.randint(1, 9)
        self.elements = random.choice((
            1, random.randint(1, 4), random.randint(1, 20), random.randint(1, largest or 300)))
        self.items = random.choice((1, 1, 1, 2, 3, 8))
        self.name = orders.some(random, (1, 2, 3, 5, 16, 1000), fixed=False)
        self.order = orders.Order(self.name, self.elements)
        self.collective = random.choice(("reduce", "all-reduce", "reduce-scatter"))
        fields = self.items > 1 and self.collective != "reduce-scatter" and random.random() < 0.5
        self.items_key = "fields" if fields else "items"
        self.root = random.randrange(self.ranks)
        self.draw_distribution()
        self.draw_segments()
        # Probabilities of a fold in place of two halves, of collected elements, of help by other
        # ranks, and of bundled messages.
        self.folds = random.choice((0.1, 0.5, 0.95))
        self.gathers = random.choice((0.0, 0.2, 0.7))
        self.helps = random.choice((0.0, 0.1, 0.4))
        self.bundles = random.choice((0.0, 0.5, 0.95))
        self.tasks = []  # kind, rank, peer, partial, tasks that come before
        self.have = {}  # rank, range, segment: the task after which the rank has the value
        self.busy = set()  # rank, range, segment: the value is being made

    def draw_distribution(self):
        random, n, p = self.random, self.elements, self.ranks
        cuts = [random.randint(0, n) for _ in range(p - 1)]
        if random.random() < 0.3:
            cuts = [random.choice((0, n, n // 2)) for _ in range(p - 1)]
        self.boundaries = [0, *sorted(cuts), n]
        self.places = list(range(p))
        if random.random() < 0.4:
            random.shuffle(self.places)
        self.own = [None] * p
        for k, rank in enumerate(self.places):
            self.own[rank] = (self.boundaries[k], self.boundaries[k + 1])

    def draw_segments(self):
        """Draws the segments of the items that are reduced separately."""
        cuts = {0, self.items}
        if self.random.random() < 0.6:
            cuts.update(self.random.randint(0, self.items) for _ in range(2))
        if self.collective == "reduce-scatter":
            for rank in range(self.ranks):
                cuts.update(self.wanted(rank))
        cuts = sorted(cuts)
        self.segments = list(zip(cuts, cuts[1:]))

    def wanted(self, rank):
        if self.collective == "reduce":
            return (0, self.items if rank == self.root else 0)
        if self.collective == "all-reduce":
            return (0, self.items)
        share, rest = divmod(self.items, self.ranks)
        begin = rank * share + min(rank, rest)
        return (begin, begin + share + (rank < rest))

    def task(self, kind, rank, peer, partial, before):
        self.tasks.append((kind, rank, peer, partial, before))
        return len(self.tasks) - 1

    def owner(self, x):
        return next(rank for rank, (begin, end) in enumerate(self.own) if begin <= x < end)

    def owns(self, rank, range_):
        return self.own[rank][0] <= range_[0] and range_[1] <= self.own[rank][1]

    def halves(self, range_):
        if self.order.fixed:
            return self.order.halves[range_]
        middle = self.random.randint(range_[0] + 1, range_[1] - 1)
        return (range_[0], middle), (middle, range_[1])

    def ensure(self, rank, range_, segment):
        """Task after which the rank has the value of the range."""
        key = (rank, range_, segment)
        if key not in self.have:
            self.busy.add(key)
            self.have[key] = self.produce(rank, range_, segment)
            self.busy.discard(key)
        return self.have[key]

    def produce(self, rank, range_, segment):
        random, size = self.random, range_[1] - range_[0]
        value = (range_, False, segment)
        holders = [r for r in range(self.ranks) if (r, range_, segment) in self.have]
        own = self.owns(rank, range_)
        if holders and (not own or random.random() < 0.8):
            return self.message(random.choice(holders), rank, value)
        if size == 1:
            if own:
                return self.task("fold", rank, None, value, ())
            return self.message(self.owner(range_[0]), rank, value)
        helpers = [r for r in range(self.ranks)
                   if r != rank and (r, range_, segment) not in self.busy]
        if helpers and random.random() < (0.05 if own else self.helps):
            return self.message(random.choice(helpers), rank, value)
        if own and random.random() < self.folds:
            return self.task("fold", rank, None, value, ())
        if not own and size <= 60 and random.random() < self.gathers:
            return self.task("fold", rank, None, value, self.collect(rank, range_, segment))
        chunk = range_[0] % self.order.chunk == 0 and size <= self.order.chunk
        if self.order.fixed and chunk and size > 2 and random.random() < 0.7:
            # A run of elements continues a value from left to right.
            middle = random.randint(range_[0] + 1, range_[1] - 2)
            run = ((middle, range_[1]), True, segment)
            before = (self.ensure(rank, (range_[0], middle), segment),
                      *self.collect(rank, run[0], segment))
            left = ((range_[0], middle), False, segment)
            return self.task("join", rank, None, (left, run), before)
        left, right = self.halves(range_)
        before = (self.ensure(rank, left, segment), self.ensure(rank, right, segment))
        return self.task("join", rank, None,
                         ((left, False, segment), (right, False, segment)), before)

    def message(self, source, target, partial):
        range_, run, segment = partial
        before = () if run else (self.ensure(source, range_, segment),)
        return self.task("message", source, target, partial, before)

    def collect(self, rank, range_, segment):
        """Tasks after which the rank has all elements of the range."""
        before = []
        for other, (begin, end) in enumerate(self.own):
            begin, end = max(begin, range_[0]), min(end, range_[1])
            if other == rank:
                continue
            while begin < end:
                stop = self.random.choice((end, self.random.randint(begin + 1, end)))
                if stop - begin == 1:
                    before.append(self.ensure(rank, (begin, stop), segment))
                else:
                    before.append(self.bring(other, rank, ((begin, stop), True, segment)))
                begin = stop
        return tuple(before)

    def bring(self, owner, rank, run):
        """Task that brings elements to a rank, sometimes through another rank or with some sent
        twice."""
        (begin, end), _, segment = run
        others = [r for r in range(self.ranks) if r not in (owner, rank)]
        first = ()
        if others and self.random.random() < 0.2:
            other = self.random.choice(others)
            first = (self.message(owner, other, run),)
            owner = other
        if end - begin > 2 and self.random.random() < 0.2:
            cut = self.random.randint(begin + 2, end)
            again = ((self.random.randint(begin, cut - 2), cut), True, segment)
            first += (self.task("message", owner, rank, again, first[:1]),)
        return self.task("message", owner, rank, run, first)

    def draw_tasks(self):
        everything = (0, self.elements)
        wanted = [(rank, segment) for rank in range(self.ranks) for segment in self.segments
                  if self.wanted(rank)[0] <= segment[0] and segment[1] <= self.wanted(rank)[1]]
        self.random.shuffle(wanted)
        for rank, segment in wanted:
            self.ensure(rank, everything, segment)
        # Messages that no rank needs.
        while self.ranks > 1 and self.have and self.random.random() < 0.3:
            source, range_, segment = self.random.choice(sorted(self.have))
            target = self.random.choice([r for r in range(self.ranks) if r != source])
            begin, end = self.own[source]
            if end - begin > 1 and self.random.random() < 0.5:
                at = self.random.randint(begin, end - 2)
                run = ((at, self.random.randint(at + 2, end)), True, segment)
                self.message(source, target, run)
                continue
            before = [self.have[source, range_, segment]]
            # A rank must make a value before it receives the same value.
            if (target, range_, segment) in self.have:
                before.append(self.have[target, range_, segment])
            self.task("message", source, target, (range_, False, segment), tuple(before))

    def sequence(self):
        """Steps of each rank, from a run of all tasks in a random sequence."""
        random = self.random
        parts = [[] for _ in range(self.ranks)]
        after = [[] for _ in self.tasks]
        missing = [len(set(task[4])) for task in self.tasks]
        for number, task in enumerate(self.tasks):
            for earlier in set(task[4]):
                after[earlier].append(number)
        ready = [number for number, count in enumerate(missing) if count == 0]
        channels = {}

        def finish(number):
            for later in after[number]:
                missing[later] -= 1
                if missing[later] == 0:
                    ready.append(later)

        depth_first = random.random() < 0.5
        while ready or channels:
            if channels and (not ready or random.random() < 0.5):
                source, target = random.choice(list(channels))
                numbers = channels[source, target].pop(0)
                if not channels[source, target]:
                    del channels[source, target]
                parts[target].append(("recv", source, [self.tasks[n][3] for n in numbers]))
                for number in numbers:
                    finish(number)
                continue
            at = len(ready) - 1 if depth_first else random.randrange(len(ready))
            number = ready.pop(at)
            kind, rank, peer, partial, _ = self.tasks[number]
            if kind == "message":
                numbers = [number]
                for other in list(ready):
                    task = self.tasks[other]
                    if task[:3] == ("message", rank, peer) and random.random() < self.bundles:
                        ready.remove(other)
                        numbers.append(other)
                parts[rank].append(("send", peer, [self.tasks[n][3] for n in numbers]))
                channels.setdefault((rank, peer), []).append(numbers)
                continue
            partials = list(partial) if kind == "join" else [partial]
            parts[rank].append((kind, None, partials))
            finish(number)
        return parts

    def partial_json(self, partial):
        range_, run, segment = partial
        if not run and segment == (0, self.items) and self.random.random() < 0.9:
            return list(range_)
        value = {"run" if run else "value": list(range_)}
        if segment != (0, self.items) or self.random.random() < 0.1:
            value[self.items_key] = list(segment)
        return value

    def step_json(self, step):
        kind, peer, partials = step
        written = [self.partial_json(partial) for partial in partials]
        if kind == "fold":
            return {"fold": written[0]}
        if kind == "join":
            return {"join": written}
        return {kind: peer, "partials": written}

    def value(self):
        self.draw_tasks()
        parts = self.sequence()
        value = {
            "format": "bracket-schedule", "version": 1, "order": self.name, "order_version": 1,
            "plan": self.random.choice(("", "made up")), "elements": self.elements,
            "ranks": self.ranks, "boundaries": self.boundaries, "collective": self.collective,
            "root": self.root, self.items_key: self.items,
            "parts": [[self.step_json(step) for step in part] for part in parts]}
        if self.places != list(range(self.ranks)):
            value["rank_order"] = self.places
        return value


def random_schedule(random, largest=None):
    return Construction(random, largest).value()


def written(value):
    return json.dumps(value, separators=(",", ":")).encode()


# A sequential order nests as deeply as it has elements.
sys.setrecursionlimit(10000)
