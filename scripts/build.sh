#!/bin/sh
# build.sh PRESET[/TARGET] [WHO...]: sets up the machine and builds PRESET, or exits 3 having said why not.
# TARGET: what the preset leaves out otherwise.
# WHO: whose needs must be met (columns of cmake/dependencies.tsv); `course` if not given.
set -eu

root=$HEADWAY_ROOT
preset=${1%/*}
target=${1#"$preset"}
target=${target#/}
case $target in
'' | verdict_*) what='the grader' ;;
headway_labs) what='the labs' ;;
headway_instructor) what='what instructors use' ;;
*) what='the tests' ;;
esac
shift
build=$root/build/$preset
log=$build/headway-build.log

. "$root/scripts/dependencies.sh"
. "$root/scripts/setup.sh"

# Two starts at once must not build at once. The lock goes with the process, whatever becomes of it.
lock() {
    exec 9>"$root/build/.lock-$preset"
    flock -n 9 && return
    say "Another start of Headway is building already; waiting for it."
    flock 9
}

# Compilers' output goes to the log; on the screen, how far it is. Ninja starts its lines with [done/total].
show_progress() {
    quarter=0
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        case $line in
        \[[0-9]*/[0-9]*\]*) ;;
        *) continue ;;
        esac
        done=${line#\[} done=${done%%\]*} total=${done#*/} done=${done%/*}
        if [ -t 2 ]; then
            printf '\rBuilding %s: step %s of %s ' "$what" "$done" "$total" >&2
        elif [ $((done * 4 / total)) -gt "$quarter" ]; then
            quarter=$((done * 4 / total))
            say "Building $what: step $done of $total"
        fi
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# quietly COMMAND...: its status, its output by way of show_progress (in a pipe, which loses the status: hence the file).
quietly() {
    { "$@" 2>&1 && echo 0 >"$build/.status" || echo $? >"$build/.status"; } | show_progress
    read -r status <"$build/.status"
    return "$status"
}

fail() {
    say "Headway could not be built ($1). That is not your fault, and not your code: none of it is in this build."
    # From the first failure on, without the steps that went well and the compilers' command lines.
    sed -n '/FAILED:\|Error\|error:/,$p' "$log" | grep -v '^\[[0-9]*/[0-9]*\] [A-Z]\| -o .* -c ' | head -n 40 >&2
    say "All of it: build/$preset/headway-build.log. What may be missing: ./headway doctor"
    exit 3
}

# suites_wanted: whose hidden tests the judge gets, as a list of CMake; empty for all. Until more than single exercises is
# asked for, those of the exercises that were. The student's edition has a judge.
suites_wanted() {
    case $target in
    verdict_*) ;;
    *) return ;;
    esac
    [ ! -d "$root/grader/compiled" ] || return 0
    number=${target#verdict_}
    [ -f "$build/CMakeCache.txt" ] || { echo "$number"; return; }
    there=$(sed -n 's/^HEADWAY_SUITES:STRING=//p' "$build/CMakeCache.txt")
    case ";$there;" in
    ';;' | *";$number;"*) echo "$there" ;;
    *) echo "$there;$number" ;;
    esac
}

configure() {
    presets=$root/CMakePresets.json
    if ! { [ -f "$build/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; }; then
        # It was cut short, or comes from another place (a copied or moved checkout).
        rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    fi
    suites=$(suites_wanted)
    if [ -f "$build/CMakeCache.txt" ] && grep -qxF "HEADWAY_SUITES:STRING=$suites" "$build/CMakeCache.txt"; then
        [ -f "$presets" ] && [ -n "$(find "$presets" -newer "$build/build.ninja")" ] || return 0
    fi
    # The compiler that was found good enough; CMake would take another if it comes first.
    export CXX="${CXX:-$compiler}"
    if [ -f "$presets" ]; then
        set -- --preset "$preset" "-DHEADWAY_SUITES=$suites"
    else
        # The student's edition, for the CMakes that know no presets of today.
        set -- -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo
    fi
    (cd "$root" && quietly cmake "$@") || fail "its configuration failed"
}

trap 'say ""; say "Stopped. The next start goes on from here."; exit 130' INT
trap 'exit 143' TERM

if ! mkdir -p "$build" 2>/dev/null || [ ! -w "$build" ]; then
    say "Headway builds in $build and may not write there. Put the course into a folder of your own."
    exit 3
fi
if have flock; then lock; fi
set_up "${@:-course}"

: >"$log"
touch "$build/.started"
how_long='a few minutes'
case $target in headway_labs | headway_instructor) how_long='a minute' ;; esac
first=$build/.${target:-headway}-built
# The student's edition precompiles headers for each exercise; the rest is there with the first.
if [ -d "$root/grader/compiled" ]; then how_long='half a minute' first=$build/bin/headway-cli; fi
if [ ! -e "$first" ]; then say "Building $what: $how_long, this first time."; fi
configure
quietly cmake --build "$build" ${target:+--target "$target"} || fail "a step of its build failed"

# As old as the beginning of the build: what was edited meanwhile is newer, and is built next time.
stamp=$build/.${target:-headway}-built
echo "$root" >"$stamp"
touch -r "$build/.started" "$stamp"
