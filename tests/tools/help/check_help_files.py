# SPDX-License-Identifier: MIT

"""Compares the man pages and completions of a build with the help that its programs print.

Usage: check_help_files.py BRACKET SHARE. Shells and groff that are not installed are not tested.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

bracket, share = (pathlib.Path(word).resolve() for word in sys.argv[1:])
failures = []


def check(right, what):
    if not right:
        failures.append(what)


def run(*command, **settings):
    return subprocess.run(command, capture_output=True, text=True, check=True, **settings).stdout


def names_in(text):
    """The names of the options in a help."""
    lines = re.findall(r"^  (-\S+)", text, re.MULTILINE)
    return [name for line in lines for name in line.split(",") if name.startswith("-")]


def present(program):
    found = shutil.which(program)
    if not found:
        print(f"skipped: {program} is not installed")
    return found


def check_pages(options):
    pages = {page.name for page in (share / "man/man1").iterdir()}
    check(pages == {"bracket.1"} | {f"bracket-{name}.1" for name in options}, f"pages: {pages}")
    if not present("groff"):
        return
    options = {"bracket": names_in(help_of())} | {f"bracket-{n}": o for n, o in options.items()}
    for page, names in options.items():
        file = share / "man/man1" / f"{page}.1"
        shown = subprocess.run(["groff", "-man", "-Tutf8", "-P-c", "-ww", file],
                               capture_output=True, text=True, check=True)
        check(shown.stderr == "", f"groff of {page}: {shown.stderr}")
        text = re.sub(".\b", "", shown.stdout).replace("‐", "-").replace("−", "-")
        for name in names:
            check(re.search(rf"(?<![\w-]){name}(?![\w-])", text), f"{name} is not in {page}.1")
        for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS"):
            check(re.search(f"^{heading}$", text, re.MULTILINE), f"{page}.1 has no {heading}")


def complete_in_bash(lines, folder):
    """The completions of each command line, whose last word is incomplete, as bash gives them."""
    script = ['source "$1"', "say() { local IFS=' '; echo \"${COMPREPLY[*]}\"; }"]
    for line in lines:
        words = re.findall(r"=|[^ =]+", line) + ([""] if line.endswith(" ") else [])
        script.append(f"COMP_WORDS=({' '.join(repr(word) for word in words)}); "
                      f"COMP_CWORD={len(words) - 1}; "
                      f"_bracket {words[0]!r} {words[-1]!r} {words[-2]!r}; say")
    out = run("bash", "--norc", "-c", "\n".join(script), "bash",
              share / "bash-completion/completions/bracket", cwd=folder)
    return dict(zip(lines, (set(line.split()) for line in out.splitlines()), strict=True))


def listed(kind):
    return set(re.findall(r"^  ([\w-]+)", run(bracket, "list", kind), re.MULTILINE))


def check_bash(options):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "file.json").touch()
        (pathlib.Path(folder) / "folder").mkdir()
        wanted = {f"{bracket} ": set(options) | set(names_in(help_of()))}
        for name, own in options.items():
            wanted[f"{bracket} {name} -"] = set(own)
        wanted[f"{bracket} count --plan "] = listed("plans")
        wanted[f"{bracket} count --plan=b"] = {n for n in listed("plans") if n.startswith("b")}
        wanted[f"{bracket} count --plan="] = listed("plans")
        wanted[f"{bracket} count --machine file"] = {"file.json"}
        wanted[f"{bracket} count --order tr"] = {"tree"}
        wanted[f"{bracket} count --plan-file f"] = {"file.json", "folder"}
        wanted[f"{bracket} count -N "] = set()
        wanted[f"{bracket} count "] = set(options["count"])
        wanted[f"{bracket} run f"] = {"file.json", "folder"}
        wanted[f"{bracket} help "] = set(options)
        wanted[f"{bracket} compare --report-sources f"] = {"folder"}
        for line, given in complete_in_bash(list(wanted), folder).items():
            check(given == wanted[line], f"bash completes '{line}' with {given}")


def check_zsh(options):
    file = share / "zsh/site-functions/_bracket"
    if not present("zsh"):
        return
    run("zsh", "-n", file)
    # In place of zsh's functions: the first call finds that the line has a subcommand, and the
    # second prints what the subcommand has.
    stub = """_arguments() {
      if [[ $1 = -C ]]; then state=argument; line=($subcommand); else print -rl -- "$@"; fi
    }
    _describe() { print -rl -- $subcommands }
    for subcommand in ${(z)2}; do print "subcommand $subcommand"; source $1; done"""
    out = run("zsh", "-f", "-c", stub, "zsh", file, " ".join(options))
    for part in out.split("subcommand ")[1:]:
        name, *words = part.splitlines()
        given = {match for word in words for match in re.findall(r"^\([^)]*\)(--?[\w-]+)", word)}
        check(given == set(options[name]), f"zsh completes {name} with {given}")


def check_fish(options):
    file = share / "fish/vendor_completions.d/bracket.fish"
    if not present("fish"):
        return
    run("fish", "--no-execute", file)
    lines = ["bracket ", "bracket help ", "bracket count --plan bu"]
    lines += [f"bracket {name} --" for name in options]
    script = "source $argv[1]\n" + "\n".join(
        f"complete --do-complete '{line}' | string replace --regex '\\t.*' '' | string join ' '"
        for line in lines)
    with tempfile.TemporaryDirectory() as home:
        out = run("fish", "--no-config", "-c", script, file,
                  env={"HOME": home, "PATH": f"{bracket.parent}:/usr/bin:/bin"})
    given = dict(zip(lines, (set(line.split()) for line in out.splitlines()), strict=True))
    check(given["bracket "] == set(options), f"fish completes bracket with {given['bracket ']}")
    for name, own in options.items():
        long = {option for option in own if option.startswith("--")}
        check(given[f"bracket {name} --"] == long,
              f"fish completes {name} with {given[f'bracket {name} --']}, not {long}")
    check(given["bracket help "] == set(options), f"fish completes help with {given['bracket help ']}")
    check(given["bracket count --plan bu"] == {n for n in listed("plans") if n.startswith("bu")},
          f"fish completes --plan with {given['bracket count --plan bu']}")


def help_of(*name):
    return run(bracket, *name, "--help")


def main():
    listed_commands = help_of().split("\nSubcommands:\n")[1]
    commands = re.findall(r"^  ([a-z]+) ", listed_commands, re.MULTILINE)
    texts = {name: subprocess.run([bracket, name, "--help"], capture_output=True, text=True)
             for name in commands}
    options = {name: names_in(text.stdout) for name, text in texts.items()
               if text.returncode == 0}  # those that this build has
    check(len(options) > 10, f"commands: {options}")
    check_pages(options)
    check_bash(options)
    check_zsh(options)
    check_fish(options)
    if failures:
        sys.exit("\n".join(failures))


main()
