# SPDX-License-Identifier: MIT

"""Part `sums`: `bracket run` on hostile elements, against the definitions."""

import json

import arithmetic
import elements
import files
import orders
from processes import Finding

NAME = "sums"

COLLECTING = ("direct", "buffered", "aggregated", "binomial", "gather")
EXCHANGING = (
    "butterfly", "elimination", "elimination-overlapping", "ring", "composed", "dissemination")
SCATTERING = (*COLLECTING, "butterfly")  # plans of --scatter
FIXED_ONLY = ("direct", "buffered")  # plans that need an order with a fixed bracketing
PARAMETERS = {
    "buffered": lambda random: f"{random.randint(1, 5)}:{random.choice((1, 4, 64))}",
    "aggregated": lambda random: random.randint(1, 5),
    "composed": lambda random: f"{random.randint(1, 9)}:{random.randint(1, 9)}",
    "butterfly": lambda random: random.randint(1, 9),
    "elimination": lambda random: random.randint(1, 9),
    "elimination-overlapping": lambda random: random.randint(1, 9),
    "ring": lambda random: random.randint(1, 9),
}
RUNS = ("--json", "--repetitions", "1", "--warm-up", "0")


def some_order(random, count):
    return orders.some(random, (1, 2, 3, 7, 64, count))


def plan_of(random, name):
    """Name of a plan, sometimes with parameters."""
    if name not in PARAMETERS or random.random() < 0.5:
        return name
    return f"{name}:{PARAMETERS[name](random)}"


def some_distributions(random, folder, count, ranks):
    names = random.sample(
        ["lower", "upper", "power2", "optimized:0.4", "optimized-shares:0.3", "optimal:0.3", "counts",
         "file"],
        random.randint(1, 3))
    written = []
    for name in names:
        if name == "counts":
            counts = files.random_counts(random, count, ranks)
            name = "counts:" + ":".join(map(str, counts))
        if name == "file":
            name = "held.json"
            (folder / name).write_text(
                json.dumps(files.distribution_value(random, count, ranks)))
        written.append(name)
    return ["--distribution", ",".join(written)]


def some_rank_order(random, ranks):
    if random.random() < 0.6:
        return []
    shuffled = random.sample(range(ranks), ranks)
    return ["--rank-order", random.choice((
        "reversed", f"random:{random.randrange(100)}", "ranks:" + ":".join(map(str, shuffled))))]


def some_kernel(random):
    return random.choice(([], [], ["--kernel", random.choice(("scalar", "portable"))]))


def rank_count(random):
    # One rank needs no mpiexec, which is slow.
    return random.choice((1, 1, 1, 1, 1, 2, 3, 4, 5, 7, 9))


def rows_of(outcome):
    return [json.loads(line) for line in outcome.out.splitlines()]


def check_rows(outcome, expected, count):
    if expected.refused:
        if outcome.code == 0:
            raise Finding("elements or a result that do not fit are not refused")
        return
    if outcome.code != 0:
        raise Finding("a right run is refused")
    rows = rows_of(outcome)
    if not rows:
        raise Finding("no row")
    if len({row["elements_digest"] for row in rows}) != 1:
        raise Finding("rows of the same elements with other digests of them")
    for row in rows:
        if row["elements"] != count:
            raise Finding(f"{row['elements']} elements in place of {count}")
        for key, value in expected.keys.items():
            if row.get(key) != value:
                raise Finding(f"{key} is {row.get(key)}, not {value}: {row['plan']} over "
                              f"{row['distribution']}")
        if expected.near and not arithmetic.is_near(row["result_bits"], expected.near):
            raise Finding(f"{row['result_bits']} is further off than is said")


def some_items(random, delivery):
    """Words for vectors or fields, and the number of their items."""
    items = random.choice((1, 1, 1, 2, 5))
    fields = delivery != ["--scatter"] and random.random() < 0.5
    return ["--fields" if fields else "--items", str(items)], items


