#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Compares the times that `run`, `bench` and `compare` measure for the same plans on two ranks.

Usage: judge_programs.py BRACKET [ELEMENTS ...]

Measures every plan with each program in three starts, and with `run` once more in the reverse order
of the plans. Prints the median time of each program, and the difference between the fastest and the
slowest. A row agrees if its times are within 5 % of each other or if their intervals, from the
lowest to the highest of the three starts, overlap. Exits with 1 if a row does not agree. Takes
about eight minutes.
"""

import json
import statistics
import subprocess
import sys

SIZES = ["1e3", "1e4", "1e5", "504850", "1e6", "1e7"]
PLANS = ["direct", "buffered:4:64", "aggregated:2", "binomial", "gather"]
TO_ALL = ["butterfly:1024", "elimination:1024", "ring:1024", "dissemination", "native"]
STARTS = 3  # as many as `compare` makes by itself
TOLERANCE = 0.05


def rows_of(command, starts):
    """The low end, the median and the high end of each plan's time over several starts."""
    seconds = {}
    for _ in range(starts):
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for row in map(json.loads, printed.splitlines()):
            if "plan" in row and "measured_seconds" in row:
                seconds.setdefault(row["plan"], []).append(
                    [row[f"measured_{key}seconds"] for key in ("low_", "", "high_")])
    return {plan: (min(low for low, _, _ in found), statistics.median(m for _, m, _ in found),
                   max(high for _, _, high in found)) for plan, found in seconds.items()}


def measure(bracket, elements, plans, to_all):
    launch = ["mpiexec", "-n", "2", bracket]
    collective = ["--all"] if to_all else []
    run = [*launch, "run", "--synthetic", elements, "--json", *collective, "--plan"]
    compare = [bracket, "compare", "-N", elements, "-p", "2", "--distribution", "upper", "--json"]
    measured = {
        "run": rows_of([*run, ",".join(plans)], STARTS),
        "run, reversed": rows_of([*run, ",".join(reversed(plans))], STARTS),
        "compare": rows_of([*compare, *collective, "--plan", ",".join(plans)], 1),
    }
    if to_all:  # bench leaves the result of every plan on all ranks
        bench = [*launch, "bench", "-N", elements, "--json", "--candidates"]
        measured["bench"] = rows_of([*bench, ",".join(plans)], STARTS)
    return measured


def agree(times):
    medians = [median for _, median, _ in times]
    overlap = max(low for low, _, _ in times) <= min(high for _, _, high in times)
    apart = max(medians) / min(medians) - 1
    return overlap or apart <= TOLERANCE, apart


def main():
    bracket, *sizes = sys.argv[1:]
    failed = rows = 0
    for elements in sizes or SIZES:
        for to_all in (False, True):
            plans = PLANS + TO_ALL if to_all else PLANS
            measured = measure(bracket, elements, plans, to_all)
            for plan in plans:
                times = {name: found[plan] for name, found in measured.items() if plan in found}
                same, apart = agree(list(times.values()))
                rows += 1
                failed += not same
                shown = "  ".join(f"{name} {median * 1e6:8.2f}"
                                  for name, (_, median, _) in times.items())
                result = "all-reduce" if to_all else "reduce"
                print(f"{elements:>7} {result:10} {plan:16} {shown} us  {apart:4.0%}"
                      f"{'' if same else '  apart'}", flush=True)
    print(f"{rows - failed} of {rows} rows agree.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
