# SPDX-License-Identifier: MIT

"""Part `schedules`: right schedules and mutants of them, checked by two verifiers, and run."""

import json

import construction
import elements
import orders
import schedule_mutants
import sums
import verifier
from form import expect
from processes import Finding
from readers import Refused, Unclear, strict_json

NAME = "schedules"
FILE = "schedule.json"


def planned(random, programs, folder):
    """A schedule that the project's planner writes."""
    ranks, count = random.randint(1, 9), random.choice((1, 3, random.randint(1, 200)))
    delivery = random.choice((["--root", str(random.randrange(ranks))], ["--all"], ["--scatter"]))
    plans = sums.COLLECTING + (sums.EXCHANGING if delivery == ["--all"] else ())
    counts = construction.Construction(random, 1).random.choices(range(9), k=ranks)
    words = ["--distribution", random.choice(("lower", "upper", "power2"))]
    if sum(counts) == count:
        words = ["--distribution", "counts:" + ":".join(map(str, counts))]
    outcome = programs.alone(
        "verify", "-N", count, "-p", ranks, *delivery, *sums.some_items(random, delivery)[0],
        "--order", sums.some_order(random, count), "--plan",
        sums.plan_of(random, random.choice(plans)), *words,
        *sums.some_rank_order(random, ranks), "-o", FILE)
    if outcome.code != 0:
        raise Finding("a schedule of the planner's is refused")
    return strict_json((folder / FILE).read_bytes())


def right(value):
    """The schedule and '' if the second verifier accepts it; otherwise None and the reason."""
    try:
        return verifier.verify(value), ""
    except Refused as reason:
        return None, str(reason)


def check(random, programs, folder, value, running, base):
    (folder / FILE).write_bytes(construction.written(value))
    outcome = programs.alone("verify", FILE, "--json")
    try:
        schedule, reason = right(value)
    except Unclear:
        return "unclear"
    is_right = schedule is not None
    if is_right != (outcome.code == 0):
        raise Finding("verify refuses what the second verifier finds right" if is_right
                      else f"verify accepts what the second verifier refuses: {reason}")
    if base and not is_right:
        raise Finding(f"the second verifier refuses the schedule: {reason}")
    check_row(value, outcome, schedule)
    if random.random() < (running if is_right else 0.04):
        execute(random, programs, folder, value, is_right)
        simulate(random, programs, value, is_right)
    return "right" if is_right else "wrong"


def check_row(value, outcome, schedule):
    if not outcome.out:
        return  # the schedule could not be read
    row = strict_json(outcome.out)
    is_right = schedule is not None
    if row["ok"] != is_right or bool(row["violations"]) == is_right:
        raise Finding("the row says another thing than the exit code")
    sends = sum("send" in step for part in value["parts"] for step in part)
    expect(row, messages=sends)
    if is_right:
        numbers = [sum(map(schedule.numbers, partials)) for part in schedule.parts
                   for kind, _, partials in part if kind == "send"]
        expect(row, largest_message=max(numbers, default=0),
               ends_with_blocking_sends=verifier.ends_if_sends_block(schedule))


def execute(random, programs, folder, value, is_right):
    """Runs a schedule on its ranks. A schedule that is refused needs only one rank."""
    key = schedule_mutants.items_key(value)
    count, items = value["elements"], value[key]
    if not isinstance(items, int) or count * items > 10**6:
        return
    name, numbers = elements.write_input(
        random, folder, elements.hostile(random, count * items))
    ranks = value["ranks"] if is_right else 1
    outcome = programs.ranks(ranks, "run", name, "--schedule", FILE, *sums.RUNS)
    if not is_right or not orders.is_fixed(value["order"]):
        if outcome.code == 0:
            raise Finding("run accepts a schedule that is refused, or one without an order")
        return
    if outcome.code != 0:
        raise Finding("run refuses a right schedule")
    if key == "fields":
        numbers = orders.as_vectors(numbers, items)
    key, result = orders.expected_result(numbers, items, value["order"])
    row = json.loads(outcome.out)
    if row.get(key) != result:
        raise Finding(f"{key} is {row.get(key)}, not {result}")


def simulate(random, programs, value, is_right):
    engine = random.choice(("loggops", "loggops", programs.engine))
    outcome = programs.alone("simulate", "--engine", engine, "--schedule", FILE, "--json")
    if is_right != (outcome.code == 0):
        raise Finding("simulate does not take a right schedule" if is_right
                      else "simulate takes a wrong schedule")
    if is_right:
        sends = sum("send" in step for part in value["parts"] for step in part)
        if json.loads(outcome.out)["simulated_messages"] != sends:
            raise Finding("simulate sends other messages than the schedule has")


def run_case(random, programs, folder):
    """Tests one schedule and ten mutants of it, some of them mutants of mutants."""
    made_up = random.random() < 0.8
    value = construction.random_schedule(random) if made_up else planned(random, programs, folder)
    check(random, programs, folder, value, 0.6, base=True)
    right_mutants = 0
    for _ in range(10):
        mutant = schedule_mutants.mutant(random, value)
        verdict = check(random, programs, folder, mutant, 0.12, base=False)
        if verdict == "right":
            right_mutants += 1
            if random.random() < 0.5:
                value = mutant
    return (f"{'made up' if made_up else 'planned'}, with "
            f"{'some' if right_mutants else 'no'} right ones among its ten mutants")
