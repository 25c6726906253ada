#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Judges predictions of `cost` by the conjugate-gradient example, and compares its dot products.

Usage: judge_cost.py BRACKET CG FOLDER [ROWS:ITERATIONS ...]

CG is the built example, such as build/release/cg_cpp; all runs have two ranks. There are some rounds.
Each calibrates into FOLDER/machine.json and then takes some turns for each number of rows. The runs of
a turn are interleaved:

- recorded runs with plain loops and MPI_Allreduce: from the steady one, `cost` predicts how a reducer
  changes its time,
- runs by each method, without the recorder: the time of the iterations of the steady one is compared.

The steady run is the middle one of the fastest third. The host of a virtual machine moves its cores,
for minutes, and gives parts of them to others, for less than a second. Messages or vector instructions
then take longer, in up to half of the runs of a turn. The two fastest runs may be accidents.

Short runs before and after each calibration and each turn measure the state of the machine: a turn
counts only if these took about as long as those of its calibration. A calibration takes medians, so most
short runs around it must take about as long as the steady one. On 1 000 rows, squares are subnormal numbers after some
10 000 iterations, which take longer.

Prints the medians and quartiles, over the turns that count, of the predicted and of the measured
change, and of the time of the reducers to that of loops with vector instructions. The difference
between prediction and measurement has its mean and its range. Takes most of an hour.
"""

import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

SIZES = ["1000:5000", "10000:5000", "100000:500", "300000:100", "1000000:30"]
OPERATIONS = ["accumulate", "accumulate/products", "accumulate/squares", "products", "squares"]
METHODS = ["mpi", "bracket", "simd", "binned"]
ROUNDS = 3
TURNS = 4
RUNS = 15


def launcher():
    """Starts two ranks, with real-time priority if this user may give it: otherwise the launcher and
    other programs take the cores away, and halo exchanges take several times as long."""
    real_time = ["chrt", "--fifo", "10"]
    try:
        subprocess.run([*real_time, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("without real-time priority", flush=True)
        real_time = []
    return ["mpiexec", "-n", "2", *real_time]


LAUNCHER = launcher()


def launch(*words):
    return subprocess.run([*LAUNCHER, *words], check=True, capture_output=True, text=True)


def example(*words):
    """Command that runs the example. It throws its output away itself: if the launcher reads it, the
    ranks wait for the launcher, which takes longer than the iterations and another time in each run."""
    return ["sh", "-c", 'exec "$@" > /dev/null', "sh", *words]


def record(bracket, cg, trace, rows, iterations):
    """Records a run with plain loops. Returns the seconds of its iterations."""
    run = launch(bracket, "record", "-o", trace, "--", *example(cg, "mpi", rows, iterations))
    return seconds_in(run.stderr)


def predicted_change(bracket, trace, machine, rows, seconds):
    """In per cent of the iterations, which took so many seconds beside the recorder: the rest of the
    run, such as the first access to the vectors, is the same by every method."""
    printed = subprocess.run(
        [bracket, "cost", trace, "--machine", machine, "--plan", "butterfly", "--elements", rows,
         "--terms", "squares,products", "--json"], check=True, capture_output=True, text=True)
    cost = json.loads(printed.stdout)
    change = next(row["change_seconds"] for row in cost["plans"]
                  if row["plan"].startswith("butterfly"))
    return 100 * change / (seconds - cost["recorder_seconds"])


def seconds_in(said):
    return float(re.search(r"([0-9.]+) seconds", said).group(1))


def steady(runs, key=None):
    """The middle one of the fastest third."""
    return sorted(runs, key=key)[len(runs) // 6]


class State:
    """Steady seconds of two kinds of short runs: of one, messages are the most, of the other, vector
    instructions. Cores that are far apart slow the first one, a core that another guest shares the
    second one."""

    def __init__(self, cg):
        self.seconds = []
        self.is_steady = True
        for method, rows, iterations in (("mpi", "1000", "4000"), ("simd", "100000", "100")):
            taken = [seconds_in(launch(*example(cg, method, rows, iterations)).stderr)
                     for _ in range(9)]
            self.seconds.append(steady(taken))
            self.is_steady &= statistics.median(taken) < 1.15 * steady(taken)

    def like(self, other):
        return all(abs(one - two) < 0.15 * min(one, two)
                   for one, two in zip(self.seconds, other.seconds))


class Machine:
    """The machine in one state, as calibrated."""

    fastest_all_reduce = math.inf  # seconds, in all calibrations

    def __init__(self, bracket, cg, folder):
        self.bracket, self.cg, self.folder = bracket, cg, folder
        self.file = str(folder / "machine.json")
        for _ in range(6):
            self.calibrate("--quick")
            before = State(cg)
            all_reduce = self.calibrate("--operations", ",".join(OPERATIONS))
            self.calibrated = self.latest = State(cg)
            if (before.is_steady and self.calibrated.is_steady and self.calibrated.like(before)
                    and all_reduce < 1.25 * Machine.fastest_all_reduce):
                return
        print("the machine was slow or changed in each of six calibrations", flush=True)

    def calibrate(self, *options):
        """Returns the seconds of the library's all-reduce of one number."""
        launch(self.bracket, "calibrate", *options, "-o", self.file)
        found = json.loads(pathlib.Path(self.file).read_text())["rounds"]["all_reduce_seconds"]
        Machine.fastest_all_reduce = min(Machine.fastest_all_reduce, found)
        return found

    def turn(self, rows, iterations):
        """Predicted change in per cent and the seconds of each method, or None if the machine is in
        another state than when it was calibrated."""
        if not self.latest.like(self.calibrated):
            self.latest = State(self.cg)
            return None
        recorded = {}
        seconds = {method: [] for method in METHODS}
        for run in range(RUNS):
            trace = str(self.folder / f"trace{run}")
            recorded[trace] = record(self.bracket, self.cg, trace, rows, iterations)
            for method, taken in seconds.items():
                taken.append(seconds_in(launch(*example(self.cg, method, rows, iterations)).stderr))
        self.latest = State(self.cg)
        if not self.latest.like(self.calibrated):
            return None
        trace = steady(recorded, recorded.get)
        return (predicted_change(self.bracket, trace, self.file, rows, recorded[trace]),
                {method: steady(taken) for method, taken in seconds.items()})


