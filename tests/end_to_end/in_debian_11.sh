#!/bin/sh
# in_debian_11.sh EDITION: an edition of ./headway release, in a bare Debian 11, as root: g++ 10, CMake 3.18 and bubblewrap
# 0.4 stand for what hosted graders and universities run. The solutions get full points in the jail, and the labs run.
# Takes mmdebstrap, root and two minutes; by hand, since a mirror must be reached.
set -eu

edition=${1:?usage: in_debian_11.sh EDITION}
# shellcheck source=tests/end_to_end/bare_root.sh
. "$(dirname "$0")/bare_root.sh"
mmdebstrap --quiet --variant=minbase --include=g++,cmake,ninja-build,bubblewrap bullseye "$root"
cp -R "$edition" "$root/course"
cp -R "$checkout/solutions" "$root/solutions"

in_root ./headway --yes grade --submission /solutions
in_root ./headway protections | grep -v enforced || :
in_root sh -c 'cp /solutions/05_module/*.cpp exercises/05_module/ && cp /solutions/07_backward/*.cpp exercises/07_backward/'
# lab NAME OPTION...: its last line, or all that it said if it fails.
lab() {
    in_root ./headway lab "$@" >"$place/said" 2>&1 || { cat "$place/said"; exit 1; }
    tail -n 1 "$place/said"
}
for name in cost train prune gpt2; do lab "$name" --quick; done
