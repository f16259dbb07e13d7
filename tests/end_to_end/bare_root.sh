# Sourced by in_debian_11.sh and in_container_root.sh: a bare Debian in $root, and commands in it. Takes mmdebstrap and root.
# shellcheck shell=sh disable=SC2034 # checkout is for those that source it

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
