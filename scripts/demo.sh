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
show bin/rewarp explain testdata/trees/tree3.json
show bin/rewarp eval testdata/trees/tree1.json -o demo/tree1.png
show bin/rewarp eval testdata/trees/tree2.json -o demo/tree2.png --channels 'r|b|b' --stretch 0,1
show bin/rewarp eval testdata/trees/tree3.json -o demo/tree3.png --stretch 0,1

printf '\nThe pictures:\n'
printf '  %s\n' demo/*.png
