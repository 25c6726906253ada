# SPDX-License-Identifier: MIT

"""Checks that CITATION.cff is a valid citation of this version, and that CHANGELOG.md has it.

Usage: citation_test.py SOURCE VERSION
"""

import pathlib
import re
import sys

import yaml

source, version = pathlib.Path(sys.argv[1]), sys.argv[2]
citation = yaml.safe_load((source / "CITATION.cff").read_text())

# The keys that version 1.2.0 of the format requires, and the other keys that it has and we use.
required = {"cff-version", "message", "title", "authors"}
known = required | {"abstract", "type", "version", "license", "keywords", "references"}
assert required <= set(citation) <= known, set(citation) ^ known
assert citation["cff-version"] == "1.2.0"
assert citation["type"] == "software"
assert str(citation["version"]) == version, f"CITATION.cff: {citation['version']}, CMake: {version}"
assert citation["license"] in (source / "LICENSE").read_text().splitlines()[0]
for cited in [citation, *citation["references"]]:
    assert cited["type"] and cited["title"] and cited["authors"], cited
    for author in cited["authors"]:
        assert "name" in author or {"family-names", "given-names"} <= set(author), author
# Every version has one heading, the latest first.
versions = re.findall(r"^## (\S+?)(?:,.*)?$", (source / "CHANGELOG.md").read_text(), re.MULTILINE)
assert versions[0] == version, f"CHANGELOG.md begins with {versions[0]}, CMake has {version}"
assert len(set(versions)) == len(versions)
