#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Judges predictions of `cost` by the conjugate-gradient example, and compares its dot products.

Usage: judge_cost.py BRACKET CG FOLDER [ROWS:ITERATIONS ...]

CG is the built example, such as build/release/cg_cpp; all runs have two ranks. Calibrates into
FOLDER/machine.json. Then, for each number of rows, some turns:

- record a run with plain loops and MPI_Allreduce,
- run the example by each of its methods, without the recorder, and take the time of its iterations.

Prints the change of the fastest recorded run that `cost` predicts with a reducer, beside the measured
change: the fastest run with a reducer to the fastest with loops. The host of a virtual machine slows
many runs down, but none is faster than the program. In brackets, the quartiles over all turns. Then
the time of the reducers to that of loops with vector instructions. Takes about eight minutes.
"""

import json
import pathlib
import re
import statistics
import subprocess
import sys

SIZES = ["1000:20000", "10000:5000", "100000:500", "300000:100", "1000000:30"]
METHODS = ["mpi", "bracket", "simd", "binned"]
TURNS = 40


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


def recorded(bracket, cg, trace, rows, iterations):
    """Records a run with plain loops. Returns the seconds of its iterations."""
    said = launch(bracket, "record", "-o", trace, "--", cg, "mpi", rows, iterations).stderr
    return seconds_in(said)


def predicted_change(bracket, trace, machine, rows):
    printed = subprocess.run(
        [bracket, "cost", trace, "--machine", machine, "--plan", "butterfly", "--elements", rows,
         "--terms", "squares,products", "--json"], check=True, capture_output=True, text=True)
    plans = json.loads(printed.stdout)["plans"]
    return next(row["change_percent"] for row in plans if row["plan"].startswith("butterfly"))


def seconds_in(said):
    return float(re.search(r"([0-9.]+) seconds", said).group(1))


def quartiles(values):
    return statistics.quantiles(values, n=4)


def judge(bracket, cg, folder, rows, iterations):
    traces = {}
    turns = []
    for turn in range(TURNS):
        trace = str(folder / f"trace{turn}")
        traces[recorded(bracket, cg, trace, rows, iterations)] = trace
        turns.append({method: seconds_in(launch(cg, method, rows, iterations).stderr)
                      for method in METHODS})
    machine = str(folder / "machine.json")
    predicted = [predicted_change(bracket, trace, machine, rows) for trace in traces.values()]
    of_fastest = predicted_change(bracket, traces[min(traces)], machine, rows)
    fastest = {method: min(turn[method] for turn in turns) for method in METHODS}

    def ratios(method, other):
        return quartiles([turn[method] / turn[other] for turn in turns])

    low, middle, high = quartiles(predicted)
    print(f"{rows} rows, {iterations} iterations, {fastest['mpi'] * 1e3:.1f} ms, recorded "
          f"{min(traces) * 1e3:.1f} ms: "
          f"predicted {of_fastest:+.1f} % ({low:+.1f}, {middle:+.1f}, {high:+.1f}), ", end="")
    low, middle, high = (100 * (ratio - 1) for ratio in ratios("bracket", "mpi"))
    print(f"measured {100 * (fastest['bracket'] / fastest['mpi'] - 1):+.1f} % "
          f"({low:+.1f}, {middle:+.1f}, {high:+.1f})", flush=True)
    for method in ("bracket", "binned"):
        low, _, high = ratios(method, "simd")
        print(f"  {method} to simd: {fastest[method] / fastest['simd']:.2f} ({low:.2f} to {high:.2f})",
              flush=True)


def main():
    bracket, cg, folder, *sizes = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    launch(bracket, "calibrate", "--operations", "accumulate,products/float64,squares/float64", "-o",
           str(folder / "machine.json"))
    for size in sizes or SIZES:
        judge(bracket, cg, folder, *size.split(":"))


if __name__ == "__main__":
    main()
