#!/usr/bin/env bash
# Installs the libraries that rewarp is compared with, into Python environments below .deps/.
#
#   scripts/install-peers.sh          what the tests compare values with: OpenCV and SciPy, in .deps/peers
#   scripts/install-peers.sh bench    what is measured as well. In .deps/peers: rasterio, libvips, Pillow, scikit-image;
#                                     in .deps/peers-gdal, for the Python that Debian's python3-gdal belongs to:
#                                     delayed_image, which needs GDAL
#   TORCH=1                           torchvision too, of which only the wrapping of features is measured (5.4 GB)
#
# The tests run the interpreter that REWARP_PEERS_PYTHON names; the Makefile sets it to .deps/peers/bin/python where it
# is not set. A benchmark goes on without what could not be installed, and says so.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
peers=$PWD/.deps/peers
beside=$PWD/.deps/peers-gdal
packages=('numpy>=1.26' 'scipy>=1.11,<2' 'opencv-python-headless>=4.10')
extra=('rasterio>=1.4' 'pyvips>=3' 'pyvips-binary>=8.16' 'pillow>=11' 'scikit-image>=0.24')

say() { echo "install-peers: $1" >&2; }

fail() {
	say "$1"
	exit 1
}

# has FILE PACKAGE... tells whether FILE lists every package.
has() {
	local file=$1 p
	shift
	[[ -f $file ]] || return 1
	for p in "$@"; do grep -qxF -- "$p" "$file" || return 1; done
}

pip() { PIP_ROOT_USER_ACTION=ignore "$peers/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }

# add PACKAGE... puts packages into .deps/peers, all at once so that their versions go together.
add() {
	has "$peers/installed" "$@" && return
	if [[ ! -x $peers/bin/python ]]; then
		local python
		python=$(command -v python3) || fail 'python3 is missing (Debian: apt-get install python3 python3-venv)'
		rm -rf "$peers"
		"$python" -m venv "$peers" || fail 'python3 has no venv module (Debian: apt-get install python3-venv)'
	fi
	say "installing $* into .deps/peers"
	pip install --upgrade "$@" || return 1
	printf '%s\n' "$@" >>"$peers/installed"
}

# gdal_python prints the Python that Debian's python3-gdal is for, after installing it if that is possible.
gdal_python() {
	local python=/usr/bin/python3 run=()
	if ! $python -c 'from osgeo import gdal_array' 2>/dev/null; then
		((EUID == 0)) || run=(sudo -n)
		"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends python3-gdal python3-numpy >&2 2>/dev/null || return 1
	fi
	$python -c 'from osgeo import gdal_array' 2>/dev/null && echo $python
}

# add_beside puts delayed_image where the Python of python3-gdal finds it. NumPy is held below 2, which that GDAL was
# not built for, and OpenCV to the last version that works with it.
add_beside() {
	local python wanted=('delayed_image==0.4.7' 'numpy<2' 'opencv-python-headless<4.12')
	has "$beside/installed" "${wanted[@]}" && return
	if ! python=$(gdal_python); then
		say "python3-gdal is missing, so GDAL's own Python and delayed_image are left out (Debian: apt-get install python3-gdal)"
		return
	fi
	rm -rf "$beside"
	mkdir -p "$beside"
	echo "$python" >"$beside/python"
	say "installing ${wanted[*]} into .deps/peers-gdal"
	if pip --python "$python" install --target "$beside" "${wanted[@]}"; then
		printf '%s\n' "${wanted[@]}" >"$beside/installed"
	else
		say 'delayed_image could not be installed and is left out'
	fi
}

[[ ${REWARP_PEERS_PYTHON:-$peers/bin/python} == "$peers/bin/python" ]] || exit 0
case ${1:-} in
'') add "${packages[@]}" || fail 'pip could not install the packages; is the network reachable?' ;;
bench)
	add "${packages[@]}" "${extra[@]}" || fail 'pip could not install the packages; is the network reachable?'
	add_beside
	if [[ -n ${TORCH:-} ]]; then
		add torch torchvision || say 'torchvision could not be installed and is left out'
	fi
	;;
*) fail "unknown argument $1: it is nothing, or bench" ;;
esac
