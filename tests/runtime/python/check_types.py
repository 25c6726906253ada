# SPDX-License-Identifier: MIT

"""Checks the types of the Python package by mypy, and the stub of its extension against the extension.

Usage: check_types.py FOLDER, the folder with the package `bracket`
"""

import os
import pathlib
import subprocess
import sys
import tempfile

RIGHT = """
import numpy as np
from mpi4py import MPI

import bracket

x = np.ones(3)
total = bracket.allreduce(x, op="maximum")
planned: bracket.Planned = bracket.read_plan(MPI.COMM_WORLD, "plan.json", 3)
with bracket.Reducer(MPI.COMM_WORLD, x, planned=planned) as reducer:
    result = reducer.run(x)
own: range = bracket.Distribution([1, 2]).held(0)
mass = bracket.Accumulator(algorithm="binned")
mass.add(1.5)
"""
WRONG = """
import bracket

held: str = bracket.Distribution([1, 2]).held(0)
bracket.sum(1, comm="world")
"""


def run(*words):
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    os.environ["MYPYPATH"] = os.environ["PYTHONPATH"] = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        cache = ["--cache-dir", str(pathlib.Path(folder) / "cache")]
        code, said = run("mypy", *cache, "-p", "bracket")
        assert code == 0, said
        program = pathlib.Path(folder) / "program.py"
        program.write_text(RIGHT)
        code, said = run("mypy", *cache, str(program))
        assert code == 0, said
        program.write_text(WRONG)
        code, said = run("mypy", *cache, str(program))
        assert code == 1 and "Found 2 errors" in said, said
        # pybind11's classes have a metaclass of their own.
        classes = pathlib.Path(folder) / "classes"
        classes.write_text("".join(f"bracket._bracket.{name}\n"
                                   for name in ("Accumulator", "DLPackArray", "Distribution", "Reducer")))
        code, said = run("mypy.stubtest", "--allowlist", str(classes), "bracket._bracket")
        assert code == 0, said


if __name__ == "__main__":
    main()
