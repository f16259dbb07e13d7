#!/bin/sh
# ./headway new exercise NN_name | ./headway new mutant NN NAME: the files that a new part of the course begins with, from
# templates/. What is to be written in them says FILL_IN, and ./headway verify names the places that still do.
set -eu

root=$HEADWAY_ROOT
templates=$root/templates

usage() {
    cat <<'EOF'
usage: ./headway new exercise NN_name     the files of a new exercise, such as 15_linear_attention
       ./headway new mutant NN NAME       a new wrong submission of exercise NN, as an edit of a right one

A new exercise builds, its solution passes and its stub is "not started". Its one function is an example: put yours in
its place. docs/architecture.md ("A new exercise") says what belongs where, CONTRIBUTING.md ("Mutants") what a mutant
needs.
EOF
}

# refuse WHAT...: what is wrong with what was asked, and the next step. Nothing has been written by then.
refuse() {
    for line do printf 'headway new: %s\n' "$line" >&2; done
    exit 2
}

is_name() { printf '%s\n' "$1" | grep -Eqx '[a-z][a-z0-9]*(_[a-z0-9]+)*'; }

# exercise_of NUMBER: the name of that exercise; empty if there is none.
exercise_of() {
    for folder in "$root/exercises/$1"_*/; do
        if [ -d "$folder" ]; then basename "$folder"; fi
    done
}

# --- exercises ------------------------------------------------------------------------------------------------------