def sums_by_plans(random, programs, folder, count):
    """Tests sums of float64 by orders, plans and distributions, also of vectors and fields."""
    ranks = rank_count(random)
    delivery = random.choice((["--root", str(random.randrange(ranks))], ["--all"], ["--scatter"]))
    words, items = some_items(random, delivery)
    of_fields = words[0] == "--fields" and items > 1
    name, numbers = elements.write_input(
        random, folder, elements.hostile(random, count * items))
    order = some_order(random, count)
    if delivery == ["--all"]:
        plans = random.sample(COLLECTING + EXCHANGING, 3)
        if items == 1 and orders.chunk_of(order, count) < count:
            plans.append("native")
    elif delivery == ["--scatter"]:
        plans = random.sample(SCATTERING, 2)
    else:
        plans = random.sample(COLLECTING, 2)
    outcome = programs.ranks(
        ranks, "run", name, *RUNS, "--order", order, *words, *delivery,
        "--plan", ",".join(plan_of(random, plan) for plan in plans), *some_kernel(random),
        *some_distributions(random, folder, count, ranks), *some_rank_order(random, ranks))
    keys = {"items": items}
    if of_fields:
        numbers = orders.as_vectors(numbers, items)
        keys = {"items": 1, "fields": items}
    key, value = orders.expected_result(numbers, items, order)
    check_rows(outcome, arithmetic.Expected({key: value, **keys}), count)
    return "float64 sums in an order"


def reductions(random, programs, folder, count):
    """Tests other types, operators and algorithms."""
    ranks = rank_count(random)
    unordered = random.random() < 0.2  # only the error of these algorithms is known
    kind = "float64" if unordered else random.choice(["float64", "float32", *arithmetic.TYPES])
    whole = arithmetic.is_integer(kind)
    pairs = kind.startswith("complex")
    ops = ["sum", "product"] if pairs else ["sum", "sum", "product", "minimum", "maximum",
                                            "minimum-location", "maximum-location"]
    op = "sum" if unordered else random.choice(ops)
    name, numbers = elements.write_input(
        random, folder, some_elements(random, kind, count * (2 if pairs else 1)))
    words = ["--type", kind, "--op", op]
    order, near = "tree", None
    if not whole:
        option = random.choice(("--algorithm", "--algorithm", "--order", None))
        if unordered:
            near = random.choice(arithmetic.NEAR)
            words += ["--algorithm", near]
        elif option:
            order = some_order(random, count)
            words += [option, order]
    widened = (kind in ("float32", "complex64") and op in ("sum", "product")
               and random.random() < 0.3)
    checked = whole and op in ("sum", "product") and random.random() < 0.4
    words += ["--widened"] * widened + ["--checked"] * checked
    delivery = random.choice((["--root", str(random.randrange(ranks))], ["--all"]))
    plans = [plan for plan in COLLECTING if plan not in FIXED_ONLY]
    if delivery == ["--all"]:
        plans += EXCHANGING
    if random.random() < 0.7:
        words += ["--plan", ",".join(plan_of(random, plan) for plan in random.sample(plans, 2))]
    outcome = programs.ranks(
        ranks, "run", name, *RUNS, *words, *delivery, *some_kernel(random),
        *some_distributions(random, folder, count, ranks), *some_rank_order(random, ranks))
    if near:
        expected = arithmetic.expected_near(numbers, near)
        if expected is None:
            return "an algorithm whose partial sums may overflow"
    else:
        expected = arithmetic.expected(numbers, kind, op, order, widened, checked)
    check_rows(outcome, expected, count)
    same_alone(programs, ranks, outcome, name, words, near)
    if near:
        return near.split(":")[0]
    return f"{'integers' if whole else 'complex numbers' if pairs else 'floats'}, {op}"


def same_alone(programs, ranks, outcome, name, words, near):
    """Checks that one rank gives the same bits, if only an interval is known for the result."""
    if ranks == 1 or not near or outcome.code != 0:
        return
    words = [word for i, word in enumerate(words) if "--plan" not in words[max(0, i - 1) : i + 1]]
    alone = programs.alone("run", name, *RUNS, *words)
    bits = {row["result_bits"] for row in rows_of(alone) + rows_of(outcome)}
    if len(bits) != 1:
        raise Finding(f"{near}: {ranks} ranks and one give {sorted(bits)}")


def some_elements(random, kind, count):
    if not arithmetic.is_integer(kind):
        return elements.hostile(random, count)
    least, most = arithmetic.limits(kind)
    edges = [float(least), float(min(most, 2**53)), 0.0, -0.0, 1.0, float(most // 2 + 1)]
    if random.random() < 0.3:  # numbers that do not fit
        edges += [0.5, float("nan"), float("inf"), float(most) + 1, -float(most) * 2.5, -1.0]
    share = random.choice((0.05, 0.5))
    small = 3 if random.random() < 0.5 else 2**20
    low = 0 if least == 0 else -small
    return elements.np.array([
        random.choice(edges) if random.random() < share else float(random.randint(low, small))
        for _ in range(count)])


def run_case(random, programs, folder):
    count = random.choice((1, 2, 3, random.randint(1, 9), random.randint(1, 64),
                           random.randint(1, 600)))
    kind = sums_by_plans if random.random() < 0.45 else reductions
    return kind(random, programs, folder, count)
