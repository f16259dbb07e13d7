#!/bin/sh
# verdict_time.sh: how long a student waits, in seconds, medians of $1 runs (default 5), with ./headway set up.
#   edit: one line of an exercise changed, plain and sanitized builds compiled, linked and judged
#   naive: a fresh CMake project with the same file, <Eigen/Core> and GoogleTest in one sanitized program
set -eu

runs=${1:-5}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
export HEADWAY_STATE="$desk/state"
cp -R "$root/solutions" "$desk/submission"

now() { date +%s.%N; }

# median COMMAND...: of the wall-clock seconds of its runs.
median() {
    i=0
    while [ "$i" -lt "$runs" ]; do
        i=$((i + 1))
        before=$(now)
        "$@" >/dev/null 2>&1 || { echo "bench: $* failed" >&2; exit 1; }
        after=$(now)
        echo "$before $after"
    done | awk '{ print $2 - $1 }' | sort -n | awk '{ all[NR] = $1 } END { printf "%.2f", all[int((NR + 1) / 2)] }'
}

headway() { "$root/headway" "$@" --submission "$desk/submission"; }

edit=0
change_line() { # EXERCISE_FOLDER: a new function of one line, so that the object really changes
    edit=$((edit + 1))
    file=$(echo "$desk/submission/$1"/*.cpp)
    printf '\nint edit_%s_%s() { return %s; }\n' "$$" "$edit$(date +%N)" "$edit" >>"$file"
}
edit_one() { change_line 03_scaled_scores && headway grade 03; }
five="01 02 03 04 05"
edit_five() {
    for number in $five; do change_line "$(basename "$desk/submission/$number"_*)"; done
    # shellcheck disable=SC2086 # words
    headway grade $five
}

naive() {
    rm -rf "$desk/naive"
    mkdir -p "$desk/naive"
    cp "$root/bench/naive/"* "$desk/naive/"
    cmake -S "$desk/naive" -B "$desk/naive/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug &&
        cmake --build "$desk/naive/build" && "$desk/naive/build/attention_test"
}

# shellcheck disable=SC2086 # words
headway grade $five >/dev/null
one=$(median edit_one)
all_five=$(median edit_five)
# shellcheck disable=SC2086 # words
unchanged=$(median headway grade $five)
start=$(median "$root/headway" --help)
slow=$(median naive)
echo "edit of exercise 03 -> verdict       $one s   (at most 1.5)"
echo "edit of all five -> verdict          $all_five s   (at most 6)"
echo "nothing changed, all five            $unchanged s   (at most 0.3)"
echo "launcher and --help                  $start s"
echo "the naive way, one exercise          $slow s"
echo "$slow $one" | awk '{ printf "naive / edit                         %.1f x   (at least 6)\n", $1 / $2 }'

echo
echo "of which, for exercise 03 (largest of the two builds; judging is the sum of both):"
edit_one >/dev/null
headway grade 03 --json - | awk -F': ' '
    /"compile_seconds"/ { printf "  compile %.2f s", $2 } /"link_seconds"/ { printf "   link %.2f s", $2 }
    /"judge_seconds"/ { printf "   judge and worker %.2f s", $2 } END { print "" }'
