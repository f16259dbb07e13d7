#!/bin/sh
# in_debian_11.sh EDITION: an edition of ./headway release, in a bare Debian 11, as root: g++ 10, CMake 3.18 and bubblewrap
# 0.4 stand for what hosted graders and universities run. The solutions get full points in the jail, and the labs run.
# Takes mmdebstrap, root and two minutes; by hand, since a mirror must be reached.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
edition=${1:?usage: in_debian_11.sh EDITION}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
root=$place/root
mmdebstrap --quiet --variant=minbase --include=g++,cmake,ninja-build,bubblewrap bullseye "$root"
cp -R "$edition" "$root/course"
cp -R "$checkout/solutions" "$root/solutions"

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
        exec /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 HOME=/root "$@"' sh "$root" "$@"
}

in_root ./headway --yes grade --submission /solutions
in_root ./headway protections | grep -v enforced || :
in_root sh -c 'cp /solutions/05_module/*.cpp exercises/05_module/ && cp /solutions/07_backward/*.cpp exercises/07_backward/'
for lab in cost train prune; do in_root ./headway lab "$lab" --quick | tail -n 1; done
in_root ./headway lab gpt2 --quick --model lessons/labs/tiny --text '. anna red rome . bob blue oslo . anna' | tail -n 1
