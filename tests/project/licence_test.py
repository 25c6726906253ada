# SPDX-License-Identifier: MIT

"""Checks that every source file names its licence in its first lines.

Usage: licence_test.py SOURCE
"""

import os
import pathlib
import sys

source = pathlib.Path(sys.argv[1])
line = "SPDX-License-Identifier: MIT"
suffixes = {".c", ".cmake", ".cpp", ".cu", ".cuh", ".f90", ".h", ".hpp", ".py", ".sh"}


def is_source(path):
    name = path.name.removesuffix(".in")  # a template of CMake
    if name == "CMakeLists.txt" or pathlib.Path(name).suffix in suffixes:
        return True
    return "." not in name and path.read_bytes().startswith(b"#!")  # a script


missing, count = [], 0
for folder, folders, files in os.walk(source):
    # Neither builds nor what Git and editors keep.
    folders[:] = [name for name in folders
                  if name not in ("build", "__pycache__") and (name[0] != "." or name == ".ci")]
    for path in (pathlib.Path(folder) / file for file in files):
        if not path.is_symlink() and is_source(path):
            count += 1
            with path.open() as text:
                if not any(line in text.readline() for _ in range(3)):
                    missing.append(str(path.relative_to(source)))
assert (source / "LICENSE").read_text().startswith("MIT License")
assert count > 500, f"only {count} source files were found in {source}"
if missing:
    sys.exit(f"these files do not begin with {line}:\n" + "\n".join(sorted(missing)))