def in_words(values, form):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:{form}} ({low:{form}} to {high:{form}})"


def report(size, turns):
    rows, iterations = size.split(":")
    if len(turns) < 2:
        print(f"{rows} rows: the machine was not in one state for two turns")
        return

    def ratios(method, other):
        return [seconds[method] / seconds[other] for _, seconds in turns]

    changes = [100 * (ratio - 1) for ratio in ratios("bracket", "mpi")]
    fastest = min(seconds["mpi"] for _, seconds in turns)
    print(f"{rows} rows, {iterations} iterations, {fastest * 1e3:.1f} ms, {len(turns)} turns: "
          f"predicted {in_words([predicted for predicted, _ in turns], '+.1f')} %, "
          f"measured {in_words(changes, '+.1f')} %")
    apart = [predicted - change for (predicted, _), change in zip(turns, changes)]
    print(f"  predicted minus measured: mean {statistics.mean(apart):+.1f} points, "
          f"{min(apart):+.1f} to {max(apart):+.1f}")
    for method in ("bracket", "binned"):
        print(f"  {method} to simd: {in_words(ratios(method, 'simd'), '.2f')}", flush=True)


def main():
    bracket, cg, folder, *sizes = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    turns = {size: [] for size in sizes or SIZES}
    for _ in range(ROUNDS):
        machine = Machine(bracket, cg, folder)
        for size, taken in turns.items():
            for _ in range(TURNS):
                turn = machine.turn(*size.split(":"))
                if turn is None:
                    print(f"{size}: the machine is in another state", file=sys.stderr)
                    continue
                taken.append(turn)
                predicted, seconds = turn
                change = 100 * (seconds["bracket"] / seconds["mpi"] - 1)
                print(f"{size}: predicted {predicted:+.1f} %, measured {change:+.1f} %",
                      file=sys.stderr)
    for size, taken in turns.items():
        report(size, taken)


if __name__ == "__main__":
    main()
