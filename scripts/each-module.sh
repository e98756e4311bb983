#!/usr/bin/env bash
# Runs a command in the folder of every Go module of the project, the root first, and stops at the first failure.
set -euo pipefail

[[ $# -gt 0 ]] || {
	echo "usage: ${0##*/} COMMAND..." >&2
	exit 2
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
modules=$(scripts/list-modules.sh)

while IFS= read -r module <&3; do
	echo "==> $module: $*"
	(cd "$module" && "$@")
done 3<<<"$modules"
