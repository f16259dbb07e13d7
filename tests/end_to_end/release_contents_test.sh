#!/bin/sh
# release_contents_test.sh CHECKOUT: ./headway release takes what is listed and nothing else. The real launcher and script,
# in a small course of ours; only the build and strip are stand-ins.
set -eu

checkout=$1
tests=0
broken=0
unset HEADWAY_ROOT
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
course="$desk/my course"

write() {
    mkdir -p "$(dirname "$course/$1")"
    printf '%s\n' "$2" >"$course/$1"
}

holds() {
    tests=$((tests + 1))
    if ! "$@"; then
        broken=$((broken + 1))
        echo "$name: not so: $*"
    fi
}

# release STATUS DIR [OPTION...]: makes it, with what it says in `said`.
release() {
    expected=$1 status=0
    shift
    PATH=$desk/bin:$PATH "$course/headway" release "$@" >"$desk/said" 2>&1 || status=$?
    holds [ "$status" = "$expected" ]
}

write lessons/01-a.md lesson
write lessons/answers.md secret
write stubs/01_a/a.cpp stub
write stubs/01_a/notes.txt secret
write exercises/01_a/a.cpp 'secret: written by the person who made the release'
write exercises/01_a/mine.hpp secret
write exercises/01_a/a.hpp header
write exercises/01_a/visible_test.cpp visible
write exercises/01_a/exercise.toml title
write exercises/progress.txt secret
write solutions/01_a/a.cpp secret
write grader/suites/01_a/suite.cpp secret
write .git/HEAD secret
write README.md "# Headway

hello

## Grading a class

secret"
write cmake/dependencies.tsv "# name	and so on
CMake	course	tool cmake	3.25
Ninja	course	tool ninja	1.10
lcov	secret"
write scripts/build.sh "mkdir -p '$course/build/release/bin' && echo 'judge, $course/judge.cpp' >'$course/build/release/bin/headway-judge'"
write build/release/bin/unlisted secret
write build/release/brought/labs.cmake 'headway_brought_lab(cost)'
write build/release/brought/libraries "$desk/elsewhere/libgtest.a"
write build/release/brought/headers "$desk/elsewhere	gtest"
mkdir -p "$desk/elsewhere/gtest"
echo library >"$desk/elsewhere/libgtest.a"
echo header >"$desk/elsewhere/gtest/gtest.h"
write scripts/pages.sh "mkdir -p '$course/build/pages/labs' && echo page >'$course/build/pages/01-a.html'
echo page >'$course/build/pages/labs/cost.html'
echo secret >'$course/build/pages/unlisted.html'"
write classroom/release/README.md '## This edition

for @PROCESSOR@.@SEEN@'
write classroom/release/grader.cmake grader
write classroom/release/contents "# secret
file	lessons/[0-9][0-9]-*.md
exercise	[0-9][0-9]_*
page	[0-9][0-9]-*.html
page	labs/*.html
program	headway-judge
libraries	brought/libraries
headers	brought/headers
needs	CMake	3.18
needs	Ninja"
cp "$checkout/headway" "$course/"
cp "$checkout/scripts/release.sh" "$course/scripts/"
mkdir "$desk/bin"
printf '#!/bin/sh\n' >"$desk/bin/strip"
chmod +x "$desk/bin/strip"

name='what is listed'
release 0 "$desk/edition"
holds [ "$(cd "$desk/edition" && find . -type f | sort | tr '\n' ' ')" = "./README.md ./cmake/dependencies.tsv \
./exercises/01_a/a.cpp ./exercises/01_a/a.hpp ./exercises/01_a/exercise.toml ./exercises/01_a/visible_test.cpp \
./grader/CMakeLists.txt ./grader/compiled/headway-judge ./grader/compiled/include/gtest/gtest.h \
./grader/compiled/labs.cmake ./grader/compiled/libgtest.a ./grader/compiled/processor ./lessons/01-a.md \
./lessons/pages/01-a.html ./lessons/pages/labs/cost.html ./stubs/01_a/a.cpp " ]
holds [ -z "$(grep -r secret "$desk/edition")" ]
holds [ "$(cat "$desk/edition/exercises/01_a/a.cpp")" = stub ]
holds grep -qx 'judge, //*judge.cpp' "$desk/edition/grader/compiled/headway-judge"
holds grep -q '## This edition' "$desk/edition/README.md"
holds [ "$(cat "$desk/edition/grader/compiled/processor")" = "$(uname -m)" ]
holds grep -qx "for $(uname -m)." "$desk/edition/README.md"
holds grep -qx 'CMake	course	tool cmake	3.18' "$desk/edition/cmake/dependencies.tsv"
holds grep -qx 'Ninja	course	tool ninja	1.10' "$desk/edition/cmake/dependencies.tsv"

name='without pages'
rm -r "$course/build/pages"
write scripts/pages.sh 'exit 3'
release 3 "$desk/plain"
holds [ ! -e "$desk/plain" ]
release 0 "$desk/plain" --without-pages
holds [ -f "$desk/plain/lessons/01-a.md" ]
holds [ ! -e "$desk/plain/lessons/pages" ]

name='for another processor'
release 2 "$desk/elsewhere" --for riscv64
holds grep -q 'not for riscv64' "$desk/said"
release 2 "$desk/elsewhere" --for
holds grep -q 'not for nothing' "$desk/said"

name='on another processor'
printf 'riscv64\n' >"$desk/edition/grader/compiled/processor"
cp "$checkout/headway" "$desk/edition/"
status=0
"$desk/edition/headway" grade 01 >"$desk/said" 2>&1 || status=$?
holds [ "$status" = 3 ]
holds grep -q "this edition was made for riscv64, and this is $(uname -m)" "$desk/said"
holds [ ! -e "$desk/edition/build" ]

name='a folder that is there'
release 2 "$desk/edition"
holds grep -q 'is there already' "$desk/said"

name='no folder'
release 2 --help
holds grep -q 'usage: ./headway release DIR' "$desk/said"

name='a line that nothing matches'
printf 'file\tmissing.md\n' >>"$course/classroom/release/contents"
release 3 "$desk/another" --without-pages
holds [ ! -e "$desk/another" ]
holds grep -q 'lists missing.md, and there is none' "$desk/said"

name='a need that no row has'
sed -i '$d' "$course/classroom/release/contents"
printf 'needs\tMake\n' >>"$course/classroom/release/contents"
release 3 "$desk/another" --without-pages
holds grep -q 'dependencies.tsv has no row for Make' "$desk/said"

name='a student'\''s edition cannot make another'
rm "$course/scripts/release.sh"
release 2 "$desk/another"
holds grep -q 'release needs the full edition' "$desk/said"

name='a source of tensor/ is handed out or a library'
for file in "$checkout"/tensor/include/headway/* "$checkout"/tensor/src/*; do
    stem=$(basename "$file" .cpp)
    file=${file#"$checkout/"}
    holds grep -qx -e "file	$file" -e "library	headway_$stem" "$checkout/classroom/release/contents"
done
name='what CMakeLists.txt includes is handed out'
# shellcheck disable=SC2013 # names are words
for file in $(sed -n 's/^include(\(.*\))/\1/p' "$checkout/CMakeLists.txt"); do
    holds grep -qx "file	cmake/$file.cmake" "$checkout/classroom/release/contents"
done

echo "$((tests - broken)) passed, $broken failed"
[ "$broken" = 0 ]
