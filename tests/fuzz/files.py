# SPDX-License-Identifier: MIT

"""Distributions, machines, plan files, placements and schedules."""

import json
import math

import construction
import orders
import readers
import verifier
from form import Form, expect, only_row
from processes import Finding
from readers import Refused


def random_counts(random, elements_, ranks):
    cuts = sorted(random.choice((0, elements_, random.randint(0, elements_)))
                  for _ in range(ranks - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, elements_])]


def distribution_value(random, size, ranks):
    value = {"format": "bracket-distribution", "version": 1, "elements": size, "ranks": ranks,
             "counts": random_counts(random, size, ranks)}
    if random.random() < 0.4:
        value["rank_order"] = random.sample(range(ranks), ranks)
    return value


def crossing_nodes(counts):
    """Number of tree nodes whose halves begin on different ranks."""
    owner = [k for k, count in enumerate(counts) for _ in range(count)]
    halves = orders.Order("tree", len(owner)).halves.values()
    return sum(pair is not None and owner[pair[0][0]] != owner[pair[1][0]] for pair in halves)


class DistributionFile(Form):
    name = file = "distribution.json"
    json = text = True

    def make(self):
        size, ranks = self.random.randint(1, 40), self.random.randint(1, 6)
        value = distribution_value(self.random, size, ranks)
        return json.dumps(value).encode(), {"size": size, "ranks": ranks}

    def words(self, context):
        return ["count", "-N", context["size"], "-p", context["ranks"], "--distribution",
                self.file, "--json"]

    def read(self, content, context):
        counts, order = readers.distribution(readers.strict_json(content))
        if (sum(counts), len(counts)) != (context["size"], context["ranks"]):
            raise Refused("it is for other elements or ranks")
        return counts, order

    def compare(self, seen, outcome, context):
        counts, _ = seen
        expect(only_row(outcome), elements=sum(counts), ranks=len(counts),
               largest_share=max(counts), messages=crossing_nodes(counts))


def expect_items(row, key, items):
    expect(row, **({"items": 1, "fields": items} if key == "fields" else {"items": items}))


def machine_value(random):
    cost = lambda: random.choice((0, 1e-9, 4.15e-9, 2500e-9, 1, random.random() * 1e-6))
    value = {"format": "bracket-machine", "version": random.choice((1, 2)), "name": "m",
             "source": "made up"}
    value.update({key: cost() for key in readers.FIGURES})
    value["eager_bytes"] = random.choice((None, 0, 65535, 1e300))
    if random.random() < 0.3:
        value["inside_node"] = {key: cost() for key in readers.FIGURES[:4]}
    if random.random() < 0.3:
        folds = [{"elements": 2**i, "seconds": 1e-9 * 2**i} for i in range(random.randint(1, 4))]
        value["work"] = {"start_seconds": cost(), "seconds_per_join": cost(), "folds": folds}
        if random.random() < 0.5:
            value["work"]["start_alone_seconds"] = cost()
            value["work"]["start_reduce_seconds"] = cost()
            value["work"]["start_in_program_seconds"] = cost()
            value["work"]["start_library_seconds"] = cost()
            value["work"]["seconds_per_receive"] = cost()
            value["work"]["first_cache"] = {"elements": random.choice((1, 4096)),
                                            "more_start_seconds": cost()}
            value["work"]["copies"] = folds
            value["work"]["joins"] = folds
            value["work"]["seconds_per_result"] = cost()
            value["work"]["more_start_seconds"] = cost()
            value["work"]["partial_folds"] = folds
            value["work"]["complete_folds"] = folds
            vectors = {"vector_folds": folds} if random.random() < 0.8 else {}
            value["work"].update(vectors)
            value["work"]["folds_together"] = [
                {"ranks": 2**i, "folds": folds, **vectors} for i in range(1, random.randint(1, 4))]
    if "work" in value and random.random() < 0.5:
        names = ("binned", "binned:4", "minimum/float32", "digest/int64", "double-double/complex128",
                 "widened/sum/float32", "checked/int32", "products/float64", "irreproducible",
                 "accumulate")
        times = [{"elements": 2**i, "seconds": 1e-9 * 2**i} for i in range(random.randint(1, 3))]
        value["operations"] = [
            {"operation": name, "seconds_per_join": cost(), "folds": times}
            for name in random.sample(names, random.randint(0, 2))]
        for row in value["operations"]:
            if random.random() < 0.5:
                row["start_in_program_seconds"] = cost()
    if random.random() < 0.3:
        rows = [{"bytes": 8 * 2**i, **{key: cost() or 1e-9 for key in readers.TIMES}}
                for i in range(random.randint(0, 4))]
        place = random.choice((value, value.get("inside_node", value)))
        table = random.choice(readers.TABLES)
        place[table] = rows
        if table == "library_messages" or random.random() < 0.5:
            place["messages"] = rows
            value["version"] = 2
        value["cache_bytes"] = random.choice((0, 1e6, 33554432))
    for key, record in (("kernels", []), ("residuals", {}), ("environment", {"cpu": "x"})):
        if random.random() < 0.2:
            value[key] = record
    return value


