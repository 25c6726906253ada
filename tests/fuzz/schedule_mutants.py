# SPDX-License-Identifier: MIT

"""Mutants of schedules: most are wrong, some are right in another way."""

import copy

import orders

KINDS = ("fold", "join", "send", "recv")


def kind_of(step):
    return next(kind for kind in KINDS if kind in step)


def all_steps(value):
    return [(rank, i) for rank, part in enumerate(value["parts"]) for i in range(len(part))]


def messages(value):
    """Steps at which each message is sent and received, if both exist."""
    sends, receives = {}, {}
    for rank, i in all_steps(value):
        step = value["parts"][rank][i]
        if "send" in step:
            sends.setdefault((rank, step["send"]), []).append(i)
        elif "recv" in step:
            receives.setdefault((step["recv"], rank), []).append(i)
    return [(source, target, i, k) for (source, target), found in sends.items()
            if source != target
            for i, k in zip(found, receives.get((source, target), []))]


def partials_of(step):
    if "fold" in step:
        return [(step, "fold")]
    inner = step["join"] if "join" in step else step["partials"]
    return [(inner, i) for i in range(len(inner))]


def items_key(value):
    return "fields" if "fields" in value else "items"


def change_partial(random, value, container, key):
    partial = container[key]
    ranged = partial
    if isinstance(partial, dict):
        ranged = partial["run" if "run" in partial else "value"]
    kind = random.randrange(6)
    if kind <= 2:
        end = random.randrange(2)
        ranged[end] = max(0, ranged[end] + random.choice((-1, 1, -2, 4, value["elements"])))
    elif kind == 3:
        container[key] = {"run": ranged} if not isinstance(partial, dict) or "value" in partial \
            else {"value": ranged}
        of = items_key(value)
        if isinstance(partial, dict) and of in partial:
            container[key][of] = partial[of]
    elif kind == 4:
        of = items_key(value)
        items = [random.randint(0, value[of]), random.randint(0, value[of] + 1)]
        container[key] = {"value": ranged, of: items}
    else:
        ranged.reverse()


def change_step(random, value):
    """Changes one step of one rank, or one partial in it."""
    where = all_steps(value)
    if not where:
        return
    rank, i = random.choice(where)
    part = value["parts"][rank]
    step = part[i]
    kind = random.randrange(10)
    if kind == 0:
        del part[i]
    elif kind == 1:
        part.insert(random.randint(0, len(part)), copy.deepcopy(step))
    elif kind <= 3:
        other = min(len(part) - 1, i + 1) if kind == 2 else random.randrange(len(part))
        part.insert(other, part.pop(i))
    elif kind == 4 and kind_of(step) in ("send", "recv"):
        step[kind_of(step)] = random.randint(0, value["ranks"])
    elif kind == 5 and "partials" in step:
        inner = step["partials"]
        change = random.randrange(3)
        if change == 0 and inner:
            inner.pop(random.randrange(len(inner)))
        elif change == 1 and inner:
            inner.append(copy.deepcopy(random.choice(inner)))
        else:
            random.shuffle(inner)
    elif kind == 6 and "join" in step:
        step["join"].reverse()
    elif kind == 7:
        other_rank, k = random.choice(where)
        value["parts"][other_rank].insert(k, copy.deepcopy(step))
    else:
        places = partials_of(step)
        if places:
            change_partial(random, value, *random.choice(places))


def change_message(random, value):
    """Changes both ends of a message alike, so that they still match."""
    found = messages(value)
    if not found:
        return
    source, target, i, k = random.choice(found)
    send, receive = value["parts"][source][i], value["parts"][target][k]
    kind = random.randrange(6)
    if kind == 0:
        del value["parts"][source][i], value["parts"][target][k]
    elif kind == 1:
        value["parts"][source].insert(i, copy.deepcopy(send))
        value["parts"][target].insert(k, copy.deepcopy(receive))
    elif kind == 2:
        random.shuffle(send["partials"])
        receive["partials"] = copy.deepcopy(send["partials"])
    elif kind == 3 and len(send["partials"]) > 1:
        cut = random.randrange(1, len(send["partials"]))
        for part, at, step in ((value["parts"][source], i, send),
                               (value["parts"][target], k, receive)):
            rest = copy.deepcopy(step)
            step["partials"] = step["partials"][:cut]
            rest["partials"] = rest["partials"][cut:]
            part.insert(at + 1, rest)
    elif kind == 4 and send["partials"]:
        change_partial(random, value, send["partials"], random.randrange(len(send["partials"])))
        receive["partials"] = copy.deepcopy(send["partials"])
    else:
        # Send it through a third rank.
        others = [rank for rank in range(value["ranks"]) if rank not in (source, target)]
        if others:
            other = random.choice(others)
            send["send"] = other
            receive["recv"] = other
            at = random.randint(0, len(value["parts"][other]))
            value["parts"][other][at:at] = [
                {"recv": source, "partials": copy.deepcopy(send["partials"])},
                {"send": target, "partials": copy.deepcopy(send["partials"])}]


def change_head(random, value):
    kind = random.randrange(9)
    ranks = value["ranks"]
    if kind == 0:
        i = random.randrange(len(value["boundaries"]))
        value["boundaries"][i] = max(0, value["boundaries"][i] + random.choice((-1, 1)))
    elif kind == 1:
        value["rank_order"] = random.sample(range(ranks), ranks)
    elif kind == 2:
        value["root"] = random.randint(0, ranks)
    elif kind == 3:
        value["collective"] = random.choice(("reduce", "all-reduce", "reduce-scatter"))
    elif kind == 4:
        of = items_key(value)
        value[of] = max(1, value[of] + random.choice((-1, 1)))
    elif kind == 5:
        value["order"] = orders.some(
            random, (1, 2, value["elements"], orders.LARGEST_PARAMETER), fixed=False)
    elif kind == 6:
        value["order_version"] = random.choice((0, 1, 2))
    elif kind == 7:
        random.shuffle(value["parts"])
    else:
        # Renumber the ranks everywhere. The schedule stays right if each rank still gets its items.
        names = random.sample(range(ranks), ranks)
        places = value.get("rank_order", list(range(ranks)))
        value["rank_order"] = [names[rank] for rank in places]
        parts = [None] * ranks
        for rank, part in enumerate(value["parts"][:ranks]):
            parts[names[rank]] = part
            for step in part:
                for end in ("send", "recv"):
                    if step.get(end, ranks) < ranks:
                        step[end] = names[step[end]]
        value["parts"] = [part or [] for part in parts]
        value["root"] = names[value["root"]] if value["root"] < ranks else value["root"]


def mutant(random, value):
    value = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2))):
        random.choice((change_step, change_step, change_message, change_head))(random, value)
    return value
