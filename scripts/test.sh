#!/bin/sh
# ./headway test [--all | --soak [NAME...] | slurm]: Headway's own tests, whole. The last line is `N passed, N failed`.
#   always: build without a warning, ctest, verify, format, shellcheck;
#   --all: the slow tests, a build by clang++ with sanitizers, and clang-tidy as well;
#   --soak: only what takes a night (scripts/soak.sh), or only the fuzzers that are named, each for its full length;
#   slurm: only what grades a class on a cluster, on one that is made for it on this machine.
set -eu

root=$HEADWAY_ROOT
passed=0
failed=0
skipped=0

all=no slurm=no soak=no fuzzers=
for argument do
    case $argument in
    --all) all=yes slurm=yes ;;
    --soak) soak=yes ;;
    slurm) slurm=only ;;
    *)
        if [ "$soak" = no ]; then
            echo "usage: ./headway test [--all | --soak [FUZZER...] | slurm] [--yes]" >&2
            exit 2
        fi
        fuzzers="$fuzzers $argument"
        ;;
    esac
done

finish() {
    echo
    if [ "$skipped" -gt 0 ]; then echo "$skipped tests were skipped: they stand as such in the list above."; fi
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}

# check NAME COMMAND...: one item that passes or fails.
check() {
    name=$1
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
    fi
}

# build PRESET: nothing to count if it succeeds, a failure if not. Without the tools (3) there is nothing to test.
build() {
    printf '\n== Build (%s)\n' "$1"
    status=0
    whose='course test'
    if [ "$all" = yes ]; then whose="$whose all release site"; fi
    if [ "$slurm" != no ]; then whose="$whose slurm"; fi
    # shellcheck disable=SC2086 # words
    sh "$root/scripts/build.sh" "$1" $whose || status=$?
    [ "$status" = 0 ] && return
    failed=$((failed + 1))
    echo "FAILED: build ($1)"
    return 1
}

# run_tests TEST_PRESET BUILD_FOLDER [OPTION...]: every test of it is an item.
run_tests() {
    printf '\n== Tests (%s)\n' "$1"
    preset=$1
    results=$root/build/$2/$1.xml
    shift 2
    rm -f "$results"
    status=0
    (cd "$root" && ctest --preset "$preset" "$@" --output-junit "$results") || status=$?
    if [ ! -f "$results" ]; then
        failed=$((failed + 1))
        return
    fi
    ran=$(grep -c '<testcase .*status="run"' "$results" || :)
    aside=$(grep -Ec 'status="disabled"|<skipped message="SKIP_' "$results" || :)
    total=$(grep -c '<testcase ' "$results" || :)
    not_passed=$((total - ran - aside))
    # No test may be lost between ctest's own judgement and our counting.
    if [ "$status" != 0 ] && [ "$not_passed" = 0 ]; then not_passed=1; fi
    passed=$((passed + ran))
    skipped=$((skipped + aside))
    failed=$((failed + not_passed))
}

# shellcheck disable=SC2317 # called by way of check
check_format() {
    (
        cd "$root"
        if ! files=$(git ls-files '*.cpp' '*.hpp' 2>/dev/null) || [ -z "$files" ]; then
            files=$(find . -path ./build -prune -o -path ./.headway -prune -o \( -name '*.cpp' -o -name '*.hpp' \) -print)
        fi
        printf '%s\n' "$files" | tr '\n' '\0' |
            xargs -0 -n 100 -P 4 clang-format --dry-run --Werror --ferror-limit=3
    )
}

# shellcheck disable=SC2317 # called by way of check
check_scripts() {
    (
        cd "$root"
        if ! files=$(git ls-files '*.sh' 2>/dev/null) || [ -z "$files" ]; then
            files=$(find . -path ./build -prune -o -path ./.headway -prune -o -name '*.sh' -print)
        fi
        # shellcheck disable=SC2086 # names of ours have no spaces
        shellcheck -x headway .ci/run $files
    )
}

# clang-tidy takes an hour for all sources. The 20 that changed last take three to five minutes of one processor, and hold
# what is new.
# shellcheck disable=SC2317 # called by way of check
check_lint() {
    (
        cd "$root"
        # Of them what this build compiles: no mutants, no attacks.
        files=$(git log --format= --name-only -- '*.cpp' 2>/dev/null | awk '!seen[$0]++' | while IFS= read -r file; do
            if grep -qF "\"file\": \"$root/$file\"" build/lint/compile_commands.json; then echo "$file"; fi
        done | head -n 20)
        [ -n "$files" ] || { echo 'There is no history of git here: nothing to look at.'; return 0; }
        printf '%s\n' "$files" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" \
            clang-tidy -p build/lint --quiet --warnings-as-errors='*' 2>/dev/null
    )
}

# What is too much for one run, mutants and attacks above all, is taken in shares: another one with each commit, so that a
# few commits see all of it. A failure of that share comes again with HEADWAY_SHARE.
HEADWAY_SHARE=${HEADWAY_SHARE:-$(git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0)}
export HEADWAY_SHARE
echo "HEADWAY_SHARE=$HEADWAY_SHARE: which share of the mutants and attacks this run takes."

# Named fuzzers need nothing else of the build; the lying workers, which follow when all are soaked, need the judge.
if [ -z "$fuzzers" ]; then build test || finish; fi
if [ "$all$soak" != nono ]; then build test/fuzzers || [ "$soak" = no ] || finish; fi
if [ "$soak" = yes ]; then
    # shellcheck disable=SC2086 # names of ours have no spaces
    check 'Soak' sh "$root/scripts/soak.sh" $fuzzers
    finish
fi
if [ "$slurm" = only ]; then
    run_tests all test -R '^slurm$'
    finish
fi
if [ "$all" = yes ]; then
    run_tests all test
else
    # ctest may show a parameter behind the name.
    run_tests test test -E "LearnersWords\\..*_in_[^$((HEADWAY_SHARE % 8))]( |\$)"
fi
# All mutants at once, in both builds: --soak.
set -- --quick --every 32
if [ "$all" = yes ]; then set -- --every 16 --sanitized-every 4 --diagnosis; fi
check 'The course itself (verify)' "$root/build/test/bin/headway-cli" verify "$@" --from "$HEADWAY_SHARE"
check 'Format' check_format
check 'Scripts (shellcheck)' check_scripts
if [ "$all" = yes ]; then
    if build asan; then run_tests asan asan; fi
    if build lint/headway_wire_schema; then check 'Lint (clang-tidy)' check_lint; fi
fi
finish