class MachineFile(Form):
    name = file = "machine.json"
    json = text = True

    def make(self):
        return json.dumps(machine_value(self.random)).encode(), {}

    def words(self, context):
        return ["count", "-N", 16, "-p", 4, "--machine", self.file, "--json"]

    def read(self, content, context):
        value = readers.strict_json(content)
        return readers.machine(value), readers.machine_is_measured(value)

    def compare(self, seen, outcome, context):
        figures, measured = seen
        row = only_row(outcome)
        expect(row, messages=3, largest_share=4)
        if measured:
            return
        send = figures["latency_seconds"] + 2 * figures["overhead_seconds"]
        score = send * 3 + figures["seconds_per_addition"] * 4
        said = row["score_seconds"]
        if math.isfinite(score) and not math.isclose(score, said or 0, rel_tol=1e-12):
            raise Finding(f"score_seconds is {said}, not {score}")


class PlanFile(Form):
    name = file = "plan.json"
    json = text = True

    def make(self):
        random = self.random
        size, ranks = random.randint(1, 40), random.randint(1, 6)
        plans, first = [], size
        while not plans or random.random() < 0.2:
            held = not plans and random.random() < 0.6
            last = first if held else first + random.choice((0, 3))
            plans.append({
                "elements": [first, last], "order": random.choice(readers.NAMES["order"]),
                "order_version": 1, "plan": random.choice(readers.NAMES["plan"]),
                "distribution": distribution_value(random, size, ranks) if held
                else random.choice(readers.NAMES["distribution"]),
                "predicted": {"score": 1e-6, "loggp": random.random()}})
            first = last + 1
        value = {"format": "bracket-plan", "version": 1, "made_by": "a test",
                 "objective": random.choice(("score", "loggp")), "ranks": ranks,
                 "collective": random.choice(("reduce", "all-reduce")),
                 "root": random.randrange(ranks),
                 random.choice(("items", "fields")): random.choice((1, 1, 7)),
                 "machine": machine_value(random), "budget": 1000, "seed": 1, "plans": plans}
        operation = random.choice(("binned", "double-double", "float32", "maximum/int64", "", ""))
        if operation and readers.computes(value["machine"], readers.operation_of(operation)):
            value["operation"] = operation
            order = {"double-double": "tree", "float32": "sequential"}.get(
                operation, "associative")
            for plan in plans:
                plan["order"] = order
                if order == "associative":
                    plan["plan"] = "aggregated"
        return json.dumps(value).encode(), {"size": size}

    def words(self, context):
        return ["count", "-N", context["size"], "--plan-file", self.file, "--json"]

    def read(self, content, context):
        value = readers.plan_file(readers.strict_json(content))
        for plan in value["plans"]:
            if plan["elements"][0] <= context["size"] <= plan["elements"][1]:
                if plan["order_version"] != 1:
                    raise Refused("another version of the order")
                if value["ranks"] > 1000:
                    raise readers.Unclear("more ranks than there may be memory for")
                return value, plan
        raise Refused("it is for other numbers of elements")

    def compare(self, seen, outcome, context):
        value, plan = seen
        row = only_row(outcome)
        expect(row, elements=context["size"], ranks=value["ranks"], order=plan["order"],
               collective=value["collective"])
        expect_items(row, *readers.items_of(value))
        if isinstance(plan["distribution"], dict):
            counts = plan["distribution"]["counts"]
            expect(row, largest_share=max(counts))
            if plan["order"] == "tree":
                expect(row, direct_messages=crossing_nodes(counts))


