#!/usr/bin/env bash
# Judges predictions by a fresh calibration of this machine, on two ranks.
# Usage: judge_calibration.sh BRACKET FOLDER
#
# Calibrates into FOLDER/machine.json. Measures five plans to one rank and one plan to all ranks,
# over two distributions, for six sizes, with three starts of each, into FOLDER/rows.jsonl, and once
# more into FOLDER/again.jsonl. Prints the errors of every row and of each model, then the
# difference between the two measurements: no prediction can be nearer to both than half of it.
# Takes about two minutes.
set -euo pipefail
bracket=$1
folder=$2
mkdir -p "$folder"

measure() {
  local elements common
  for elements in 1e3 1e4 1e5 504850 1e6 1e7; do
    common=(-N "$elements" -p 2 --distribution upper,optimized:0.2 --machine "$folder/machine.json" --json)
    "$bracket" compare "${common[@]}" --plan direct,buffered,aggregated,binomial,gather
    "$bracket" compare "${common[@]}" --plan butterfly --all
  done
}

mpiexec -n 2 "$bracket" calibrate -o "$folder/machine.json" > "$folder/calibration.txt"
measure > "$folder/rows.jsonl"
measure > "$folder/again.jsonl"
"$bracket" validate "$folder/rows.jsonl" --machine "$folder/machine.json"
python3 - "$folder/rows.jsonl" "$folder/again.jsonl" <<'END'
import json
import sys


def seconds(path):
    rows = map(json.loads, open(path))
    keys = ("elements", "distribution", "plan", "collective")
    return {tuple(row[key] for key in keys): row["measured_seconds"]
            for row in rows if "measured_seconds" in row}


first, second = map(seconds, sys.argv[1:])
apart = sorted(abs(first[row] / second[row] - 1) for row in first)
print(f"\nThe second measurement is apart from the first by {apart[len(apart) // 2]:.0%} in the median; "
      f"nine of ten rows by less than {apart[len(apart) * 9 // 10]:.0%}.")
END
