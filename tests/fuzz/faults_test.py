# SPDX-License-Identifier: MIT

"""Checks that the fuzzer sees faults: it must find each program that is broken on purpose."""

import argparse
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

# Programs in place of `bracket`; "$BRACKET" is the correct one.
FAULTS = {
    "the last digit of the bits is another": ("sums", '''
"$BRACKET" "$@" | sed -E 's/("result_bits":"[^"]*)[0-8]"/\\19"/'
exit ${PIPESTATUS[0]}'''),
    "the digest of a vector is another": ("sums", '''
"$BRACKET" "$@" | sed -E 's/("result_digest":")./\\1x/'
exit ${PIPESTATUS[0]}'''),
    "every schedule is right": ("schedules", '''
[ "$1" = verify ] || exec "$BRACKET" "$@"
"$BRACKET" "$@" 2>/dev/null
exit 0'''),
    "schedules with a join are refused": ("schedules", '''
if [ "$1" = verify ] && grep -q '"join"' "$2" 2>/dev/null; then
  echo "bracket: no joins, please" >&2
  exit 2
fi
exec "$BRACKET" "$@"'''),
    "every file is refused": ("formats", '''
echo "bracket: no" >&2
exit 2'''),
    "nothing is refused": ("formats", '''
"$BRACKET" "$@" || echo "{}"
exit 0'''),
    "it dies by a signal": ("formats", "kill -SEGV $$"),
    "it hangs": ("formats", "exec sleep 100"),
    "its refusals have no words": ("formats", '"$BRACKET" "$@" 2>/dev/null'),
    "its refusals are twice there": ("formats", '''
"$BRACKET" "$@" || { code=$?; "$BRACKET" "$@"; exit $code; }'''),
    "its exit code is another": ("formats", '"$BRACKET" "$@" || exit 1'),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bracket", required=True)
    parser.add_argument("--mpiexec", default="mpiexec -n")
    arguments = parser.parse_args()
    fuzzer = pathlib.Path(__file__).resolve().parent / "fuzz.py"
    os.environ.pop("BRACKET_FUZZ_SECONDS", None)
    unseen = []
    for fault, (part, script) in FAULTS.items():
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "bracket"
            broken.write_text(f"#!/usr/bin/env bash\n{script.strip()}\n")
            broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
            result = subprocess.run(
                [sys.executable, "-B", fuzzer, "--bracket", broken, "--mpiexec", arguments.mpiexec,
                 "--part", part, "--seed", "1", "--cases", "40", "--stop-after", "1", "--timeout",
                 "3" if fault == "it hangs" else "60", "--findings", f"{folder}/findings"],
                env={**os.environ, "BRACKET": os.path.abspath(arguments.bracket)},
                capture_output=True, text=True, check=False)
            kept = list(pathlib.Path(folder).glob("findings/*/finding.txt"))
        seen = result.returncode == 1 and kept and "the fuzzer itself" not in result.stdout
        print(f"{'seen' if seen else 'NOT SEEN'}: {fault}", flush=True)
        if not seen:
            unseen.append(fault)
            print(result.stdout, result.stderr)
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
