#!/usr/bin/env bash
# Shows the third example tree before and after rewriting, and paints the pictures that the example trees mean.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p demo

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

show bin/rewarp dump testdata/trees/tree3.json
for tree in tree1 tree2 tree3; do
	show bin/rewarp eval "testdata/trees/$tree.json" -o "demo/$tree.png"
done

printf '\nThe pictures:\n'
printf '  %s\n' demo/*.png
