#!/bin/sh
# update_test.sh CHECKOUT: ./headway update, in copies of a small course: the real launcher and scripts, files of ours.
set -eu

checkout=$1
tests=0
broken=0
GIT_AUTHOR_NAME=Teacher GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=Teacher GIT_COMMITTER_EMAIL=t@example.org
GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL
unset HEADWAY_ROOT

# course FOLDER: the first version, in git.
course() {
    mkdir -p "$1/exercises/01_a" "$1/exercises/02_b" "$1/stubs/01_a" "$1/stubs/02_b" "$1/grader"
    cp "$checkout/headway" "$1/"
    cp -R "$checkout/scripts" "$1/"
    for stub in 01_a/a 02_b/b; do
        echo "stub 1" >"$1/stubs/$stub.cpp"
        echo "stub 1" >"$1/exercises/$stub.cpp"
        echo "header 1" >"$1/exercises/$stub.hpp"
    done
    echo "judge 1" >"$1/grader/judge.cpp"
    echo "old" >"$1/grader/old.cpp"
    printf '/build/\n/backups/\n' >"$1/.gitignore"
    git -C "$1" init -q -b main
    git -C "$1" add -A
    git -C "$1" commit -q -m 'Version 1'
}

# release FOLDER: the second version: newer stubs and header, a new exercise, a file less.
release() {
    for stub in 01_a/a 02_b/b; do
        echo "stub 2" >"$1/stubs/$stub.cpp"
        echo "stub 2" >"$1/exercises/$stub.cpp"
        echo "header 2" >"$1/exercises/$stub.hpp"
    done
    mkdir -p "$1/exercises/03_c" "$1/stubs/03_c"
    echo "stub 1" >"$1/exercises/03_c/c.cpp"
    echo "stub 1" >"$1/stubs/03_c/c.cpp"
    echo "judge 2" >"$1/grader/judge.cpp"
    rm "$1/grader/old.cpp"
    git -C "$1" add -A
    git -C "$1" commit -q -m 'Version 2'
}

# The student has written 01, made a file, and has not touched 02.
work() {
    echo "my work" >"$1/exercises/01_a/a.cpp"
    echo "my helper" >"$1/exercises/01_a/mine.hpp"
    echo "01_a passed" >"$1/exercises/progress.txt"
}

is() {
    tests=$((tests + 1))
    if [ "$(cat "$1" 2>/dev/null)" != "$2" ]; then
        broken=$((broken + 1))
        echo "$name: $1 is '$(cat "$1" 2>&1)', not '$2'"
    fi
}

holds() {
    tests=$((tests + 1))
    if ! "$@"; then
        broken=$((broken + 1))
        echo "$name: not so: $*"
    fi
}

is_updated() {
    is "$1/exercises/01_a/a.cpp" "my work"
    is "$1/exercises/01_a/mine.hpp" "my helper"
    is "$1/exercises/progress.txt" "01_a passed"
    is "$1/exercises/01_a/a.hpp" "header 2"
    is "$1/exercises/02_b/b.cpp" "stub 2"
    is "$1/exercises/03_c/c.cpp" "stub 1"
    is "$1/stubs/01_a/a.cpp" "stub 2"
    is "$1/grader/judge.cpp" "judge 2"
}

desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
course "$desk/upstream"

name='a clone with uncommitted work'
git clone -q "$desk/upstream" "$desk/clone"
git clone -q "$desk/upstream" "$desk/committed"
cp -R "$desk/upstream" "$desk/plain"
rm -rf "$desk/plain/.git"
release "$desk/upstream"

work "$desk/clone"
mkdir -p "$desk/clone/build"
touch "$desk/clone/build/built"
sleep 1
echo "my own judge" >"$desk/clone/grader/judge.cpp"
"$desk/clone/headway" update >"$desk/said" 2>&1 || { cat "$desk/said"; broken=$((broken + 1)); }
is_updated "$desk/clone"
holds [ ! -e "$desk/clone/grader/old.cpp" ]
is "$(find "$desk/clone/backups" -name judge.cpp)" "my own judge"
holds [ "$(git -C "$desk/clone" rev-parse HEAD)" = "$(git -C "$desk/upstream" rev-parse HEAD)" ]
holds [ "$desk/clone/grader/judge.cpp" -nt "$desk/clone/build/built" ]
holds [ -x "$desk/clone/headway" ]
holds grep -q 'Your own files are as they were' "$desk/said"
holds grep -q 'Of 1 of them there is a newer stub' "$desk/said"

name='a second update'
"$desk/clone/headway" update >"$desk/said" 2>&1
is_updated "$desk/clone"
holds grep -q 'as new as it can be' "$desk/said"
holds [ "$(grep -c 'newer stub' "$desk/said")" = 0 ]

name='a clone with commits of its own'
work "$desk/committed"
git -C "$desk/committed" add -A
git -C "$desk/committed" commit -q -m 'My work'
"$desk/committed/headway" update >"$desk/said" 2>&1 || { cat "$desk/said"; broken=$((broken + 1)); }
is_updated "$desk/committed"
holds [ -z "$(git -C "$desk/committed" status --porcelain)" ]
holds git -C "$desk/committed" merge-base --is-ancestor origin/main HEAD
holds [ "$(git -C "$desk/committed" log --format=%s | grep -c 'My work')" = 1 ]

name='a copy without git'
work "$desk/plain"
status=0
"$desk/plain/headway" update >"$desk/said" 2>&1 || status=$?
holds [ "$status" = 2 ]
git -C "$desk/upstream" archive --prefix=course-2/ -o "$desk/course-2.tar.gz" HEAD
"$desk/plain/headway" update "$desk/course-2.tar.gz" >"$desk/said" 2>&1 || { cat "$desk/said"; broken=$((broken + 1)); }
is_updated "$desk/plain"

name='what is no course'
status=0
"$desk/plain/headway" update "$desk/plain/exercises" >"$desk/said" 2>&1 || status=$?
holds [ "$status" = 2 ]
is_updated "$desk/plain"

echo "$((tests - broken)) passed, $broken failed"
[ "$broken" = 0 ]
