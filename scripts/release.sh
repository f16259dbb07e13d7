#!/bin/sh
# ./headway release DIR [--for aarch64] [--without-pages]: makes the student's edition in DIR, of what
# classroom/release/contents lists.
set -eu

root=$HEADWAY_ROOT
contents=classroom/release/contents
tab=$(printf '\t')

fail() {
    printf 'headway release: %s\n' "$1" >&2
    exit "$2"
}

# copy FROM TO: from the root, to the new edition.
copy() {
    mkdir -p "$new/$(dirname "$2")"
    cp "$root/$1" "$new/$2"
}

as_it_is() { copy "$1" "$1"; }

# What the student has not written yet; never what lies in exercises/ of this copy.
stub() {
    as_it_is "$1"
    exercise=exercises/${1#stubs/}
    copy "$1" "$exercise"
    as_it_is "${exercise%.cpp}.hpp"
}

exercise() {
    each "$1/*.cpp" stub
    as_it_is "exercises/${1#stubs/}/exercise.toml"
    as_it_is "exercises/${1#stubs/}/visible_test.cpp"
}

# Sanitizers and __FILE__ leave paths in what they compile, which no option of g++ 12 takes out everywhere: as many
# slashes take the place of this folder's name.
without_root() {
    perl -pi -e 'BEGIN { $root = shift } s|\Q$root\E|"/" x length $root|ge' "$root/" "$1"
}

# Nothing in it is named that need not be.
compiled() {
    product=grader/compiled/${2:-${1##*/}}
    copy "$1" "$product"
    "$strip" --strip-unneeded "$new/$product"
    without_root "$new/$product"
}

# What a compiler notes for gcov: of an object, beside its program.
notes() {
    product=grader/compiled/${1##*/}
    copy "$1" "$product"
    without_root "$new/$product"
    # Numbers in the place of functions' names, as long as these.
    perl -pi -e 's/_Z\w+/sprintf "%0*d", length $&, ++$n/ge' "$new/$product"
}

# Others' libraries come from anywhere on the machine.
brought() {
    product=grader/compiled/${1##*/}
    [ ! -e "$new/$product" ] || return 0
    mkdir -p "$new/grader/compiled"
    cp "$1" "$new/$product"
    chmod u+w "$new/$product"
    "$strip" --strip-unneeded "$new/$product"
    without_root "$new/$product"
    licence "$1"
}

# licence FILE: of the package that it is from, as distributions keep it.
licence() {
    package=$(dpkg -S "$(readlink -f "$1")" 2>/dev/null | cut -d: -f1) || return 0
    [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ] || return 0
    mkdir -p "$new/grader/compiled/licences"
    cp "/usr/share/doc/$package/copyright" "$new/grader/compiled/licences/$package"
}

libraries() {
    while IFS= read -r path; do brought "$path"; done <"$root/$1"
    copy "${1%/*}/labs.cmake" grader/compiled/labs.cmake
}

headers() {
    mkdir -p "$new/grader/compiled/include"
    while IFS=$tab read -r from what; do
        cp -R "$from/$what" "$new/grader/compiled/include/"
        licence "$from/$what"
    done <"$root/$1"
}

# needs NAME [MINIMUM]: its row.
needs() {
    awk -F "$tab" -v OFS="$tab" -v name="${1%%"$tab"*}" -v minimum="${1#"${1%%"$tab"*}"}" '
        $1 == name { if (minimum != "") $4 = substr(minimum, 2); print; found = 1 } END { exit !found }' \
        "$root/cmake/dependencies.tsv" >>"$new/cmake/dependencies.tsv" || fail "cmake/dependencies.tsv has no row for $1." 3
}

page() { copy "$1" "lessons/pages/${1#build/pages/}"; }

object() {
    name=${1%.dir/*}
    compiled "$1" "${name##*/}.o"
}

# each PATTERN COMMAND: calls it with every path that matches. A line that matches nothing is a mistake.
each() {
    # shellcheck disable=SC2086 # a pattern; no name of ours has a space
    for path in $(cd "$root" && ls -d -- $1 2>/dev/null); do
        "$2" "$path"
        any=yes
    done
    [ -n "${any-}" ] || fail "$contents lists $1, and there is none." 3
}

# take KIND WHAT: a line of the list.
take() {
    any=
    case $1 in
    file) each "$2" as_it_is ;;
    exercise) each "stubs/$2" exercise ;;
    program) each "$built/bin/$2" compiled ;;
    notes) each "$built/bin/$2" notes ;;
    library) each "$built/lib$2.a $built/*/lib$2.a $built/*/*/lib$2.a" compiled ;;
    object) each "$built/grader/worker/CMakeFiles/$2.dir/main.cpp.o" object ;;
    page) [ "$with_pages" = no ] || each "build/pages/$2" page ;;
    libraries | headers) each "$built/$2" "$1" ;;
    needs) needs "$2" ;;
    *) fail "$contents has a line that begins with $1." 3 ;;
    esac
}

