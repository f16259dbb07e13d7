#!/bin/sh
# bundle.sh EDITION FILE.zip: what Gradescope asks for under "Configure Autograder": a student's edition, made by
# ./headway release EDITION, with setup.sh and run_autograder at its root. The hidden tests come compiled.
#   Files of your own may be added to FILE.zip: `seed` with a number keeps the hidden inputs from those who have the
#   edition too; class.toml says what each exercise counts; `visible` with one word (visible, after_due_date,
#   after_published, hidden) says when students see the tests.
set -eu

fail() {
    printf 'bundle.sh: %s\n' "$1" >&2
    exit 2
}

[ $# = 2 ] || fail 'usage: bundle.sh EDITION FILE.zip, where ./headway release EDITION made EDITION'
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
file=$(readlink -f "$(dirname "$2")")/$(basename "$2")
[ -x "$1/grader/compiled/headway-judge" ] || fail "$1 is no student's edition; ./headway release EDITION makes one"
[ ! -e "$1/build" ] || fail "$1 was used: make a new one with ./headway release EDITION"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$1/." "$folder"
cp "$here/setup.sh" "$here/run_autograder" "$folder"
chmod +x "$folder/setup.sh" "$folder/run_autograder"
rm -f "$file"
(cd "$folder" && cmake -E tar cf "$file" --format=zip .)
echo "$file"
