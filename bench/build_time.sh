#!/bin/sh
# build_time.sh [verdict|test|edition DIR]: what a newcomer and a contributor wait for, from a fresh clone of what is committed.
#   verdict (if nothing is said): `./headway grade 01` on a solution, packages being installed
#   test:                         the build of the preset `test`, which is the first half of ./headway test
#   edition DIR:                  `./headway grade 01` on a solution in a copy of that edition of ./headway release
# Prints processor-seconds and wall-clock seconds, and the processor-seconds of each room's compilations. The former hold
# on a busy machine too, but for what its processors lose to their neighbours: half as much again is no wonder there.
set -eu

what=${1:-verdict}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
if [ "$what" = edition ]; then
    cp -R "${2:?usage: build_time.sh edition DIR}" "$desk/course"
    rm -rf "$desk/course/build" "$desk/course/.headway"
    cp "$root"/solutions/01_single_head/*.cpp "$desk/course/exercises/01_single_head/"
else
    git clone --quiet "$root" "$desk/course"
fi
export HEADWAY_ROOT="$desk/course" HEADWAY_STATE="$desk/state" HEADWAY_CLOCK="$desk/clock"
export CMAKE_CXX_COMPILER_LAUNCHER="$root/bench/clocked.sh"
cd "$desk/course"

began=$(date +%s)
case $what in
verdict) ./headway grade 01 --submission solutions >"$desk/log" 2>&1 || { cat "$desk/log" >&2; exit 1; } ;;
edition) ./headway grade 01 >"$desk/log" 2>&1 || { cat "$desk/log" >&2; exit 1; } ;;
test) sh scripts/build.sh test course test >"$desk/log" 2>&1 || { cat "$desk/log" >&2; exit 1; } ;;
*)
    echo "usage: build_time.sh [verdict|test|edition DIR]" >&2
    exit 2
    ;;
esac
ended=$(date +%s)

times >"$desk/times"
awk -v wall=$((ended - began)) -v what="$what" -F'[ms ]+' '
    NR == 2 { printf "%s: %.0f processor-seconds, %d s\n", what, 60 * $1 + $2 + 60 * $3 + $4, wall }' "$desk/times"
[ -s "$HEADWAY_CLOCK" ] || exit 0
# A room is what one folder's CMakeLists.txt makes; the suites and their dispatchers are one each.
awk '{ room = $1; sub(/CMakeFiles\/.*/, "", room); target = $1; sub(/.*CMakeFiles\//, "", target); sub(/\.dir\/.*/, "", target)
       if (room == "") { room = target; sub(/_[0-9].*/, "s", room) }
       seconds[room] += $2; files[room]++ }
     END { for (room in seconds) printf "%8.1f  %4d compilations  %s\n", seconds[room], files[room], room }' \
    "$HEADWAY_CLOCK" | sort -rn
