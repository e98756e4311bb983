#!/usr/bin/env bash
# Installs what rewarp builds against: GDAL's headers and tools, pkg-config and a C compiler.
#
#   scripts/install-deps.sh
#
# As root, or where `sudo -n` works, Debian's packages are installed on the system. Otherwise they are unpacked into
# .deps/ inside the project, with all that they need but libc, and .deps/env is written for the Makefile and for a shell
# to source. Nothing is printed when everything is there.
#
#   CGO_ENABLED=0              does nothing: such a build needs none of this
#   REWARP_FORCE_LOCAL_DEPS=1  takes the .deps/ way even where the system has everything
#   REWARP_FORCE_LOCAL_DEPS=2  the same, C compiler included
set -euo pipefail

[[ ${CGO_ENABLED:-} == 0 ]] && exit 0

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/.deps
force=${REWARP_FORCE_LOCAL_DEPS:-0}
compiler=${CC:-gcc}
compiler=${compiler%% *}

say() { printf 'install-deps: %s\n' "$*" >&2; }

die() {
	say "$1"
	shift
	(($# == 0)) || printf '  %s\n' "$@" >&2
	exit 1
}

without_gdal='Or build without GDAL, for PNG, JPEG and plain TIFF only: prefix the command with CGO_ENABLED=0.'

# compiler_works OUTPUT tries to compile and link a program.
compiler_works() { echo 'int main(void) { return 0; }' | ${CC:-gcc} -x c -o "$1" - 2>/dev/null; }

# missing prints the Debian packages that stand for what this machine lacks. It runs at every make, so the compiler is
# looked for and not run.
missing() {
	local tool
	pkg-config --exists gdal 2>/dev/null || echo libgdal-dev
	for tool in gdalinfo gdalwarp gdal_translate; do
		command -v $tool >/dev/null || { echo gdal-bin && break; }
	done
	command -v pkg-config >/dev/null || echo pkg-config
	command -v "$compiler" >/dev/null || echo gcc
	[[ $OSTYPE != linux-gnu || -e ${REWARP_SYSROOT:-}/usr/include/stdlib.h ]] || echo libc6-dev
}

# ready N succeeds if .deps/ was completed before, for this very folder, in the way that N says (a pattern).
ready() { [[ -f $deps/complete && $(<"$deps/complete") == "$root force="$1 ]]; }

# quoted prints its argument as a pkg-config file wants it.
quoted() { printf '%s' "$1" | sed 's/[^A-Za-z0-9_/.+:-]/\\&/g'; }

install_on_system() {
	local run=()
	((EUID == 0)) || run=(sudo -n)
	local apt=("${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
	say "installing with apt-get: $*"
	local log
	log=$(mktemp)
	# A third-party source that does not answer makes `update` fail; only the install counts.
	if "${apt[@]}" install --no-install-recommends "$@" >"$log" 2>&1 ||
		{ "${apt[@]}" update >"$log" 2>&1 || true; "${apt[@]}" install --no-install-recommends "$@" >>"$log" 2>&1; }; then
		rm -f "$log"
		return
	fi
	say 'apt-get failed:'
	tail -n 8 "$log" >&2
	rm -f "$log"
	return 1
}

# configure_apt writes the settings of an apt that needs no root: its own cache and lock, the system's sources, and an
# empty record of installed packages, so that what is unpacked is complete whatever the system has.
configure_apt() {
	local lists=/var/lib/apt/lists
	[[ $1 == own ]] && lists=$apt_dir/state/lists
	mkdir -p "$apt_dir"/{state/lists/partial,cache/archives/partial}
	: >"$apt_dir/state/status"
	cat >"$apt_dir/apt.conf" <<-CONF
		Dir::State "$apt_dir/state";
		Dir::State::lists "$lists";
		Dir::State::status "$apt_dir/state/status";
		Dir::Cache "$apt_dir/cache";
		Dir::Cache::archives "$apt_dir/cache/archives";
		Debug::NoLocking "true";
		APT::Sandbox::User "";
		APT::Install-Recommends "false";
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Pre-Install-Pkgs;
		#clear DPkg::Post-Invoke;
	CONF
}

own_apt() { apt-get -c "$apt_dir/apt.conf" -q -y "$@" >>"$apt_dir/log" 2>&1; }

# fetch downloads GDAL or a compiler with every package that it needs. Of libgdal-dev it takes the package alone: its
# own dependencies are the headers of everything that GDAL links with, which a user of GDAL's C interface does not see.
fetch() {
	rm -f "$apt_dir"/cache/archives/*.deb
	case $1 in
	gdal) own_apt install --download-only gdal-bin pkg-config && (cd "$apt_dir/cache/archives" && own_apt download libgdal-dev) ;;
	compiler) own_apt install --download-only gcc libc6-dev ;;
	esac
}

# unpack unpacks the downloaded packages below a folder. libc stays out of the folder that programs load from: the
# system's own goes with the system's loader.
unpack() {
	local deb
	mkdir -p "$1"
	for deb in "$apt_dir"/cache/archives/*.deb; do
		[[ ${deb##*/} == libc6_* && $1 != "$deps/toolchain" ]] || dpkg-deb -x "$deb" "$1"
	done
	rm -rf "$1"/usr/share/{doc,man,locale,bash-completion}
}

