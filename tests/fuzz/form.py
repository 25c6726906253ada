"""What all kinds of files share: how one is made, given to a program, and read again."""

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
    """A kind of file. `make` gives its content and what `words` and `read` need to know."""

    json = False
    text = False
    own_mutant = None
    on_ranks = False

    def __init__(self, random):
        self.random = random

    def stricter(self, seen, context):
        """Why Bracket may refuse what the second reader takes."""
        return None

    def after(self, folder, mutant, outcome, context):
        pass
