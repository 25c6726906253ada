#!/usr/bin/env python3
"""Judges predictions of `cost` by the conjugate-gradient example, and compares its dot products.

Usage: judge_cost.py BRACKET CG FOLDER [ROWS:ITERATIONS ...]

CG is the built example, such as build/release/cg_cpp; all runs have two ranks. Calibrates into
FOLDER/machine.json, then for each number of rows:

- records a run with plain loops and MPI_Allreduce, and predicts by `cost` how its time changes with
  a reducer;
- runs the example by each of its methods in turns, without the recorder, and takes the time of its
  iterations;
- records and predicts once more.

Prints both predictions beside the measured change in per cent of the run: the median over all turns
of the ratio of two neighbouring runs, and its quartiles. Then the time of the reducers to that of
loops with vector instructions. Takes about three minutes.
"""

import json
import pathlib
import re
import statistics
import subprocess
import sys

SIZES = ["1000:20000", "10000:5000", "100000:500", "1000000:30"]
METHODS = ["mpi", "bracket", "simd", "binned"]
TURNS = 15


def launch(*words):
    return subprocess.run(["mpiexec", "-n", "2", *words], check=True, capture_output=True, text=True)


def predicted_change(bracket, cg, folder, rows, iterations):
    trace = str(folder / "trace")
    launch(bracket, "record", "-o", trace, "--", cg, "mpi", rows, iterations)
    printed = subprocess.run(
        [bracket, "cost", trace, "--machine", str(folder / "machine.json"), "--plan", "butterfly",
         "--elements", rows, "--products", "--json"], check=True, capture_output=True, text=True)
    plans = json.loads(printed.stdout)["plans"]
    return next(row["change_percent"] for row in plans if row["plan"].startswith("butterfly"))


def seconds(cg, method, rows, iterations):
    said = launch(cg, method, rows, iterations).stderr
    return float(re.search(r"([0-9.]+) seconds", said).group(1))


def quartiles(values):
    return statistics.quantiles(values, n=4)


def judge(bracket, cg, folder, rows, iterations):
    predicted = [predicted_change(bracket, cg, folder, rows, iterations)]
    turns = []
    for _ in range(TURNS):
        turns.append({method: seconds(cg, method, rows, iterations) for method in METHODS})
    predicted.append(predicted_change(bracket, cg, folder, rows, iterations))

    def ratios(method, other):
        return quartiles([turn[method] / turn[other] for turn in turns])

    run = statistics.median(turn["mpi"] for turn in turns)
    low, middle, high = (100 * (ratio - 1) for ratio in ratios("bracket", "mpi"))
    print(f"{rows} rows, {iterations} iterations, {run * 1e3:.1f} ms: "
          f"predicted {predicted[0]:+.1f} % and {predicted[1]:+.1f} %, "
          f"measured {middle:+.1f} % ({low:+.1f} to {high:+.1f})", flush=True)
    for method in ("bracket", "binned"):
        low, middle, high = ratios(method, "simd")
        print(f"  {method} to simd: {middle:.2f} ({low:.2f} to {high:.2f})", flush=True)


def main():
    bracket, cg, folder, *sizes = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    launch(bracket, "calibrate", "--operations", "accumulate,products/float64", "-o",
           str(folder / "machine.json"))
    for size in sizes or SIZES:
        judge(bracket, cg, folder, *size.split(":"))


if __name__ == "__main__":
    main()
