# SPDX-License-Identifier: MIT

"""Checks the pictures of viz/README.md in a folder: size, form, and what each must show.

Usage: pictures.py FOLDER
"""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 500_000  # bytes

# For each picture, the number of shapes of a class. A legend may have one more of each.
COUNTS = {
    "tree.svg": {"element": 9, "inner": 8, "intersecting": 4, "outbound": 4, "cluster": 3},
    "folded.svg": {"cluster": 4},
    "groups.svg": {"cluster": 32, "group": 32, "intersecting": 31},
    "schedule.svg": {"message": 4, "send": 4, "recv": 4, "cluster": 5},
    "timeline.svg": {"row": 24, "send": 192, "recv": 192},
    "simulated.svg": {"row": 24, "send": 192, "recv": 192},
    "levels.svg": {"level": 11},
    "matrix.svg": {},
    "overview.svg": {"level": 8},
}

# The number of messages that all shapes of a class have together, by their tooltips.
MESSAGES = {
    "levels.svg": {"level": 10752},
    "matrix.svg": {"cell": 10752},
    "overview.svg": {"level": 1401, "cell": 1401},
}

# The number of ranks that the rows of timelines have together.
RANKS = {"timeline.svg": 24, "simulated.svg": 24, "overview.svg": 256}


def tooltip(shape):
    """The tooltip of a shape; empty in legends."""
    title = shape.find(SVG + "title")
    return "" if title is None else title.text


def check(file):
    """Checks one picture, and returns what is wrong with it."""
    content = file.read_bytes()
    if len(content) > LARGEST:
        return [f"{len(content)} bytes are more than {LARGEST}"]
    shapes = {}
    for shape in ElementTree.fromstring(content).iter():
        for word in shape.get("class", "").split():
            shapes.setdefault(word, []).append(shape)
    wrong = []
    for word, count in COUNTS[file.name].items():
        found = len(shapes.get(word, []))
        if found not in (count, count + 1):
            wrong.append(f"{found} shapes of class {word}, not {count}")
    for word, count in MESSAGES.get(file.name, {}).items():
        found = sum(int(number) for shape in shapes.get(word, [])
                    for number in re.findall(r"(\d+) messages?,", tooltip(shape)))
        if found != count:
            wrong.append(f"{found} messages in class {word}, not {count}")
    if file.name in RANKS:
        ranks = []
        for row in shapes.get("row", []):
            if numbers := [int(number) for number in re.findall(r"\d+", tooltip(row))]:
                ranks.extend(range(numbers[0], numbers[-1] + 1))
        if ranks != list(range(RANKS[file.name])):
            wrong.append("the rows do not have each rank once")
        if "critical" not in shapes:
            wrong.append("no critical path")
    return wrong


def main():
    """Checks all pictures of the folder."""
    failed = False
    for name in COUNTS:
        for complaint in check(Path(sys.argv[1]) / name):
            print(f"{name}: {complaint}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
