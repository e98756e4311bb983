#!/usr/bin/env bash
# Prints the folder of every Go module in the project, the root first as ".", or with --go-files every Go file.
# Folders that the go command passes over (testdata, and names that begin with a dot or an underscore) are left out.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

find_files() { find . \( -name testdata -o -name '.?*' -o -name '_*' \) -prune -o -type f -name "$1" -print | sort; }

case ${1:-} in
--go-files) find_files '*.go' ;;
'') find_files go.mod | while read -r file; do dirname "$file"; done | sort ;;
*)
	echo "usage: ${0##*/} [--go-files]" >&2
	exit 2
	;;
esac
