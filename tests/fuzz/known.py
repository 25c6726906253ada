"""Findings that are known and do not fail a run, each with the reason for which it is tolerated.

A fault that is mended leaves the table: from then on a run sees it.
"""

import re

RAW = "control byte|not UTF-8|does not begin with 'bracket'|refusal of [0-9]+ characters"

# Part, pattern of what is found, pattern of what the last program said, reason.
TABLE = (
    ("formats", RAW, "has no place in",
     "a key that has no place is shown as it is written, and whole"),
    ("formats", RAW, "is twice in one object",
     "a key that is twice in one object is shown as it is written, and whole"),
    ("formats", RAW, 'an? "?(format|collective)"? is|"(format|collective)" is "',
     "a format or collective of a file is shown as it is written, and whole"),
    ("formats", RAW, "the node of rank|is placed on",
     "a node of a placement's file is shown as it is written, and whole"),
    ("formats", RAW, "platform.xml: ",
     "SimGrid's words about a platform's file are shown as it says them"),
    ("formats", RAW, r"bracket: (-N|unknown (distribution|rank order)|'|the rank order)",
     "a word of the command line is shown as it is written: who writes it sees it"),
    ("formats", RAW, r"unknown [a-z ]+ '|\.json: '|\.json: .*: '",
     "a name in a file, or one of its parameters, is shown as it is written, and whole"),
    ("formats", "a row has more ranks than 32 bits hold", "",
     "a measured row for 2^32 + p ranks is taken for one on p ranks"),
    ("formats", "an empty name is in the list", "",
     "an empty name in a list of names is left out"),
    ("formats", "does not name the file", "the schedule is refused",
     "verify lists what is wrong with the one file that it is given"),
    ("formats", "does not name the file", "a (route|loopback)'s latency is",
     "a latency in a platform's file that is none is said without the file's name"),
    ("formats", "does not name the file", "unknown order|chunk",
     "what is wrong with the order of a schedule's file is said without the file's name"),
)


def reason(part, what, history):
    said = history[-1].words if history else ""
    for known_part, found, words, why in TABLE:
        if part == known_part and re.search(found, what) and re.search(words, said):
            return why
    return None
