#!/usr/bin/env bash
# SPDX-License-Identifier: MIT

# Runs every `sh` block of a README in one shell, in a scratch folder with the files it expects.
# Usage: run_readme.sh README BINARY_DIR MPIEXEC
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
readme=$(realpath "$1") binaries=$2 mpiexec=$3

# Minimum for each README: its number of project commands, and the files they leave in build/try.
case ${readme#"$root/"} in
  README.md) least=10 files="here.json plan.json compare.html tree.svg schedule.svg" ;;
  model/README.md) least=8 files="best.json plan.json plans.json" ;;
  runtime/README.md) least=4 files="" ;;
  simulator/README.md) least=10 files="direct.goal direct.json direct.paje direct.svg sweep.csv" ;;
  tools/README.md)
    least=33 files="cost.html rules.conf order.json library.json speedup.html one.json two.json folded.svg butterfly.svg halving.svg overview.svg
      timeline.png schedule.json compare.html sweep.html papers.html
      figures/plot-1-makespan-over-ranks-p.svg" ;;
  record/WALKTHROUGH.md)
    least=9 files="before.trace/rank-2.trace after.trace/rank-2.trace fixed-after.trace/rank-2.trace two.txt rules.conf" ;;
  record/README.md) least=8 files="a.trace/rank-1.trace diff.html fixed.trace/rank-1.trace" ;;
  viz/README.md)
    least=12 files="schedule.dot overview.png overview.pdf" ;;  # pictures.py has the others
  tests/benchmarks/README.md) least=9 files="" ;;
  *) echo "$readme: what it must leave is not known here" >&2; exit 1 ;;
esac

# Lines of `sh` blocks. CI itself runs tools/demo and tools/test, which would run this test again.
commands=$(awk '/^```sh$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$readme" |
  { grep -v -E '^tools/(demo|test) ' || true; })
[ "$(grep -c -E '^(mpiexec .*)?(bracket|benchmark_[a-z]+|(cg|harmonic|total|views)_[a-z]+)( |$)' <<<"$commands")" -ge $least ] || {
  echo "$readme has fewer commands than it had: is the fence still \`\`\`sh?" >&2
  exit 1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/try" "$scratch/bin" "$scratch/model"
ln -s "$root/model/machines" "$scratch/model/machines"
ln -s "$binaries" "$scratch/build/release"
ln -s "$mpiexec" "$scratch/bin/mpiexec"
cd "$scratch"
# README.md itself sets PATH and creates build/try; the others rely on it.
PATH=$scratch/bin:$PATH
if [ "$readme" = "$root/README.md" ]; then rmdir build/try; else PATH=$scratch/build/release:$PATH; fi
PATH=$PATH bash -euxo pipefail -c "$commands"

# Results that the READMEs promise.
for file in $files; do
  [ -s "build/try/$file" ] || { echo "$readme left no build/try/$file" >&2; exit 1; }
done
if [ -e build/try/one.json ]; then
  [ "$(grep -h -o '"result_bits":"[^"]*"' build/try/{one,two}.json | sort -u | wc -l)" -eq 1 ]
fi
if [ -e build/try/after.trace ]; then
  grep -q '"cause":"order"' <("$binaries/bracket" diff build/try/{before,after}.trace --json)
fi
if [ "$readme" = "$root/viz/README.md" ]; then
  python3 "$root/tests/readme/pictures.py" build/try
fi
# No files may lie outside build/try.
[ "$(find . -type f -not -path './build/try/*' | wc -l)" -eq 0 ]
