#!/usr/bin/env bash
# Puts OpenCV and SciPy, which the peer tests compare with, into a Python environment in .deps/peers. The tests run
# the interpreter that REWARP_PEERS_PYTHON names; the Makefile sets it to .deps/peers/bin/python where it is not set.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
peers=$PWD/.deps/peers
packages=('numpy>=1.26,<2.3' 'scipy>=1.11,<2' 'opencv-python-headless>=4.10,<5')

[[ ${REWARP_PEERS_PYTHON:-$peers/bin/python} == "$peers/bin/python" ]] || exit 0
[[ -f $peers/installed && $(<"$peers/installed") == "${packages[*]}" ]] && exit 0

fail() {
	echo "install-peers: $1" >&2
	exit 1
}
python=$(command -v python3) || fail 'python3 is missing (Debian: apt-get install python3 python3-venv)'
echo "install-peers: installing ${packages[*]} into .deps/peers" >&2
rm -rf "$peers"
"$python" -m venv "$peers" || fail 'python3 has no venv module (Debian: apt-get install python3-venv)'
"$peers/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" ||
	fail 'pip could not install the packages; is the network reachable?'
echo "${packages[*]}" >"$peers/installed"