# fetch_into WHAT FOLDER goes by the package lists that the system has, and where they are missing or old by fresh ones.
fetch_into() {
	configure_apt system
	if ! fetch "$1"; then
		configure_apt own
		if [[ ! -e $apt_dir/updated ]]; then
			say 'fetching the package lists'
			own_apt update || true
			touch "$apt_dir/updated"
		fi
		fetch "$1" || fetch_failed
	fi
	unpack "$2"
}

install_in_project() {
	# An rpath is a list with colons, the linker's options one with commas, and Go's list of them is quoted.
	[[ $root != *[,:\'\"\\]* ]] || die "cannot unpack packages below a folder with a comma, colon or quote in its name: $root"
	mkdir -p "$deps"
	apt_dir=$(mktemp -d "$deps/apt.XXXXXX")
	trap 'rm -rf "$apt_dir"' EXIT
	rm -rf "$deps"/{complete,env,root,toolchain,pkgconfig} "${deps:?}/bin"
	say 'unpacking GDAL and pkg-config into .deps/ (about 80 MB to fetch)'
	fetch_into gdal "$deps/root"
	if [[ $force == 2 ]] || ! compiler_works "$apt_dir/a.out"; then
		say 'unpacking a C compiler into .deps/ as well (about 50 MB)'
		fetch_into compiler "$deps/toolchain"
	fi
	write_environment
	printf '%s' "$root force=$force" >"$deps/complete"
	say "done. The Makefile uses it; for a shell: . .deps/env"
}

fetch_failed() {
	say 'the packages could not be fetched:'
	grep -E '^(E|W|Err)' "$apt_dir/log" | tail -n 5 >&2 || tail -n 5 "$apt_dir/log" >&2
	die 'is the network reachable?' 'An administrator can run: apt-get install libgdal-dev gdal-bin pkg-config gcc' \
		"$without_gdal"
}

# write_environment makes what was unpacked usable from where it lies: GDAL's own pkg-config file names /usr.
write_environment() {
	local tree=$deps/root libs triplet dir flags path
	libs=$(dirname "$(find "$tree/usr/lib" -maxdepth 2 -name libgdal.so | head -n 1)")
	triplet=${libs##*/}
	path=$libs
	# blas and lapack are found through alternatives on a system; here by their folders.
	for dir in "$libs"/{blas,lapack} "$tree/lib/$triplet" "$tree/usr/lib"; do
		[[ -d $dir ]] && path+=:$dir
	done
	mkdir -p "$deps/pkgconfig" "$deps/bin"

	# An rpath of the old kind also serves the libraries that libgdal needs, so that a program finds them all by itself.
	# It is handed to Go in the environment, which keeps what was built against the system's GDAL apart in Go's cache.
	flags="'-Wl,--disable-new-dtags'"
	while IFS= read -r dir; do
		flags+=" '-Wl,-rpath,$dir' '-Wl,-rpath-link,$dir'"
	done <<<"${path//:/$'\n'}"
	cat >"$deps/pkgconfig/gdal.pc" <<-PC
		Name: libgdal
		Description: Geospatial Data Abstraction Library, unpacked in the project
		Version: $(sed -n 's/^CONFIG_VERSION=//p' "$libs/pkgconfig/gdal.pc")
		Libs: -L$(quoted "$libs") -lgdal
		Cflags: -I$(quoted "$tree/usr/include/gdal")
	PC

	# Only the unpacked tools see the unpacked libraries: a library path in the environment would reach every program.
	local tool
	for tool in "$tree"/usr/bin/{gdal*,ogr*,pkg-config}; do
		[[ ! -x $tool || $tool == *.py ]] || wrap "${tool##*/}" "$path" "$tool"
	done
	if [[ -d $deps/toolchain ]]; then
		local chain=$deps/toolchain
		for tool in as ld ar; do
			wrap "$tool" "$chain/usr/lib/$triplet" "$chain/usr/bin/$tool"
		done
		wrap gcc "$chain/usr/lib/$triplet" "$chain/usr/bin/gcc" "--sysroot=$chain" "-B$deps/bin/"
	fi

	cat >"$deps/env" <<-ENV
		# Written by scripts/install-deps.sh. A shell sources it to use the packages in .deps/.
		case :\$PATH: in
		*:$(printf %q "$deps/bin"):*) ;;
		*)
		    export PATH=$(printf %q "$deps/bin"):"\$PATH"
		    export PKG_CONFIG_PATH=$(printf %q "$deps/pkgconfig")"\${PKG_CONFIG_PATH:+:\$PKG_CONFIG_PATH}"
		    export CGO_LDFLAGS="\${CGO_LDFLAGS:--O2 -g} "$(printf %q "$flags")
		    ;;
		esac
		export GDAL_DATA=$(printf %q "$tree/usr/share/gdal")
		export PROJ_DATA=$(printf %q "$tree/usr/share/proj") PROJ_LIB=$(printf %q "$tree/usr/share/proj")
	ENV
	[[ ! -d $deps/toolchain ]] || printf 'export REWARP_SYSROOT=%q\n' "$deps/toolchain" >>"$deps/env"
}

# wrap NAME LIBRARIES PROGRAM ARG...: a command NAME in .deps/bin that runs PROGRAM with its libraries.
wrap() {
	local name=$1 libraries
	libraries=$(printf %q "$2")
	shift 2
	cat >"$deps/bin/$name" <<-SH
		#!/bin/bash
		export LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
		exec $(printf '%q ' "$@")"\$@"
	SH
	chmod +x "$deps/bin/$name"
}

if ! command -v go >/dev/null; then
	die 'Go is missing. Install Go 1.26 or newer: https://go.dev/doc/install'
fi

if [[ $force == 0 ]]; then
	if [[ -f $deps/env ]] && ! ready '*'; then
		# The folder was moved or an earlier run was cut short: what .deps/env names is not there.
		rm -rf "$deps"
	fi
	# shellcheck source=/dev/null
	[[ -f $deps/env ]] && . "$deps/env"
	lacking=$(missing | tr '\n' ' ')
	[[ -z $lacking ]] && exit 0
else
	ready "$force" && exit 0
	lacking='libgdal-dev gdal-bin pkg-config '
fi

if ! command -v apt-get >/dev/null; then
	die "missing here: ${lacking% } (Debian's names), and this is no Debian system. Install:" \
		'Fedora:   dnf install gdal-devel gdal pkgconf-pkg-config gcc' \
		'Alpine:   apk add gdal-dev gdal-tools pkgconf gcc musl-dev' \
		'Arch:     pacman -S gdal pkgconf gcc' \
		'Homebrew: brew install gdal pkg-config' \
		"$without_gdal"
fi

if [[ $force == 0 ]] && { ((EUID == 0)) || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }; then
	# shellcheck disable=SC2086 # a list of package names
	install_on_system $lacking || die 'GDAL could not be installed.' "$without_gdal"
	hash -r
	lacking=$(missing | tr '\n' ' ')
	[[ -z $lacking ]] || die "still missing after the installation: $lacking" "$without_gdal"
	exit 0
fi

install_in_project
