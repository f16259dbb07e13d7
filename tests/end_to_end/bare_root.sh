# Sourced by in_debian_11.sh and in_container_root.sh: a bare Debian in $root, and commands in it. Takes mmdebstrap and root.
# shellcheck shell=sh disable=SC2034 # checkout and failed are for those that source it

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
root=$place/root

# In namespaces of its own, as a machine would be: bubblewrap refuses to work in what is only chroot.
in_root() {
    # shellcheck disable=SC2016 # for that shell
    unshare --mount --pid --fork --propagation private sh -c '
        root=$1
        shift
        mount --bind "$root" "$root"
        cd "$root"
        mkdir -p before
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount -t tmpfs -o mode=1777 tmpfs tmp
        pivot_root . before
        umount -l /before
        cd /course
        exec /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 HOME=/root \
            http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" "$@"' sh "$root" "$@"
}

failed=0
not_so() {
    failed=1
    cat "$place/said"
    echo "NOT SO: $1"
}

# also TEXT: what was started last said that, too.
also() { grep -qF -- "$1" "$place/said" || not_so "it does not say: $1"; }

# expect STATUS TEXT COMMAND...: in the root, it ends so and says so. Shown is the end of what it said, or all if it is not so.
expect() {
    wanted=$1 text=$2
    shift 2
    echo "\$ $*"
    status=0 began=$(date +%s)
    in_root "$@" >"$place/said" 2>&1 </dev/null || status=$?
    tail -n 4 "$place/said" | sed 's/^/    /'
    echo "    ($(($(date +%s) - began)) s)"
    [ "$status" = "$wanted" ] || not_so "it ended with $status, not $wanted"
    also "$text"
}
