#!/bin/sh
# ./headway test --soak [NAME...]: every fuzzer, or these, for as long as it takes to trust it, as many at once as there are
# processors. The decoder gets 10^8 inputs, each other reader 10^6 or an hour of a processor. Without names, the tests with
# the label `soak`, lying workers and the whole of `verify` follow. Results: build/test/soak/NAME.log and a table on
# standard output, for tests/fuzz/README.md. What is found ends that fuzzer, and this with status 1.
set -eu

fuzzers=$HEADWAY_ROOT/build/test/tests/fuzz
results=$HEADWAY_ROOT/build/test/soak

# edges LOG INPUTS: how many had been reached by then.
edges() {
    awk -v most="$2" '/^#[0-9]+/ { n = substr($1, 2) + 0
        if (n <= most) for (i = 2; i < NF; i++) if ($i == "cov:") reached = $(i + 1) } END { print reached + 0 }' "$1"
}

# last_new_edge LOG: the input that reached it.
last_new_edge() {
    awk '/^#[0-9]+/ { for (i = 2; i < NF; i++) if ($i == "cov:" && $(i + 1) != before) { before = $(i + 1); n = substr($1, 2) } }
        END { print n + 0 }' "$1"
}

# processor_seconds PID: what it and its children have computed; fails when it is gone.
processor_seconds() {
    read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
    # After the name in brackets: state, then twelve numbers on the times of itself and of children that have ended.
    # shellcheck disable=SC2086 # words
    set -- ${stat##*) }
    [ "$1" != Z ] || return 1
    echo $(((${12} + ${13} + ${14} + ${15}) / $(getconf CLK_TCK)))
}

# soak NAME: one fuzzer, and its row of the table.
soak() {
    name=$1
    status=0
    folder=$(sed -n "s/^headway_fuzzer($name [A-Za-z]* .*CORPUS \([a-z_]*\).*/\1/p" "$HEADWAY_ROOT/tests/fuzz/CMakeLists.txt")
    runs=1000000 seconds=3600 length=4096 timeout=1200
    # Longer messages unfold to megabytes, and are the sample's business.
    if [ "$name" = decode_reply ]; then runs=100000000 seconds=1000000 length=256; fi
    # What is too slow is what it looks for, in as long a source as is read.
    if [ "$name" = advice ]; then length=65536 timeout=5; fi
    log=$results/$name.log
    mkdir -p "$results/$name"
    finding=none
    "$fuzzers/${name}_fuzzer" -runs=$runs -max_len=$length -rss_limit_mb=2048 -timeout=$timeout \
        -print_final_stats=1 -artifact_prefix="$results/$name-" "$results/$name" \
        "$HEADWAY_ROOT/tests/fuzz/$folder" >"$log" 2>&1 &
    fuzzer=$!
    while sleep 5 && computed=$(processor_seconds $fuzzer); do
        # It ends in good order, with its figures.
        if [ "$computed" -ge $seconds ]; then kill -s USR1 $fuzzer 2>/dev/null || :; fi
    done
    wait $fuzzer || { finding=$log status=1; }
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    inputs=${inputs:-0}
    echo "| $name | $inputs | $(edges "$log" $((inputs * 4 / 5))) | $(edges "$log" "$inputs") | $(last_new_edge "$log") | $finding |"
    return $status
}

if [ "${1-}" = --one ]; then
    soak "$2"
    exit
fi

named=$#
if [ "$named" = 0 ]; then
    for fuzzer in "$fuzzers"/*_fuzzer; do set -- "$@" "$(basename "$fuzzer" _fuzzer)"; done
fi
for name do
    if [ ! -x "$fuzzers/${name}_fuzzer" ]; then
        echo "There is no fuzzer $name: see tests/fuzz/CMakeLists.txt." >&2
        exit 2
    fi
done
mkdir -p "$results"
echo 'commit '"$(git -C "$HEADWAY_ROOT" rev-parse --short HEAD 2>/dev/null || echo unknown)"', '"$(date -u +%F)"
echo
echo '| fuzzer | inputs | edges at 80 % | edges at the end | last new edge at input | finding |'
echo '|---|---|---|---|---|---|'
status=0
printf '%s\n' "$@" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh "$0" --one || status=1
if [ "$named" = 0 ]; then
    echo
    (cd "$HEADWAY_ROOT" && ctest --preset soak) || status=1
    python3 "$HEADWAY_ROOT/tests/fuzz/run_liars.py" --judge "$HEADWAY_ROOT/build/test/bin/headway-judge" \
        --workers "$fuzzers" --policy "$HEADWAY_ROOT/policy.toml" --seeds 100 || status=1
    "$HEADWAY_ROOT/build/test/bin/headway-cli" verify --diagnosis --proof "$HEADWAY_ROOT/build/PROOF.md" || status=1
fi
exit $status
