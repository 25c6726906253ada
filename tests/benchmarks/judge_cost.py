#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Judges predictions of `cost` by the conjugate-gradient example, and compares its dot products.

Usage: judge_cost.py BRACKET CG FOLDER [ROWS:ITERATIONS ...]

CG is the built example, such as build/release/cg_cpp; all runs have two ranks. There are some rounds.
Each calibrates into FOLDER/machine.json and then takes some turns for each number of rows:

- record a run with plain loops and MPI_Allreduce, and predict its change with a reducer,
- run the example by each of its methods, without the recorder, and take the time of its iterations.

The host of a virtual machine moves its cores, and messages then take another time. So a short run
before and after each calibration and each turn measures the state of the machine. A turn counts only
if all of these runs took about as long as those of its calibration.

Prints the medians and quartiles, over the turns that count, of the predicted and of the measured
change, and of the time of the reducers to that of loops with vector instructions. Takes about ten
minutes.
"""

import json
import pathlib
import re
import statistics
import subprocess
import sys

SIZES = ["1000:20000", "10000:5000", "100000:500", "300000:100", "1000000:30"]
OPERATIONS = ["accumulate", "accumulate/products", "accumulate/squares", "products", "squares"]
METHODS = ["mpi", "bracket", "simd", "binned"]
ROUNDS = 3
TURNS = 6


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
    """Records a run with plain loops."""
    launch(bracket, "record", "-o", trace, "--", *example(cg, "mpi", rows, iterations))


def predicted_change(bracket, trace, machine, rows):
    printed = subprocess.run(
        [bracket, "cost", trace, "--machine", machine, "--plan", "butterfly", "--elements", rows,
         "--terms", "squares,products", "--json"], check=True, capture_output=True, text=True)
    plans = json.loads(printed.stdout)["plans"]
    return next(row["change_percent"] for row in plans if row["plan"].startswith("butterfly"))


def seconds_in(said):
    return float(re.search(r"([0-9.]+) seconds", said).group(1))


class Machine:
    """The machine in one state, as calibrated."""

    def __init__(self, bracket, cg, folder):
        self.bracket, self.cg, self.folder = bracket, cg, folder
        self.file = str(folder / "machine.json")
        for _ in range(4):
            before = self.state()
            launch(bracket, "calibrate", "--operations", ",".join(OPERATIONS), "-o", self.file)
            self.calibrated = self.latest = self.state()
            if self.like(before, self.calibrated):
                return
        print("the machine changed during each of four calibrations", flush=True)

    def state(self):
        """Seconds of a short run, most of which are messages."""
        return min(seconds_in(launch(*example(self.cg, "mpi", "1000", "4000")).stderr)
                   for _ in range(2))

    @staticmethod
    def like(one, other):
        return abs(one - other) < 0.1 * min(one, other)

    def turn(self, rows, iterations):
        """Predicted change in per cent and the seconds of each method, or None if the machine is in
        another state than when it was calibrated."""
        if not self.like(self.latest, self.calibrated):
            self.latest = self.state()
            return None
        trace = str(self.folder / "trace")
        record(self.bracket, self.cg, trace, rows, iterations)
        seconds = {method: seconds_in(launch(*example(self.cg, method, rows, iterations)).stderr)
                   for method in METHODS}
        self.latest = self.state()
        if not self.like(self.latest, self.calibrated):
            return None
        return predicted_change(self.bracket, trace, self.file, rows), seconds


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
                if turn is not None:
                    taken.append(turn)
    for size, taken in turns.items():
        report(size, taken)


if __name__ == "__main__":
    main()
