#!/bin/sh
# bundle.sh FILE.zip: what Gradescope asks for under "Configure Autograder". The course, with setup.sh and run_autograder
# at its root; nothing that git does not know, and no solutions.
set -eu
file=$(readlink -f "$(dirname "$1")")/$(basename "$1")
course=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git -C "$course" archive --format=tar HEAD | tar -x -C "$folder"
rm -rf "$folder/solutions" "$folder/tests" "$folder/.github" "$folder/.ci"
cp "$course/classroom/gradescope/setup.sh" "$course/classroom/gradescope/run_autograder" "$folder"
chmod +x "$folder/setup.sh" "$folder/run_autograder"
rm -f "$file"
(cd "$folder" && cmake -E tar cf "$file" --format=zip .)
echo "$file"
