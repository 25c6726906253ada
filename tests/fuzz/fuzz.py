#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Runs random cases and compares the programs with a second implementation."""

import argparse
import importlib
import os
import pathlib
import random
import shlex
import shutil
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True  # no files beside the sources

import formats
import known
from processes import Finding, Programs

PARTS = ("sums", "schedules", "formats")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="BRACKET_FUZZ_SECONDS in the environment replaces --seconds, --cases and --seed.")
    parser.add_argument("--bracket", required=True, help="the command line that is tested")
    parser.add_argument("--mpiexec", default="mpiexec -n", help="what starts ranks, before their "
                        "number")
    parser.add_argument("--part", action="append", choices=PARTS, help="all of them if not given")
    parser.add_argument("--only", help="the only format of the part formats")
    parser.add_argument("--skip", action="append", default=[], help="a format")
    parser.add_argument("--without-simgrid", action="store_true", help="bracket was built so")
    parser.add_argument("--seed", type=int, help="drawn if not given")
    parser.add_argument("--cases", type=int, help="of each part; without limit if not given")
    parser.add_argument("--seconds", type=float, default=60, help="of all parts together")
    parser.add_argument("--case", type=int, help="this case alone, of one part")
    parser.add_argument("--findings", default="build/fuzz-findings",
                        help="folder for what was found")
    parser.add_argument("--timeout", type=float, default=60, help="seconds of one program")
    parser.add_argument("--megabytes", type=int, default=4096,
                        help="address space of a program without mpiexec; 0 for no limit, as a "
                             "program under a sanitizer needs it")
    parser.add_argument("--stop-after", type=int, default=20, help="findings")
    arguments = parser.parse_args()
    # A long run of the tests, in place of the fixed seeds and numbers of cases from CTest.
    if os.environ.get("BRACKET_FUZZ_SECONDS") and arguments.case is None:
        arguments.seconds = float(os.environ["BRACKET_FUZZ_SECONDS"])
        arguments.cases = arguments.seed = None
    if arguments.case is not None and (arguments.part is None or len(arguments.part) != 1):
        parser.error("--case needs one --part")
    for name in [arguments.only, *arguments.skip]:
        if name is not None and name not in formats.FORMATS:
            parser.error(f"unknown format '{name}'; known: {', '.join(formats.FORMATS)}")
    if not os.access(arguments.bracket, os.X_OK):
        parser.error(f"--bracket {arguments.bracket} is no program")
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(10**9)
    return arguments


class Fuzzer:
    def __init__(self, arguments):
        self.arguments = arguments
        self.programs = Programs(arguments.bracket, shlex.split(arguments.mpiexec),
                                 arguments.timeout, arguments.megabytes)
        if arguments.without_simgrid:
            self.programs.engine = "loggops"
            arguments.skip.append("platform.xml")
        self.findings = 0
        self.tolerated = {}
        self.seen = {}

    def run(self, part, case, scratch):
        """Runs one case. Its random numbers depend only on the seed, the part and its number."""
        numbers = random.Random(f"{self.arguments.seed}/{part}/{case}")
        folder = scratch / "case"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.programs.begin(folder)
        module = importlib.import_module(part)
        extra = {}
        if part == "formats":
            extra = {"only": self.arguments.only, "skip": self.arguments.skip}
        try:
            seen = module.run_case(numbers, self.programs, folder, **extra)
            self.seen.setdefault(part, {}).setdefault(seen, 0)
            self.seen[part][seen] += 1
        except Finding as finding:
            self.take(part, case, folder, str(finding))
        except Exception:
            self.take(part, case, folder, "the fuzzer itself failed:\n" + traceback.format_exc())

    def take(self, part, case, folder, what):
        reason = known.reason(part, what, self.programs.history)
        if reason:
            self.tolerated[reason] = self.tolerated.get(reason, 0) + 1
            return
        self.findings += 1
        kept = pathlib.Path(self.arguments.findings) / f"{part}-{self.arguments.seed}-{case}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept)
        again = [sys.executable, __file__, "--bracket", self.arguments.bracket, "--mpiexec",
                 self.arguments.mpiexec, "--part", part, "--seed", str(self.arguments.seed),
                 "--case", str(case)]
        if self.arguments.only:
            again += ["--only", self.arguments.only]
        for name in self.arguments.skip:
            again += ["--skip", name]
        again += ["--without-simgrid"] * self.arguments.without_simgrid
        history = "\n".join(outcome.shown() for outcome in self.programs.history)
        (kept / "finding.txt").write_text(
            f"{what}\n\nAgain, with the fuzzer:\n{shlex.join(again)}\n\n"
            f"The commands, in this folder:\n{history}", errors="backslashreplace")
        clear_line()
        print(f"FINDING {part} {case}: {what}\n  kept in {kept}\n  again: {shlex.join(again)}",
              flush=True)


def clear_line():
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def main():
    arguments = parse_arguments()
    parts = arguments.part or list(PARTS)
    fuzzer = Fuzzer(arguments)
    print(f"seed {arguments.seed}", flush=True)
    start = time.monotonic()
    done = dict.fromkeys(parts, 0)
    shown = 0.0
    with tempfile.TemporaryDirectory(prefix="bracket-fuzz-") as scratch:
        scratch = pathlib.Path(scratch)
        for n, part in enumerate(parts):
            # Without a number of cases each part gets its share of the time.
            end = start + arguments.seconds * (n + 1) / len(parts)
            cases = [arguments.case] if arguments.case is not None else None
            while fuzzer.findings < arguments.stop_after:
                if cases is not None and done[part] == 1:
                    break
                if arguments.cases is not None and done[part] == arguments.cases:
                    break
                if arguments.cases is None and cases is None and time.monotonic() > end:
                    break
                fuzzer.run(part, cases[0] if cases else done[part], scratch)
                done[part] += 1
                if sys.stderr.isatty() and time.monotonic() - shown > 0.2:
                    shown = time.monotonic()
                    print(f"\r\033[K{part}: {done[part]} cases, {fuzzer.findings} findings, "
                          f"{shown - start:.0f} s", end="", file=sys.stderr, flush=True)
    clear_line()
    for part in parts:
        print(f"{part}: {done[part]} cases")
        for what, count in sorted(fuzzer.seen.get(part, {}).items()):
            print(f"  {count:6} {what}")
    for reason, count in sorted(fuzzer.tolerated.items()):
        print(f"known, {count} times: {reason}")
    print(f"{fuzzer.programs.started} programs started, {fuzzer.programs.on_ranks} of them by "
          f"mpiexec, in {time.monotonic() - start:.0f} s; {fuzzer.findings} findings")
    return 1 if fuzzer.findings else 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main())
