# SPDX-License-Identifier: MIT

"""Common parts of all kinds of files: making one, giving it to a program, reading it again."""

import readers
from processes import Finding


def only_row(outcome):
    rows = [readers.strict_json(line) for line in outcome.out.splitlines()]
    if len(rows) != 1:
        raise Finding(f"{len(rows)} rows in place of one")
    return rows[0]


def expect(row, **wanted):
    for key, value in wanted.items():
        if row.get(key) != value:
            raise Finding(f"{key} is {row.get(key)}, not {value}")


class Form:
    """A kind of file. `make` returns its content and the context for `words` and `read`."""

    json = False
    text = False
    own_mutant = None
    on_ranks = False

    def __init__(self, random):
        self.random = random

    def stricter(self, seen, context):
        """Reason for which Bracket may refuse a file that the second reader accepts, or None."""
        return None

    def after(self, folder, mutant, outcome, context):
        pass
