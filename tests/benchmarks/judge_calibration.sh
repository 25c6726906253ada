#!/usr/bin/env bash
# Judges predictions by a fresh calibration of this machine, on two ranks.
# Usage: judge_calibration.sh BRACKET FOLDER
#
# Calibrates into FOLDER/machine.json, measures five plans to one rank and one to all ranks over two
# distributions for six sizes in FOLDER/rows.jsonl, three starts of each, and prints the errors of
# every row and of each model. Takes about five minutes.
set -euo pipefail
bracket=$1
folder=$2
mkdir -p "$folder"
rows=$folder/rows.jsonl
: > "$rows"
mpiexec -n 2 "$bracket" calibrate -o "$folder/machine.json" > "$folder/calibration.txt"
for elements in 1e3 1e4 1e5 504850 1e6 1e7; do
  common=(-N "$elements" -p 2 --distribution upper,optimized:0.2 --machine "$folder/machine.json" --json)
  "$bracket" compare "${common[@]}" --plan direct,buffered,aggregated,binomial,gather >> "$rows"
  "$bracket" compare "${common[@]}" --plan butterfly --all >> "$rows"
done
"$bracket" validate "$rows" --machine "$folder/machine.json"
