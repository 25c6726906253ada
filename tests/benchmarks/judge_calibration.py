#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Judges predictions by a fresh calibration of this machine, on two ranks.

Usage: judge_calibration.py BRACKET FOLDER [tree|binned|double-double|float32|vectors ...]

For each kind of reduction, by default for the sum of float64 in tree order alone: calibrates into
FOLDER/KIND.json and measures its plans to one rank and to all ranks, over two distributions, for six
sizes, with three starts of each, into FOLDER/KIND.jsonl. `vectors` have 1 000 items. Prints the error
of every row, and the median and the 90th percentile of each model. Takes about two minutes for each
kind, and more if the machine does not stay as it is.

The host of a virtual machine may move its cores, and messages then take twice as long, or half as
long. So a small all-reduce is measured during and after the calibration, and after each plan of each size.
If its time has changed by more than a fifth, that plan is told and measured again once the time is as
before, and after a minute the calibration as well.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import time

SCALARS = ["1e3", "1e4", "1e5", "504850", "1e6", "1e7"]
VECTORS = ["2", "16", "64", "256", "1000", "2000"]
PLANS = "direct,buffered,aggregated,binomial,gather"
KINDS = {
    "tree": ([], "none", SCALARS, PLANS),
    "binned": (["--algorithm", "binned:3"], "binned:3", SCALARS, "aggregated,aggregated:4"),
    "double-double": (["--algorithm", "double-double"], "double-double", SCALARS, PLANS),
    "float32": (["--type", "float32"], "float32", SCALARS, PLANS),
    "vectors": (["--items", "1000"], "none", VECTORS, PLANS),
}
CALIBRATIONS = 10
PATIENCE = 60  # seconds
CHANGE = 1.2
CALIBRATION_CHANGE = 0.5  # of a small all-reduce, which other programs may disturb


def run(words, file=subprocess.DEVNULL):
    subprocess.run(words, check=True, stdout=file)


def probe(bracket):
    """Seconds of a small all-reduce, the least of three starts."""
    command = ["mpiexec", "-n", "2", bracket, "run", "--synthetic", "2", "--all", "--json"]
    seconds = []
    for _ in range(3):
        row = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds.append(json.loads(row.splitlines()[0])["measured_seconds"])
    return min(seconds)


def alike(one, other):
    return max(one / other, other / one) <= CHANGE


def steady(what, before, after):
    """Whether both probes took the same time; if not, says so."""
    if alike(before, after):
        return True
    print(f"{what}: a small all-reduce took {before * 1e6:.2f} us before and {after * 1e6:.2f} us after; "
          "once more", flush=True)
    return False


def becomes(bracket, usual):
    """Whether a probe takes its usual time again soon."""
    end = time.monotonic() + PATIENCE
    while not alike(probe(bracket), usual):
        if time.monotonic() > end:
            return False
        time.sleep(1)
    return True


def measure(bracket, options, elements, plan, machine, file):
    everywhere = ["--all"] if plan == "butterfly" else []
    with open(file, "w") as rows:
        run([bracket, "compare", "-N", elements, "-p", "2", "--distribution", "upper,optimized:0.2",
             "--machine", machine, "--json", *options, "--plan", plan, *everywhere], rows)


def measured(bracket, folder, kind):
    """Calibrates and measures. False if the machine changed its state meanwhile."""
    options, operations, sizes, plans = KINDS[kind]
    machine, rows, part = (str(folder / f"{kind}{end}") for end in (".json", ".jsonl", ".part"))
    usual = probe(bracket)
    run(["mpiexec", "-n", "2", bracket, "calibrate", "--operations", operations, "-o", machine])
    if not steady(f"{kind}, calibration", usual, probe(bracket)):
        return False
    rounds = json.loads(pathlib.Path(machine).read_text())["rounds"]
    if rounds["messages_apart"] > CALIBRATION_CHANGE:
        print(f"{kind}: messages changed during the calibration; once more", flush=True)
        return False
    with open(rows, "w") as all_rows:
        for size, plan in itertools.product(sizes, [*plans.split(","), "butterfly"]):
            while True:
                measure(bracket, options, size, plan, machine, part)
                if steady(f"{kind}, {size} elements, {plan}", usual, probe(bracket)):
                    break
                if not becomes(bracket, usual):
                    return False
            all_rows.write(pathlib.Path(part).read_text())
    return True


def judge(bracket, folder, kind):
    if not any(measured(bracket, folder, kind) for _ in range(CALIBRATIONS)):
        raise SystemExit(f"{kind}: the machine changed during each of {CALIBRATIONS} calibrations")
    machine, rows = str(folder / f"{kind}.json"), str(folder / f"{kind}.jsonl")
    run([bracket, "validate", rows, "--machine", machine], None)
    print(flush=True)


def main():
    bracket, folder, *kinds = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds or ["tree"]:
        judge(bracket, folder, kind)


if __name__ == "__main__":
    main()
