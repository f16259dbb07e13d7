#!/bin/sh
# lab_test.sh CHECKOUT CLI [slow]: the labs as a student meets them: with stubs, with solutions, stopped and gone on.
set -eu

checkout=$1
cli=$2
speed=${3-quick}
broken=0
work=$(mktemp -d)
HEADWAY_STATE=$work/state
HEADWAY_ROOT=$checkout
export HEADWAY_STATE HEADWAY_ROOT
trap 'rm -rf "$work"' EXIT
cd "$work"

complain() {
    echo "$1"
    [ ! -f out ] || sed 's/^/    /' out
    broken=$((broken + 1))
}

# expect STATUS WORDS COMMAND...: it ends with that status and says the words.
expect() {
    status=$1 words=$2
    shift 2
    ended=0
    "$@" >out 2>&1 || ended=$?
    [ "$ended" = "$status" ] || complain "lab $*: ended with $ended, not $status"
    grep -qF -- "$words" out || complain "lab $*: does not say: $words"
    if grep -q '^.\{320\}' out; then complain "lab $*: prints very long lines"; fi
}

# A page that stands alone: no script, nothing fetched, a text for every picture.
check_page() {
    [ -s "$1" ] || complain "there is no $1"
    if grep -Eq '<script|src=|<link|url\(|href="http' "$1"; then complain "$1 asks for more than itself"; fi
    [ "$(grep -c '<svg' "$1")" = "$(grep '<svg' "$1" | grep -c 'role="img" aria-label="')" ] || complain "$1: a picture without words"
}

# misbehaves WORDS STATEMENT: so goes wrong, with 8 heads, what went well at first; the lab says whose fault it is.
misbehaves() {
    rm -rf guilty && mkdir guilty && cp -r "$checkout/solutions/05_module" guilty
    sed -i "/Tensor forward(/a if (num_heads_ == 8) { $2 }" guilty/05_module/module.cpp
    expect 1 "$1" "$cli" lab cost --quick --submission guilty --output guilty
    grep -qF './headway grade 05' out || complain "lab cost: no next step after: $2"
}

quick() {
    expect 0 'needs 05 and 07; uses 11, 13 and 14 where they are done' "$cli" lab
    expect 0 '--reference' "$cli" lab --help
    expect 2 'there is no lab nope; there are cost, train, prune, gpt2' "$cli" lab nope
    expect 2 'give one of them' "$cli" lab cost --reference --submission .
    mkdir -p stub broken
    cp -r "$checkout/stubs/05_module" stub
    expect 1 'exercise 05_module is not done yet: make_multi_head_attention is still a stub' "$cli" lab cost --submission stub
    expect 2 'stub/07_backward; the lab train needs it' "$cli" lab train --submission stub
    cp -r "$checkout/solutions/05_module" broken
    echo 'int typo = ;' >>broken/05_module/module.cpp
    expect 1 'module.cpp' "$cli" lab cost --submission broken
    misbehaves 'your forward (05_module) threw: not ready' 'throw std::runtime_error("not ready");'
    misbehaves 'your forward (05_module) crashed: it touched memory that is not its own' '*reinterpret_cast<volatile int*>(8) = 1;'
    misbehaves 'your forward (05_module) ended the program (exit)' 'exit(0);'
    misbehaves 'your forward (05_module) ended the program (abort)' 'abort();'
    expect 0 '--quick' "$cli" lab cost --reference --help
    expect 2 'more: ./headway lab cost --help' "$cli" lab cost --reference --nonsense
    expect 0 'the pictures: cost/cost.html' "$cli" lab cost --reference --quick --output cost --json cost.json
    check_page cost/cost.html
    python3 - <<'PYTHON' || complain 'cost.json is not what it should be'
import json
cost = json.load(open("cost.json"))
rows, windows = cost["rows"], cost["windows"]
assert {row["H"] for row in rows} == {1, 2, 4, 8, 16, 32, 64}
for T in {row["T"] for row in rows}:
    assert len({row["counted_multiply_adds"] for row in rows if row["T"] == T}) == 1, "H changes the multiply-adds"
one, many = rows[0], rows[6]
assert many["score_bytes"] == 64 * one["score_bytes"]
assert [text["T"] for text in windows["rows"]] == [64, 256, 1024] and windows["w"] == 64
assert all(text["all_ms"] > 0 and text["window_ms"] > 0 for text in windows["rows"])
before, last = windows["rows"][-2:]
assert last["all_mib"] > 1 and 0 < last["window_mib"] < 5 * before["window_mib"]
caches, stacks = cost["caches"], cost["stacks"]
assert [row["bytes_per_token"] for row in caches["rows"][-3:]] == [2048, 1024, 544] and caches["int8_bytes_said"] == 544
assert [stack["L"] for stack in stacks["rows"]] == [2, 8, 32]
PYTHON
}

slow() {
    cp -r "$checkout/stubs/07_backward" . && mkdir half && mv 07_backward half && cp -r "$checkout/solutions/05_module" half
    expect 1 'exercise 07_backward is not done yet' "$cli" lab train --submission half
    expect 2 '5 does not divide the width' "$cli" lab train --reference --heads 5
    expect 2 'there is none called heads; there are sqrt_d and heads_mixed' "$cli" lab train --reference --mistake heads
    expect 2 'does not know the word elephant' "$cli" lab train --reference --sentence 'the elephant'
    mkdir early && cp -r "$checkout/solutions/05_module" "$checkout/solutions/07_backward" early
    expect 1 'exercise 13_positions is not done yet' "$cli" lab train --submission early --positions rotary
    expect 1 'exercise 14_block is not done yet' "$cli" lab train --submission early --blocks
    expect 1 'exercise 11_long_texts is not done yet' "$cli" lab train --submission early --window 4
    expect 2 'a window holds 1 token at least, not 0' "$cli" lab train --reference --window 0
    expect 2 'compares right models' "$cli" lab train --reference --window 4 --blocks
    expect 0 'H = 2, window of 4' "$cli" lab train --reference --quick --steps 20 --heads 2 --window 4 --output window
    expect 0 'H = 2, whole blocks' "$cli" lab train --reference --quick --steps 20 --heads 2 --blocks --output blocks
    expect 0 'Whole blocks are your exercise 14' "$cli" lab train --reference --quick --steps 20 --heads 2 --output own
    expect 2 'no --attention-alone' "$cli" lab train --reference --blocks --attention-alone
    expect 0 'too few for heads that copy' "$cli" lab train --reference --quick --steps 20 --heads 2 --attention-alone --output alone
    if grep -qi 'whole blocks' out; then complain 'lab train: whole blocks, in spite of --attention-alone'; fi
    expect 0 'too few for heads that copy' "$cli" lab train --submission early --quick --steps 20 --heads 2 --output early-own
    if grep -qi 'whole blocks' out; then complain 'lab train: whole blocks before exercise 14'; fi
    cp -r early wrong && cp -r "$checkout/solutions/14_block" wrong
    sed -i 's/return grad_y \* for_each(x, formula, &gelu_derivative);/return grad_y;/' wrong/14_block/block.cpp
    expect 1 'gives other gradients than differences of your block_forward' "$cli" lab train --submission wrong --quick
    expect 2 'there are none called waves; there are none, learned and rotary' "$cli" lab train --reference --positions waves
    expect 0 'H = 2, rotary positions' "$cli" lab train --reference --quick --steps 20 --heads 2 --positions none,rotary --output turned
    train="$cli lab train --reference --quick --steps 120 --heads 2,4"
    # shellcheck disable=SC2086  # several words
    expect 0 'too few for heads that copy' $train --output whole --json whole.json
    check_page whole/train.html
    # Killed in the middle, and stopped by Ctrl-C later: the numbers are those of the run that nothing disturbed.
    # shellcheck disable=SC2086
    $train --output part >/dev/null 2>&1 &
    wait_for_checkpoint
    kill -9 $! 2>/dev/null || complain 'the training was over before it could be killed'
    wait $! 2>/dev/null || :
    # shellcheck disable=SC2086
    $train --output part >out 2>&1 &
    sleep 1
    kill -INT $! 2>/dev/null || :
    ended=0
    wait $! || ended=$?
    case $ended in
    130) grep -q 'the same command goes on from there' out || complain 'it does not say how to go on' ;;
    0) ;;
    *) complain "stopped by Ctrl-C it ends with $ended" ;;
    esac
    # shellcheck disable=SC2086
    expect 0 'the pictures' $train --output part --json part.json
    cmp -s whole.json part.json || complain 'going on gives other numbers'
    for file in part/checkpoints/h4-*; do head -c 1000 "$file" >shortened && mv shortened "$file"; done
    # shellcheck disable=SC2086
    expect 3 'Delete that file' $train --output part
    # shellcheck disable=SC2086
    expect 0 'sqrt_d' $train --output part --fresh --mistake sqrt_d
    expect 1 'exercise 07_backward is not done yet' "$cli" lab prune --submission half
    expect 2 '5 does not divide the width' "$cli" lab prune --reference --heads 5
    expect 0 'heads can go for 1 % of the loss' "$cli" lab prune --reference --quick --heads 4 --output prune --json prune.json
    check_page prune/prune.html
    python3 - <<'PYTHON' || complain 'prune.json is not what it should be'
import json
found = json.load(open("prune.json"))
everyone = {(block, head) for block in range(2) for head in range(4)}
for order in found["one_by_one"], found["by_cost"], found["heads"]:
    assert {(one["block"], one["head"]) for one in order} == everyone and len(order) == 8
assert found["one_by_one"][-1]["loss"] == found["by_cost"][-1]["loss"] > found["whole"]["loss"]
assert sorted(one["removed"] for one in found["heads"]) == list(range(1, 9))
PYTHON
    expect 0 'H = 4: was trained before' "$cli" lab prune --reference --quick --heads 4 --output prune
    expect 0 'Without 0.1, 1.3 together: the loss is' "$cli" lab prune --reference --quick --heads 4 --output prune --without 0.1,1.3
    expect 2 'there is no head 2.0; there are 0.0 to 1.3' "$cli" lab prune --reference --quick --heads 4 --output prune --without 2.0
}

wait_for_checkpoint() {
    tries=0
    until ls part/checkpoints/*.safetensors >/dev/null 2>&1 || [ "$tries" = 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

"$speed"
[ "$broken" = 0 ] && echo "The labs do what they say ($speed)."
