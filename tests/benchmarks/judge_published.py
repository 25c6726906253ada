#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Judges `bracket fit` by a table of published all-reduces.

Usage: judge_published.py BRACKET TABLE.csv

Each machine, day, number of ranks and family of implementations is judged by itself. A machine is
fitted to its recursive doubling alone, and then also to every second size of the other algorithms.
The rows that were not fitted are predicted. A family is the suffix of the implementation's name
(_ompi, _mpich or _over), UTOFU if the name contains that, or default.
"""
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

OTHERS = ("rabenseifner", "ring")
MEBIBYTE = 1 << 20


def family(implementation):
    for suffix in ("_ompi", "_mpich", "_over"):
        if implementation.endswith(suffix):
            return suffix
    return "UTOFU" if "UTOFU" in implementation else "default"


def bracket(program, words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join([program, *words])}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def write(file, columns, rows):
    with open(file, "w", newline="") as out:
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        writer.writerows(rows)


def percent(errors, share):
    ordered = sorted(abs(error) for error in errors)
    return 100 * (statistics.median(ordered) if share == 0.5 else ordered[int(share * len(ordered))])


def describe(title, errors):
    if errors:
        print(f"{title:36} {len(errors):4} rows, median {percent(errors, 0.5):5.1f} %, "
              f"nine of ten below {percent(errors, 0.9):5.1f} %")


def main():
    program, table = sys.argv[1:]
    with open(table) as lines:
        reader = csv.DictReader(lines)
        columns, rows = reader.fieldnames, list(reader)
    groups = {}
    for row in rows:
        key = (row["machine"], row["date"], row["ranks"], family(row["implementation"]))
        groups.setdefault(key, []).append(row)
    alone = {algorithm: [] for algorithm in OTHERS}
    small = {algorithm: [] for algorithm in OTHERS}
    half = {algorithm: [] for algorithm in OTHERS}
    right = choices = 0
    with tempfile.TemporaryDirectory() as scratch:
        place = lambda name: os.path.join(scratch, name)
        for key, group in groups.items():
            doubling = [row for row in group if row["algorithm"] == "recursive-doubling"]
            others = [row for row in group if row["algorithm"] in OTHERS]
            # Below 2 KiB, this library replaces its ring.
            others = [row for row in others if not (
                row["implementation"] == "default-ring" and int(row["bytes"]) < 2048)]
            if not doubling or not others:
                continue
            sizes = {}
            for row in others:
                sizes.setdefault(row["algorithm"], set()).add(int(row["bytes"]))
            second = {name: set(sorted(all_sizes)[::2]) for name, all_sizes in sizes.items()}
            fitted = [row for row in others if int(row["bytes"]) in second[row["algorithm"]]]
            rest = [row for row in others if row not in fitted]
            write(place("doubling.csv"), columns, doubling)
            write(place("judged.csv"), columns, doubling + others)
            bracket(program, ["fit", place("doubling.csv"), "-o", place("alone.json"), "--json"])
            judged = bracket(program, ["validate", place("judged.csv"), "--machine",
                                       place("alone.json"), "--json"])
            by_size = {}
            mine = {algorithm: [] for algorithm in OTHERS}
            for row in judged:
                if "model" in row:
                    continue
                by_size.setdefault(row["bytes"], []).append(row)
                if row["algorithm"] in OTHERS:
                    mine[row["algorithm"]].append(row["loggp_error"])
                    if row["bytes"] <= MEBIBYTE:
                        small[row["algorithm"]].append(row["loggp_error"])
            for algorithm in OTHERS:
                alone[algorithm] += mine[algorithm]
            for candidates in by_size.values():
                if len(candidates) < 2:
                    continue
                choices += 1
                chosen = min(candidates, key=lambda row: row["loggp_seconds"])
                fastest = min(row["measured_seconds"] for row in candidates)
                right += chosen["measured_seconds"] <= 1.1 * fastest
            print(" ".join(key), {name: f"{percent(errors, 0.5):.0f} %"
                                  for name, errors in mine.items() if errors})
            if rest:
                write(place("half.csv"), columns, doubling + fitted)
                write(place("rest.csv"), columns, rest)
                bracket(program, ["fit", place("half.csv"), "-o", place("half.json"), "--json"])
                for row in bracket(program, ["validate", place("rest.csv"), "--machine",
                                             place("half.json"), "--json"]):
                    if "model" not in row:
                        half[row["algorithm"]].append(row["loggp_error"])
    print()
    for algorithm in OTHERS:
        describe(f"{algorithm}, up to 1 MiB", small[algorithm])
        describe(f"{algorithm}, all sizes", alone[algorithm])
        describe(f"{algorithm}, half of it fitted", half[algorithm])
    describe("both, half of them fitted", [error for errors in half.values() for error in errors])
    print(f"choice within 1.1 of the fastest: {right} of {choices}")


if __name__ == "__main__":
    main()
