#!/usr/bin/env bash
# Installs Debian's chromium for `make browser-test`, unless a Chromium or Chrome is there. Nothing is printed then.
#
#   scripts/install-chromium.sh
set -euo pipefail

for browser in chromium chromium-browser google-chrome google-chrome-stable headless-shell; do
	! command -v "$browser" >/dev/null || exit 0
done

run=()
((EUID == 0)) || run=(sudo -n)
if ! command -v apt-get >/dev/null || ! "${run[@]}" true 2>/dev/null; then
	echo 'install-chromium: no Chromium here, and no way to install it: install the package chromium as root' >&2
	exit 1
fi
apt=("${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
echo 'install-chromium: installing with apt-get: chromium' >&2
"${apt[@]}" update >/dev/null
"${apt[@]}" install --no-install-recommends chromium >/dev/null
