# SPDX-License-Identifier: MIT

"""Part `formats`: mutants of every file that the programs read, against a second reader."""

import json
import re

import command_words
import element_files
import files
import mutants
import platform_files
import row_files
from processes import WARNINGS, Finding
from readers import Refused, Unclear

NAME = "formats"

FORMATS = {form.name: form for part in (element_files, files, row_files, platform_files,
                                        command_words) for form in part.FORMS}


def choose_mutant(random, form, content, value):
    """Content of a mutant, and True if programs must accept it like the original file."""
    if random.random() < 0.08:
        return content, True
    if value is not None and random.random() < 0.7:
        if random.random() < 0.15:
            return mutants.same_json(random, value), True
        return mutants.json_mutant(random, value), False
    if form.text and random.random() < 0.4:
        return mutants.number_mutant(random, content), False
    if form.own_mutant and random.random() < 0.5:
        return form.own_mutant(random, content), False
    return mutants.bytes_mutant(random, content, [content]), False


def judge(form, content, outcome, context, same):
    if same and outcome.code != 0:
        raise Finding(f"a right {form.name} is refused")
    if outcome.code != 0 and form.file:
        refusal = [line for line in outcome.words.splitlines() if not re.search(WARNINGS, line)]
        if form.file not in "".join(refusal):
            raise Finding("the refusal does not name the file")
    try:
        seen = form.read(content, context)
    except Unclear:
        return f"unclear and {'refused' if outcome.code else 'accepted'}"
    except Refused as reason:
        if outcome.code == 0:
            raise Finding(f"accepted, but the second reader refuses it: {reason}") from None
        return "refused by both"
    if outcome.code == 0:
        form.compare(seen, outcome, context)
        return "read alike"
    stricter = form.stricter(seen, context)
    if not stricter:
        raise Finding("refused, but the second reader takes it")
    return "refused by a stricter rule"


def run_case(random, programs, folder, only=None, skip=()):
    """Tests one mutant of one format; returns a summary."""
    names = [name for name in FORMATS if only in (None, name) and name not in skip]
    form = FORMATS[random.choice(names)](random)
    content, context = form.make()
    value = None
    if form.json:
        value = json.loads(content)
    mutant, same = choose_mutant(random, form, content, value)
    if not form.file:
        mutant = form.as_word(mutant)
        context["word"] = mutant
    if form.file:
        (folder / form.file).write_bytes(mutant)
    # Ranks that read one file must report the same error. mpiexec is slow, so this is rare.
    ranks = 2 if form.on_ranks and random.random() < 0.03 else 1
    outcome = programs.ranks(ranks, *form.words(context))
    verdict = judge(form, mutant, outcome, context, same)
    form.after(folder, mutant, outcome, context)
    return f"{form.name}, {verdict}"