class Placement(Form):
    name = "placement"
    file = "placement.txt"
    text = True

    def make(self):
        random = self.random
        ranks, cores = random.randint(1, 6), random.randint(1, 3)
        slots = [node for node in range(8) for _ in range(cores)]
        nodes = random.sample(slots, ranks)
        space = lambda: random.choice((" ", "\n", "\t", "  \r\n"))
        content = "".join(f"{node}{space()}" for node in nodes)
        return content.encode(), {"ranks": ranks, "cores": cores}

    def words(self, context):
        return ["simulate", "--engine", "loggops", "-N", 16, "-p", context["ranks"], "--cores",
                context["cores"], "--placement", f"./{self.file}", "--json"]

    def read(self, content, context):
        words = content.split()  # split at the six whitespace characters of C
        if len(words) != context["ranks"]:
            raise Refused("one node for each rank was expected")
        taken = {}
        for word in words:
            digits = word[1:] if word.startswith(b"-") else word
            if not digits.isdigit() or not 0 <= int(word) <= 2**31 - 2:
                raise Refused("no number of a node")
            taken[int(word)] = taken.get(int(word), 0) + 1
        if max(taken.values()) > context["cores"]:
            raise Refused("more ranks than cores on a node")
        return taken

    def compare(self, seen, outcome, context):
        expect(only_row(outcome), elements=16, ranks=context["ranks"])

    def stricter(self, seen, context):
        return "so many nodes take too much memory" if max(seen) > 2**24 else None


class ScheduleFile(Form):
    name = file = "schedule.json"
    json = text = True

    def make(self):
        return construction.written(construction.random_schedule(self.random, 30)), {}

    def words(self, context):
        return ["verify", self.file, "--json"]

    def read(self, content, context):
        return verifier.verify(readers.strict_json(content))

    def compare(self, seen, outcome, context):
        row = only_row(outcome)
        expect(row, ok=True, elements=seen.elements, ranks=seen.ranks, order=seen.order)
        expect_items(row, seen.key, seen.items)


class OrderFile(Form):
    name = file = "order.json"
    json = text = True

    def make(self):
        size = self.random.randint(1, 9)
        parents, open_ = [], [0]
        for x in range(1, size):
            del open_[self.random.randint(1, len(open_)) :]
            parents.append(open_[-1])
            open_.append(x)
        value = {"format": "bracket-order", "version": 1,
                 "order": ":".join(["explicit", *map(str, parents)]), "order_version": 1,
                 "ranks": self.random.sample(range(size), size)}
        return json.dumps(value).encode(), {"size": size}

    def words(self, context):
        return ["verify", "-N", context["size"], "-p", context["size"], "--order", self.file,
                "--rank-order", self.file, "--plan", "direct", "--json"]

    def read(self, content, context):
        order, ranks = readers.order_file(readers.strict_json(content))
        if len(ranks) != context["size"]:
            raise Refused("it is for other elements")
        return order, ranks

    def compare(self, seen, outcome, context):
        order, ranks = seen
        row = only_row(outcome)
        # Each element but the first is a right half, so its rank sends one message. The result
        # is one message more if it is not on rank 0.
        messages = len(ranks) - 1 + (ranks[0] != 0)
        expect(row, ok=True, order=order, elements=len(ranks), messages=messages)


FORMS = (DistributionFile, OrderFile, MachineFile, PlanFile, Placement, ScheduleFile)