check_exercise() {
    number=${name%%_*} stem=${name#*_}
    if ! printf '%s\n' "$name" | grep -Eqx '[0-9][0-9]_.*' || [ "$number" = 00 ] || ! is_name "$stem"; then
        refuse "$name is no name for an exercise." \
            "It is two digits and words in small letters, such as 15_linear_attention."
    fi
    taken=$(exercise_of "$number")
    if [ -n "$taken" ]; then refuse "$number is $taken already. Free is $(free_number)_$stem."; fi
    for folder in "$root"/exercises/[0-9][0-9]_"$stem"/; do
        if [ -d "$folder" ]; then
            refuse "$(basename "$folder") is called $stem too, and so are its files. Take another name."
        fi
    done
    # The lesson's numbers and the student's file are called the same; some files beside them are there already.
    for file in "lessons/numbers/$stem.cpp" "lessons/numbers/$stem.hpp"; do
        if [ -e "$root/$file" ]; then refuse "$file is something else already. Take another name than $stem."; fi
    done
    if [ "$stem" = visible_test ]; then refuse "visible_test.cpp is the visible test. Take another name."; fi
}

free_number() {
    last=$(find "$root/exercises" -mindepth 1 -maxdepth 1 -type d -name '[0-9][0-9]_*' -exec basename {} \; |
        sort | tail -n 1)
    last=${last%%_*}
    printf '%02d' $((${last#0} + 1))
}

# files: TEMPLATE and what is made of it, a line each.
files() {
    cat <<EOF
the_name.hpp exercises/$name/$stem.hpp
stub.cpp exercises/$name/$stem.cpp
visible_test.cpp exercises/$name/visible_test.cpp
exercise.toml exercises/$name/exercise.toml
stub.cpp stubs/$name/$stem.cpp
solution.cpp solutions/$name/$stem.cpp
suite.cpp grader/suites/$name/suite.cpp
dispatcher.cpp grader/suites/$name/dispatcher.cpp
visible.cpp grader/suites/$name/visible.cpp
mutants.toml tests/mutants/$name/mutants.toml
accepted.toml tests/accepted/$name/accepted.toml
trivial.cpp tests/trivial/$name.cpp
lesson.md lessons/$number-$hyphened.md
numbers.cpp lessons/numbers/$stem.cpp
EOF
}

# fill TEMPLATE FILE: writes it, with the exercise's names.
fill() {
    mkdir -p "$root/$(dirname "$2")"
    sed -e "s/the_name/$stem/g; s/the-name/$hyphened/g; s/TheName/$suite/g; s/The title/$title/g; s/the title/$words/g" \
        -e "s/NN/$number/g" "$templates/exercise/$1" >"$root/$2"
    echo "    $2"
}

# In CMakeLists.txt, in the order of the exercises: a call may go on in the next line.
add_to_build() {
    line="headway_exercise($name USES movement)"
    awk -v new="$number" -v line="$line" '
        !done && /^headway_exercise\(/ && substr($0, 18, 2) > new { print line; done = 1 }
        /^headway_exercise\(/ { seen = 1 }
        !done && seen && /^$/ { print line; done = 1 }
        { print }' "$root/CMakeLists.txt" >"$root/CMakeLists.txt.new"
    grep -qxF "$line" "$root/CMakeLists.txt.new" || refuse 'CMakeLists.txt has no headway_exercise() to add to.'
    mv "$root/CMakeLists.txt.new" "$root/CMakeLists.txt"
    echo "    CMakeLists.txt: $line"
}

new_exercise() {
    name=$1
    check_exercise
    hyphened=$(printf '%s' "$stem" | tr _ -)
    words=$(printf '%s' "$stem" | tr _ ' ')
    title=$(printf '%s' "$words" | awk '{ print toupper(substr($0, 1, 1)) substr($0, 2) }')
    suite=$(printf '%s' "$words" | awk '{ for (i = 1; i <= NF; ++i) printf "%s%s", toupper(substr($i, 1, 1)), substr($i, 2) }')
    for file in $(files | cut -d ' ' -f 2); do
        if [ -e "$root/$file" ]; then refuse "$file is there already. Move it away, or take another name."; fi
    done
    echo "$name begins with:"
    files | while read -r template file; do fill "$template" "$file"; done
    digest=grader/suites/$name/visible_test.sha256
    sha256sum "$root/exercises/$name/visible_test.cpp" | cut -c 1-64 >"$root/$digest"
    echo "    $digest"
    add_to_build
    cat <<EOF

It builds as it is. Its one function, doubled, is an example: write yours in its place, the header first, since that is
the specification. Then
    ./headway grade $number                              the stub: not started
    ./headway grade $number --submission solutions       the solution: passed
    ./headway new mutant $number NAME                    a wrong submission for each mistake you can think of
    ./headway verify $number                             what is still missing
docs/architecture.md, "A new exercise", has the order to write in, and the two lists that are yours to mend: README.md's,
and the map in lesson 00, which lesson_numbers --write lessons draws.
EOF
}

# --- mutants --------------------------------------------------------------------------------------------------------

# The right program that the fewest mutants are changes of, since no base may carry more than a fifth; of one file.
# Before all others the solution.
least_used_base() {
    for folder in "$root/solutions" "$root/tests/accepted/$exercise"/*; do
        [ -d "$folder/$exercise" ] || continue
        [ "$(find "$folder/$exercise" -type f | wc -l)" = 1 ] || continue
        case $folder in
        "$root/solutions") base=solution ;;
        *) base=accepted/$(basename "$folder") ;;
        esac
        printf '%s %s\n' "$(grep -cxF "base = \"$base\"" "$mutants" || :)" "$base"
    done | sort -n -s -k 1,1 | head -n 1 | cut -d ' ' -f 2
}

new_mutant() {
    case $1 in
    [0-9]) exercise=$(exercise_of "0$1") ;;
    [0-9][0-9]) exercise=$(exercise_of "$1") ;;
    *) exercise=$1 ;;
    esac
    mutant=$2
    if [ -z "$exercise" ] || [ ! -d "$root/exercises/$exercise" ]; then
        refuse "there is no exercise $1. There are" \
            "$(cd "$root/exercises" && echo [0-9][0-9]_*)" "./headway new exercise NN_name makes another."
    fi
    number=${exercise%%_*}
    mutants=$root/tests/mutants/$exercise/mutants.toml
    if ! is_name "$mutant"; then
        refuse "$mutant is no name for a mutant." \
            "It says what is wrong, in words of small letters: scale_by_sqrt_model_width."
    fi
    [ -f "$mutants" ] || refuse "there is no tests/mutants/$exercise/mutants.toml. git checkout brings it back."
    if grep -qxF "[$mutant]" "$mutants" || [ -e "$root/tests/mutants/$exercise/$mutant" ]; then
        refuse "$exercise has a mutant $mutant already: ./headway verify --show $number $mutant" "Take another name."
    fi
    base=$(least_used_base)
    [ -n "$base" ] || refuse "$exercise has no right program of one file to change: write solutions/$exercise first."
    sed "s|THE_MUTANT|$mutant|; s|THE_BASE|$base|" "$templates/mutant.toml" >"$mutants.entry"
    # Before the first that comes later in the alphabet: most stand in the order of their names.
    awk -v new="[$mutant]" -v entry="$mutants.entry" '
        function add() { while ((getline line < entry) > 0) print line }
        !done && /^\[[a-z0-9_]*\]$/ && $0 "" > new "" { add(); print ""; done = 1 }
        { print }
        END { if (!done) { print ""; add() } }' "$mutants" >"$mutants.new"
    mv "$mutants.new" "$mutants"
    rm "$mutants.entry"
    cat <<EOF
tests/mutants/$exercise/mutants.toml has an entry [$mutant], in line $(grep -nxF "[$mutant]" "$mutants" | cut -d : -f 1).
Write what is wrong in place of each FILL_IN. Its base, $base, is the right program with the fewest changes so far;
take another if a student would make the mistake there, as long as no base carries more than a fifth.
\`diagnosis\` lists the mistakes of the catalogue that must be named; [] is for one that must stay without a name. Then
    ./headway verify --show $number $mutant
    ./headway verify $number
show the whole program, and that it is caught and gets its name and no other.
EOF
}

case "${1-} $#" in
'exercise 2') new_exercise "$2" ;;
'mutant 3') new_mutant "$2" "$3" ;;
'-h 1' | '--help 1') usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
