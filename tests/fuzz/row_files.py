# SPDX-License-Identifier: MIT

"""Rows that programs write and read again: measured rows, and rows of a resumed sweep."""

import csv
import io
import json
import statistics

import mutants
import readers
from form import Form, expect
from processes import Finding
from readers import Refused, Unclear, strict_json

PLANS = ("direct", "aggregated:2")


class Measured(Form):
    name = "measured rows"
    file = "rows.jsonl"
    text = True

    def row(self):
        random = self.random
        row = {"elements": random.choice((16, 16, 17)), "ranks": random.choice((2, 2, 3)),
               "distribution": random.choice(("upper", "upper", "lower")),
               "plan": random.choice(PLANS),
               "measured_seconds": random.choice((1e-6, 2e-6, random.random()))}
        for key, value in (("order", "tree"), ("collective", "reduce"), ("root", 0), ("items", 1),
                           ("result_bits", "0x0"), ("repetitions", 3)):
            if random.random() < 0.3:
                row[key] = value
        return row

    def make(self):
        rows = [self.row() for _ in range(self.random.randint(0, 3))]
        rows.insert(self.random.randint(0, len(rows)), {
            "elements": 16, "ranks": 2, "distribution": "upper", "plan": "direct",
            "measured_seconds": 5e-6})
        return "".join(json.dumps(row) + "\n" for row in rows).encode(), {}

    def own_mutant(self, random, content):
        """Content with one row changed as JSON."""
        lines = content.splitlines()
        at = random.randrange(len(lines))
        if random.random() < 0.1:
            row = json.loads(lines[at])
            row[random.choice(("elements", "ranks"))] += random.choice((2**32, 2**63, 2**64))
            lines[at] = json.dumps(row).encode()
            return b"\n".join(lines) + b"\n"
        lines[at] = mutants.json_mutant(random, json.loads(lines[at])).replace(b"\n", b" ")
        return b"\n".join(lines) + b"\n"

    def words(self, context):
        return ["compare", "-N", 16, "-p", 2, "--plan", "direct,aggregated", "--distribution",
                "upper", "--measured", self.file, "--json"]

    def read(self, content, context):
        """Median time of each plan; several rows of one plan are several starts."""
        times, unclear = {}, None
        for line in content.split(b"\n"):
            if not line:
                continue
            row = strict_json(line)
            if not isinstance(row, dict):
                raise Refused("no object")
            readers.whole(row.get("elements"), 1)
            readers.whole(row.get("ranks"), 1, readers.LARGEST_RANK)
            for key in ("distribution", "plan", *({"rank_order"} & row.keys())):
                readers.text(row.get(key))
            seconds = readers.number(row.get("measured_seconds"))
            if not 1e-12 <= seconds <= 1e9:
                raise Refused("no time")
            for key, kind in (("order", str), ("collective", str), ("root", int), ("items", int)):
                if key in row and (not isinstance(row[key], kind) or isinstance(row[key], bool)):
                    # Bracket does not read this key if another key tells the row apart.
                    unclear = unclear or f"{key} of another kind"
            if row["plan"] not in (*PLANS, "aggregated"):
                unclear = unclear or "the plan is another name"
            wanted = {"order": "tree", "collective": "reduce", "root": 0, "items": 1,
                      "rank_order": ""}
            if (row["elements"], row["ranks"], row["distribution"]) != (16, 2, "upper") or any(
                    row.get(key, value) != value for key, value in wanted.items()):
                continue
            plan = PLANS[row["plan"].startswith("aggregated")]
            times.setdefault(plan, []).append(seconds)
        if unclear:
            raise Unclear(unclear)
        if not times:
            raise Refused("no row is of what is asked for")
        return {plan: statistics.median(seconds) for plan, seconds in times.items()}

    def compare(self, seen, outcome, context):
        rows = [json.loads(line) for line in outcome.out.splitlines()]
        rows = [row for row in rows if "plan" in row]
        if {row["plan"] for row in rows} != set(PLANS):
            raise Finding("other rows than were asked for")
        for row in rows:
            expect(row, measured_seconds=seen.get(row["plan"]))


