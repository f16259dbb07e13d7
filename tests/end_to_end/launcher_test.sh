#!/bin/sh
# launcher_test.sh CHECKOUT: what ./headway does before the grader starts, on a machine made of stand-ins: the launcher and
# its scripts are the real ones; compiler, CMake, package manager, sudo and id are small scripts, and nothing else is in PATH.
# What is needed is found by name and version only, so a stand-in is as good as the program.
set -eu

# shellcheck source=tests/end_to_end/stand_in_machine.sh
. "$(dirname "$0")/stand_in_machine.sh"

# a_site: what the lessons' pages are built from, and the tools that build them.
a_site() {
    mkdir -p lessons site/node_modules site/explorer/model site/.vitepress/markdown site/.vitepress/theme
    echo '# 03' >lessons/03-scaled-scores.md
    echo lock >site/package-lock.json
    cp site/package-lock.json site/node_modules/.headway-lock
    echo "echo compile >>'$machine/calls'" >site/explorer/model/compile.sh
    for name in node npm em++; do tool "$name" 99.1; done
    echo "echo \"npx \$1 \$2\" >>'$machine/calls'; mkdir -p '$root/build/pages'" | stand_in npx
}

# --- what is expected -----------------------------------------------------------------------------------------------

the_first_start_builds_and_hands_over() {
    cd "$machine"
    start grade --yes 03 'a b' --json out.json
    expect exits_with 0
    expect says "cli in $(basename "$machine"), root my course: <grade> <03> <a b> <--json> <out.json>"
    expect builds 1
    expect says 'Building the grader'
}

the_second_start_runs_nothing() {
    start
    start
    expect builds 1
    expect says_nothing_of Building
}

what_the_student_writes_starts_no_build() {
    start
    sleep 0.01
    touch exercises/01_single_head/single_head.cpp
    start
    expect builds 1
}

what_the_course_changes_is_built() {
    start
    sleep 0.01
    touch exercises/01_single_head/single_head.hpp
    start
    expect builds 2
    sleep 0.01
    rm grader/judge.cpp
    start
    expect builds 3
}

what_only_instructors_use_is_built_for_them() {
    mkdir grader/instructor
    start grade
    expect builds 1
    start class
    expect builds 2
    expect says '<class>'
    start verify
    expect builds 2
    sleep 0.01
    touch grader/instructor/main.cpp
    start verify
    expect builds 4
}

a_verdict_waits_for_hidden_tests_of_its_own() {
    mkdir exercises/02_head_splitting exercises/03_scaled_scores
    start grade 02
    expect ran 'configure -DHEADWAY_SUITES=02'
    start grade 02
    start grade 03
    expect ran 'configure -DHEADWAY_SUITES=02;03'
    expect [ "$(calls | grep -c configure)" = 2 ]
    start watch 02
    expect [ "$(calls | grep configure | tail -n 1)" = 'configure -DHEADWAY_SUITES=' ]
    start grade
    start grade 01
    expect [ "$(calls | grep configure | tail -n 1)" = 'configure -DHEADWAY_SUITES=' ]
    expect [ "$(calls | grep -c configure)" = 3 ]
}

a_copied_checkout_is_configured_anew() {
    start
    sed 's/my course/elsewhere/' build/default/.headway-built >moved
    cp moved build/default/.headway-built
    sed 's/my course/elsewhere/' build/default/CMakeCache.txt >moved
    cp moved build/default/CMakeCache.txt
    start
    expect builds 2
    expect [ "$(calls | grep -c configure)" = 2 ]
}

starts_at_once_build_one_after_the_other() {
    echo 0.3 >"$machine/slow"
    (start one) &
    (start two) &
    start three
    wait
    expect never_ran 'two builds at once'
    expect [ -x build/default/bin/headway-cli ]
}

a_start_that_was_killed_is_made_good_by_the_next() {
    echo 5 >"$machine/slow"
    setsid env -i PATH="$bin" CMAKE_PREFIX_PATH="$machine/prefix" "$root/headway" >"$machine/said" 2>&1 &
    victim=$!
    patience=100
    until ran build || [ "$patience" = 0 ]; do sleep 0.1; patience=$((patience - 1)); done
    expect builds 1
    kill -9 -"$victim"
    wait "$victim" 2>/dev/null || :
    rm -rf "$machine/slow" "$machine/building"
    start grade
    expect exits_with 0
    expect says '<grade>'
}

a_failed_build_is_shown_and_tried_again() {
    touch "$machine/break-the-build"
    start
    expect exits_with 3
    expect says 'error: not C++'
    expect says 'not your code'
    expect says 'build/default/headway-build.log'
    rm "$machine/break-the-build"
    start grade
    expect exits_with 0
}

a_folder_that_cannot_be_written_is_named() {
    rmdir build
    touch build
    start grade
    expect exits_with 3
    expect says 'a folder of your own'
}

the_pages_of_lessons_are_built_when_one_is_opened() {
    a_site
    start lesson 03
    expect never_ran npx
    start lesson 03 --open
    expect exits_with 0
    expect ran 'npx vite build'
    expect ran compile
    expect says "Building the lessons' pages"
    expect says '<lesson> <03> <--open>'
    start lesson 03 --open
    expect [ "$(calls | grep -c npx)" = 1 ]
    sleep 0.01
    touch lessons/03-scaled-scores.md
    start lesson 03 --open
    expect [ "$(calls | grep -c npx)" = 2 ]
}

without_node_a_lesson_opens_all_the_same() {
    a_site
    rm "$bin/node"
    start lesson 03 --open
    expect exits_with 0
    expect says 'Node.js 20 is missing. Install it with:  '
    expect says 'apt-get install -y --no-install-recommends nodejs npm'
    expect never_ran npx
    expect says '<lesson> <03> <--open>'
}

without_emscripten_the_pages_have_no_explorer() {
    a_site
    rm "$bin/em++"
    start lesson 03 --open
    expect says 'The pages come without the explorer: Emscripten is missing.'
    expect never_ran compile
    expect ran npx
    tool em++ 99.1
    start lesson 03 --open
    expect ran compile
}

pages_that_cannot_be_built_say_why_and_keep_nobody_from_reading() {
    a_site
    echo 'echo "error: no such formula"; exit 1' | stand_in npx
    start lesson 03 --open
    expect exits_with 0
    expect says 'no such formula'
    expect says 'build/pages.log'
    expect says '<lesson> <03> <--open>'
}

help_comes_without_a_build() {
    start --help
    expect exits_with 0
    expect says './headway grade'
    expect fits_80_columns
    expect builds 0
    start grade
    start --help
    expect says '<--help>'
}

the_tests_end_with_a_count() {
    stand_in ctest <<'EOF'
for argument do results=$argument; done
cat >"$results" <<'XML'
<testsuite tests="4">
	<testcase name="a" status="run">
	<testcase name="b" status="fail">
	<testcase name="c" status="notrun">
		<skipped message="Unable to find executable"/>
	<testcase name="d" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
XML
exit 8
EOF
    start test
    expect exits_with 1
    expect says '1 tests were skipped'
    expect last_line_is '4 passed, 2 failed'
    touch "$machine/break-the-build"
    start test
    expect exits_with 1
    expect last_line_is '0 passed, 1 failed'
}

run_all