# The chapters about what is not there are left out, and its commands.
readme() {
    sed -e '/^## Grading a class/,$d' -e '/^| `.\/headway \(diff\|others\)/d' "$root/README.md"
    seen=''
    if [ "$processor" = aarch64 ]; then
        seen=' On this processor 01 to 05, 07 and the labs were tried, in an emulated machine and not on hardware.'
    fi
    sed -e "s/@PROCESSOR@/$processor/" -e "s/@SEEN@/$seen/" "$root/classroom/release/README.md"
}

usage() {
    echo 'usage: ./headway release DIR [OPTION...]     the student'\''s edition, in a new folder' >&2
    echo '    --for aarch64      for arm64 (Macs'\'' containers), made on x86-64; takes a cross compiler and its libraries' >&2
    echo '    --without-pages    where Node.js or Emscripten cannot be had; lesson --open then sets no formulas' >&2
    exit 2
}

case ${1-} in
'' | -*) usage ;;
esac
edition=$1 with_pages=yes processor=$(uname -m) preset=release strip=strip
shift
while [ $# -gt 0 ]; do
    case $1 in
    --without-pages) with_pages=no ;;
    --for)
        processor=${2-}
        [ $# -gt 1 ] && shift
        ;;
    -*) usage ;;
    *) fail 'one folder, please.' 2 ;;
    esac
    shift
done
[ "$(uname -s)" = Linux ] || fail 'it can be made on Linux only.' 2
case "$(uname -m) $processor" in
'x86_64 x86_64' | 'aarch64 aarch64') ;;
'x86_64 aarch64')
    preset=release-aarch64 strip=aarch64-linux-gnu-strip
    HEADWAY_SYSROOT=$root/build/aarch64-root
    export HEADWAY_SYSROOT
    sh "$root/scripts/sysroot.sh" || exit 3
    ;;
*) fail "it is made for x86_64 and aarch64 (arm64), not for ${processor:-nothing}." 2 ;;
esac
built=build/$preset
set -- "$edition"
if [ -e "$1" ] && ! rmdir "$1" 2>/dev/null; then fail "$1 is there already; name a new folder." 2; fi

sh "$root/scripts/build.sh" "$preset" course release
sh "$root/scripts/build.sh" "$preset/headway_labs" course
[ "$with_pages" = no ] || sh "$root/scripts/pages.sh" release
new=${1%/}.unfinished
rm -rf "$new"
mkdir -p "$new/cmake" || fail "$1 cannot be written." 2
head -n 1 "$root/cmake/dependencies.tsv" >"$new/cmake/dependencies.tsv"
sed '/^#/d; /^$/d' "$root/$contents" >"$new/.contents"
while IFS=$tab read -r kind what; do take "$kind" "$what"; done <"$new/.contents"
rm "$new/.contents"
cp "$root/classroom/release/grader.cmake" "$new/grader/CMakeLists.txt"
echo "$processor" >"$new/grader/compiled/processor"
readme >"$new/README.md"
mv "$new" "$1"
echo "The student's edition is in $1: $(find "$1" -type f | wc -l) files, $(du -sh "$1" | cut -f1)."
echo "Hand out that folder as it is: no source of a solution or of a hidden test, no history. Try it:  cd $1 && ./headway grade"