class Resumed(Form):
    """Rows of a sweep: existing rows stay, and missing rows are added."""

    text = True
    wanted = (2, 4)

    def words(self, context):
        return ["simulate", "--engine", "loggops", "-N", 16, "--sweep", "p=2,4", "-o", self.file]

    def make(self):
        rows = self.random.choice(((), (2,), (4,), (2, 4), (4, 2), (2, 2)))
        content = self.begin + b"".join(self.lines[ranks] for ranks in rows)
        if self.random.random() < 0.3:  # a program that was killed while it wrote
            last = self.lines[self.random.choice(self.wanted)]
            content += last[: self.random.randrange(1, len(last))]
        return content, {}

    def after(self, folder, mutant, outcome, context):
        left = (folder / self.file).read_bytes()
        whole = mutant[: mutant.rfind(b"\n") + 1]
        if outcome.code == 0 and not left.startswith(whole):
            raise Finding("lines that were there are there no more")
        if outcome.code != 0 and left != mutant:
            raise Finding("a file that is refused is changed")
        if outcome.code == 0:
            self.check_rows(left, len(whole))

    def compare(self, seen, outcome, context):
        pass


SETTINGS = {"elements": 16, "order": "tree", "distribution": "upper", "plan": "buffered:4:64",
            "collective": "reduce", "root": 0, "items": 1, "engine": "loggops",
            "latency_seconds": 1.405e-07, "overhead_seconds": 7.025e-08, "gap_seconds": 7.025e-08,
            "gap_seconds_per_byte": 1e-10, "overhead_seconds_per_byte": 0.0,
            "seconds_per_addition": 4.15e-09}


def same_cell(value, wanted):
    return str(value) == str(wanted) or value == wanted


class JsonLines(Resumed):
    name = file = "sweep.jsonl"
    begin = b""
    lines = {
        ranks: json.dumps({
            "elements": 16, "ranks": ranks, **SETTINGS, "messages": messages,
            "simulated_messages": messages, "simulated_seconds": seconds,
        }, separators=(",", ":")).encode() + b"\n"
        for ranks, messages, seconds in ((2, 1, 3.149e-07), (4, 3, 5.8415e-07))}

    def own_mutant(self, random, content):
        return Measured.own_mutant(self, random, content) if content.endswith(b"}\n") else content

    def read(self, content, context):
        lines = content.split(b"\n")
        for line in lines[:-1]:
            row = strict_json(line)
            if not isinstance(row, dict) or "elements" not in row or "messages" not in row:
                raise Refused("no row of a simulation")
        torn = lines[-1]
        object_ = b'{"elements":'
        if torn and not (torn.startswith(object_) or object_.startswith(torn)):
            raise Refused("no beginning of a row")

    def check_rows(self, left, kept):
        rows = [strict_json(line) for line in left.split(b"\n")[:-1]]
        for ranks in self.wanted:
            if not any(same_cell(row.get("ranks"), ranks) and all(
                    same_cell(row.get(key), value) for key, value in SETTINGS.items())
                    for row in rows):
                raise Finding(f"there is no row for {ranks} ranks")


HEAD = ("elements,ranks,order,distribution,rank_order,plan,collective,root,items,"
        "fields,algorithm,op,type,widened,checked,threads,engine,platform,"
        "machine,latency_seconds,overhead_seconds,gap_seconds,gap_seconds_per_byte,"
        "overhead_seconds_per_byte,eager_bytes,seconds_per_addition,cores,placement,watts,"
        "link_watts,node_latency_seconds,node_overhead_seconds,node_gap_seconds,"
        "node_gap_seconds_per_byte,seed,late,slow,noise,files,messages,simulated_seconds,joules")


class Cells(Resumed):
    name = file = "sweep.csv"
    begin = HEAD.encode() + b"\n"
    lines = {
        ranks: (f"16,{ranks},tree,upper,,buffered:4:64,reduce,0,1,,,,,,,,loggops,,,1.405e-07,7.025e-08,"
                f"7.025e-08,1e-10,0.0,,4.15e-09,,,,,,,,,,,,,,{messages},{seconds},\n").encode()
        for ranks, messages, seconds in ((2, 1, "3.149e-07"), (4, 3, "5.8415e-07"))}

    def read(self, content, context):
        if b'"' in content:
            raise Unclear("quotes in a line that Python's csv reads otherwise")
        *lines, torn = content.split(b"\n")
        if lines and lines[0] != HEAD.encode():
            raise Refused("other columns")
        columns = HEAD.count(",") + 1
        if any(line.count(b",") + 1 != columns for line in lines):
            raise Refused("a line of another number of cells")
        if torn and not lines and not self.begin.startswith(torn):
            raise Refused("no beginning of the columns")

    def check_rows(self, left, kept):
        # Only added rows must be text; other rows may contain anything.
        rows = list(csv.reader(io.StringIO(left.decode("latin-1"))))
        for ranks in self.wanted:
            row = self.lines[ranks].decode().rstrip("\n").split(",")
            if not any(other[:38] == row[:38] for other in rows):
                raise Finding(f"there is no row for {ranks} ranks")


FORMS = (Measured, JsonLines, Cells)
