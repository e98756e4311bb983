#!/usr/bin/env bash
# Runs every fuzz target of the module in the current folder for a while: fuzz.sh TIME
set -euo pipefail

[[ $# == 1 ]] || {
	echo "usage: ${0##*/} TIME (such as 30s)" >&2
	exit 2
}

# `go test -list` prints a package's targets and then a line with its import path.
listing=$(go test -list '^Fuzz' ./...)
targets=$(awk '/^Fuzz/ { names[++n] = $1 } $1 == "ok" { for (i = 1; i <= n; i++) print $2, names[i]; n = 0 }' <<<"$listing")

while read -r package target; do
	[[ -n $package ]] || continue
	echo "==> $package $target"
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "$package" </dev/null
done <<<"$targets"
