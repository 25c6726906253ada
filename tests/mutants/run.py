#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Puts small faults into a copy of the code, one at a time, and shows which tests see them."""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # no files beside the sources

from mutant_list import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = "copied-files.txt"  # in the copy: what it consists of


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Exit code: 0 if the tests see each mutant, 1 if not or if the list is wrong, 2 for "
               "bad use.")
    parser.add_argument("words", nargs="*", metavar="WORDS",
                        help="choose mutants whose names contain one of these; all if not given")
    parser.add_argument("--list", action="store_true", help="print the mutants and end")
    parser.add_argument("--check", action="store_true",
                        help="check that each old text occurs exactly once in its file, and end")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "mutants",
                        help="folder for the copy and its build; build/mutants if not given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    arguments = parser.parse_args()
    for words in arguments.words:
        if not any(words in mutant.name for mutant in MUTANTS):
            parser.error(f"no mutant's name contains '{words}': --list prints the names")
    if arguments.jobs < 1:
        parser.error(f"--jobs {arguments.jobs}: at least 1 was expected")
    arguments.folder = arguments.folder.resolve()
    taken = arguments.folder.is_dir() and any(arguments.folder.iterdir())
    runs = not arguments.list and not arguments.check
    if runs and taken and not (arguments.folder / COPIED).exists():
        parser.error(f"--folder {arguments.folder} has other files: choose a new folder")
    return arguments


def faults_of(mutant, root):
    """What is wrong with an entry of the list."""
    file = root / mutant.file
    if not file.is_file():
        return [f"{mutant.file} does not exist"]
    found = file.read_text(encoding="utf-8").count(mutant.old)
    faults = []
    if found != 1:
        faults.append(f"the old text occurs {found} times in {mutant.file}, not once")
    if mutant.old == mutant.new:
        faults.append("the new text is the old one")
    return faults


def check(mutants):
    """Prints what is wrong with the list, and returns the exit code."""
    faults = [f"{mutant.name}: {fault}" for mutant in mutants for fault in faults_of(mutant, ROOT)]
    names = [mutant.name for mutant in MUTANTS]
    faults += [f"{name}: the name occurs twice" for name in set(names) if names.count(name) > 1]
    print("\n".join(faults) if faults else f"{len(mutants)} mutants fit the code")
    return 1 if faults else 0


