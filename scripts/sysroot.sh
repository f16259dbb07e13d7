#!/bin/sh
# sysroot.sh: sees to the cross compiler and to the libraries that a release for arm64 is made of, in $HEADWAY_SYSROOT.
# Debian's, of the release that this machine runs; nothing in them is run here.
set -eu

root=$HEADWAY_ROOT
tab=$(printf '\t')

. "$root/scripts/dependencies.sh"
. "$root/scripts/setup.sh"

fail() {
    say "A release for arm64 cannot be made here: $1"
    exit 3
}

[ "$manager" = apt-get ] || fail 'it takes the cross compiler and the libraries of Debian or Ubuntu.'
needed=
for tool in aarch64-linux-gnu-g++:g++-aarch64-linux-gnu mmdebstrap:mmdebstrap arch-test:arch-test; do
    have "${tool%%:*}" || needed="$needed ${tool#*:}"
done
if [ -n "$needed" ]; then
    say "For arm64 this machine needs:$needed"
    if ! may_install || ! agreed; then fail "Install them with:  $(install_command "$needed")"; fi
    # shellcheck disable=SC2086 # words
    install $needed || fail "they could not be installed; all it said is in build/install.log."
fi

# The libraries of the table, as it names them for apt; tools come from this machine.
packages=$(awk -F "$tab" '!/^#/ && $3 !~ /^tool/ && ($2 == "course" || $2 == "release" || $1 == "libseccomp") {
    gsub(" ", ",", $5); printf "%s,", $5 }' "$root/cmake/dependencies.tsv")libc6-dev,libstdc++-12-dev
if [ -f "$HEADWAY_SYSROOT/.packages" ] && [ "$(cat "$HEADWAY_SYSROOT/.packages")" = "$packages" ]; then exit 0; fi
say "Fetching the libraries for arm64: a minute, this first time."
rm -rf "$HEADWAY_SYSROOT"
mkdir -p "$root/build"
mmdebstrap --variant=extract --arch=arm64 --include="$packages" "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
    "$HEADWAY_SYSROOT" >"$root/build/sysroot.log" 2>&1 || fail "mmdebstrap failed; all it said is in build/sysroot.log."
echo "$packages" >"$HEADWAY_SYSROOT/.packages"
