#!/usr/bin/env python3
# SPDX-License-Identifier: MIT

"""Builds the wheel of the Python package, unpacks it as pip does, and runs an example with it.

Usage: wheel.py SOURCE SCRATCH LAUNCHER...

Without scikit-build-core, which pip would download, it says that it is skipped: exit code 77.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

source, scratch, *launcher = sys.argv[1:]
source, scratch = pathlib.Path(source), pathlib.Path(scratch)
for module in ("scikit_build_core", "pip"):
    if importlib.util.find_spec(module) is None:
        print(f"skipped: {sys.executable} has no module {module}")
        sys.exit(77)

shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)
packages = scratch / "packages"
pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
# The Python and the compilers of this build. Without the isolation, nothing is downloaded.
subprocess.run([*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", scratch, source],
               check=True)
(wheel,) = scratch.glob("bracket-*.whl")
names = zipfile.ZipFile(wheel).namelist()
folders = {name.split("/")[0] for name in names}
assert len(folders) == 2 and "bracket" in folders, folders  # and that of the metadata
for name in ("__init__.py", "_mpi.py", "_bracket.pyi", "py.typed"):
    assert f"bracket/{name}" in names, name
metadata = next(name for name in names if name.endswith("/METADATA"))
version = next(line.split("VERSION")[1].split()[0]
               for line in (source / "CMakeLists.txt").read_text().splitlines()
               if line.startswith("project(bracket "))
assert f"Version: {version}" in zipfile.ZipFile(wheel).read(metadata).decode().splitlines()

subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", packages, wheel], check=True)
environment = {**os.environ, "PYTHONPATH": str(packages)}
example = shutil.copy(source / "runtime/examples/total.py", scratch)
outputs = set()
for ranks in ("1", "2", "3"):
    done = subprocess.run([*launcher, ranks, sys.executable, example], env=environment, cwd=scratch,
                          check=True, capture_output=True, text=True)
    outputs.add(done.stdout)
assert len(outputs) == 1 and next(iter(outputs)).startswith("sum "), outputs
print(next(iter(outputs)), end="")