class Progress:
    """One line on stderr, if it is a terminal."""

    def __init__(self):
        self.begin = time.monotonic()
        self.shown = sys.stderr.isatty()

    def say(self, words):
        if self.shown:
            seconds = int(time.monotonic() - self.begin)
            print(f"\r\033[K{seconds} s: {words}", end="", file=sys.stderr, flush=True)

    def clear(self):
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def synchronise(folder):
    """Makes the files of `folder` those of the working tree that git does not ignore. Writes only
    what differs, so that the build stays up to date."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, check=True, capture_output=True)
    files = [name for name in os.fsdecode(listed.stdout).split("\0")
             if name and (ROOT / name).is_file()]
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / COPIED
    before = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    record.write_text("".join(f"{name}\n" for name in sorted({*before, *files})), encoding="utf-8")
    for name in set(before) - set(files):
        (folder / name).unlink(missing_ok=True)
    for name in files:
        source, target = ROOT / name, folder / name
        content = source.read_bytes()
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        target.chmod(source.stat().st_mode)
    record.write_text("".join(f"{name}\n" for name in sorted(files)), encoding="utf-8")


class Copy:
    """The copy of the code, with its build."""

    def __init__(self, folder, jobs):
        self.folder = folder
        self.binaries = folder / "build" / "release"
        self.jobs = jobs
        self.log = folder / "log"

    def run(self, command, timeout=None):
        """Runs a command. Returns its exit code, None after the timeout, and its output."""
        with self.log.open("w+", encoding="utf-8", errors="replace") as log:
            # mpiexec ends its ranks if it gets this signal.
            with subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, start_new_session=True) as process:
                try:
                    code = process.wait(timeout)
                except BaseException as failure:
                    for end in (signal.SIGTERM, signal.SIGKILL):
                        try:
                            os.killpg(process.pid, end)
                        except ProcessLookupError:
                            break
                        time.sleep(2)
                    if not isinstance(failure, subprocess.TimeoutExpired):
                        raise
                    code = None
            log.seek(0)
            return code, log.read()

    def build(self, targets):
        return self.run(["cmake", "--build", self.binaries, "--parallel", str(self.jobs),
                         "--target", *targets])

    def test(self, tests, timeout, *options):
        """Runs tests. Returns the names of the failed ones, or None if no test could run."""
        code, output = self.run(["ctest", "--test-dir", self.binaries, "--tests-regex", tests,
                                 "--no-tests=error", *options], timeout)
        failed = re.findall(r"^\s*\d+ - (.+) \((?!Not Run)[^()]*\)$", output, re.MULTILINE)
        if code is None:
            running = re.findall(r"^\s*Start\s+\d+: (.+)$", output, re.MULTILINE)
            return [f"{running[-1] if running else tests} (time out)"]
        return failed if code == 0 or failed else None

    def result_of(self, mutant, timeout):
        """Puts a mutant into the copy and takes it out again. Returns the result and its reason."""
        if faults_of(mutant, self.folder):
            return "old text not found", ""
        file = self.folder / mutant.file
        correct = file.read_text(encoding="utf-8")
        try:
            file.write_text(correct.replace(mutant.old, mutant.new), encoding="utf-8")
            code, output = self.build(mutant.targets)
            if code != 0:
                return "does not compile", next(iter(re.findall(".*error.*", output)), "")
            failed = self.test(mutant.tests, timeout, "--stop-on-failure")
        finally:
            file.write_text(correct, encoding="utf-8")
        if failed is None:
            return "no test runs", mutant.tests
        return ("killed", failed[0]) if failed else ("survived", mutant.tests)


def run(mutants, arguments):
    progress = Progress()
    progress.say("copying the code")
    synchronise(arguments.folder)
    copy = Copy(arguments.folder, arguments.jobs)
    targets = sorted({target for mutant in mutants for target in mutant.targets})
    for what, command in (("configure", ["cmake", "--preset", "release"]), ("build", None)):
        progress.say(f"{what}: the copy without a mutant")
        code, output = copy.run(command) if command else copy.build(targets)
        if code != 0:
            progress.clear()
            print(f"{output}\nThe copy without a mutant: {what} failed")
            return 1
    # A test that fails anyway would see everything. A test that hangs takes some times as long.
    timeouts = {}
    for tests in sorted({mutant.tests for mutant in mutants}):
        progress.say(f"testing the copy without a mutant: {tests}")
        begin = time.monotonic()
        failed = copy.test(tests, None)
        timeouts[tests] = 30 + 5 * (time.monotonic() - begin)
        if failed is None or failed:
            progress.clear()
            print(f"Without a mutant, {', '.join(failed or [f'no test of {tests}'])} "
                  f"{'fails' if failed else 'runs'}")
            return 1
    counts = {}
    width = max(len(mutant.name) for mutant in mutants)
    for number, mutant in enumerate(mutants, 1):
        progress.say(f"{number} of {len(mutants)}: {mutant.name}")
        result, words = copy.result_of(mutant, timeouts[mutant.tests])
        counts[result] = counts.get(result, 0) + 1
        progress.clear()
        print(f"{mutant.name:{width}}  {result:8}  {words}".rstrip(), flush=True)
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 0 if set(counts) == {"killed"} else 1


def main():
    arguments = parse_arguments()
    mutants = [mutant for mutant in MUTANTS if not arguments.words
               or any(words in mutant.name for words in arguments.words)]
    if arguments.list:
        for mutant in mutants:
            print(f"{mutant.name} ({mutant.file})")
        return 0
    return check(mutants) if arguments.check else run(mutants, arguments)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\ninterrupted; the copy is repaired by the next run")
