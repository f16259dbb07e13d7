#!/bin/sh
# first_page_test.sh CHECKOUT CLI: the verdict on the website's first page is what the grader says of that mistake.
set -eu

checkout=$1
cli=$2
HEADWAY_ROOT=$checkout
HEADWAY_STATE=$(mktemp -d)
NO_COLOR=1
export HEADWAY_ROOT HEADWAY_STATE NO_COLOR
trap 'rm -rf "$HEADWAY_STATE"' EXIT

"$cli" verify --expand "$HEADWAY_STATE/mutants" 03_scaled_scores >/dev/null
# As its author sees it: a verdict on somebody else's submission has no hints.
mkdir "$HEADWAY_STATE/exercises"
cp -r "$HEADWAY_STATE/mutants/03_scaled_scores/scale_sqrt_model_width/03_scaled_scores" "$HEADWAY_STATE/exercises"
status=0
"$cli" grade 03 --unsafe --submission "$HEADWAY_STATE/exercises" >"$HEADWAY_STATE/said" || status=$?
[ "$status" = 1 ] || { cat "$HEADWAY_STATE/said"; exit 1; }

# How many answers were seen depends on the hidden inputs.
without_counts() { sed 's/all [0-9]* answers/all N answers/; s/; [0-9]* of them/; N of them/' "$1"; }

without_counts "$checkout/site/verdict.txt" >"$HEADWAY_STATE/shown"
without_counts "$HEADWAY_STATE/said" | sed -n '/^03 scaled scores: failed/,/^$/p' | sed '/^$/d' >"$HEADWAY_STATE/now"
diff "$HEADWAY_STATE/shown" "$HEADWAY_STATE/now"
echo 'The first page shows what is said.'
