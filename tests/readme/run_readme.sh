#!/usr/bin/env bash
# Runs every `sh` block of the README in one shell, in a scratch copy of what they expect.
# Usage: run_readme.sh README BINARY_DIR MPIEXEC
set -euo pipefail
readme=$1 binaries=$2 mpiexec=$3

# Lines of `sh` blocks. tools/demo and tools/test are the two that CI runs itself: they would run
# this test again.
commands=$(awk '/^```sh$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$readme" |
  grep -v -E '^tools/(demo|test) ')
[ "$(grep -c '^\(mpiexec .*\)\?bracket ' <<<"$commands")" -ge 10 ] || {
  echo "the README has fewer commands than it had: is the fence still \`\`\`sh?" >&2
  exit 1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/try" "$scratch/bin" "$scratch/model"
ln -s "$(dirname "$(realpath "$readme")")/model/machines" "$scratch/model/machines"
ln -s "$binaries" "$scratch/build/release"
ln -s "$mpiexec" "$scratch/bin/mpiexec"
cd "$scratch"
PATH=$scratch/bin:$PATH bash -euxo pipefail -c "$commands"

# What the README says of them.
[ "$(grep -h -o '"result_bits":"[^"]*"' build/try/{one,two}.json | sort -u | wc -l)" -eq 1 ]
for file in best.json plan.json schedule.json direct.{goal,json,paje} {tree,folded,schedule,butterfly}.svg; do
  [ -s "build/try/$file" ]
done
# Nothing lies beside it.
[ "$(find . -type f -not -path './build/try/*' | wc -l)" -eq 0 ]
