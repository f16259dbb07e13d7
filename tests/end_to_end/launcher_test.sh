#!/bin/sh
# launcher_test.sh CHECKOUT: what ./headway does before the grader starts, on a machine made of stand-ins: the launcher and
# its scripts are the real ones; compiler, CMake, package manager, sudo and id are small scripts, and nothing else is in PATH.
# What is needed is found by name and version only, so a stand-in is as good as the program.
set -eu

checkout=$1
real_path=$PATH
tests=0
broken=0

# --- the vocabulary -------------------------------------------------------------------------------------------------

# stand_in NAME: a program of this machine; its text comes from standard input.
stand_in() {
    { echo '#!/bin/sh'; cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}

# tool NAME VERSION / library NAME VERSION: there, in that version.
tool() { echo "echo $1 $2" | stand_in "$1"; }
library() {
    mkdir -p "$machine/prefix/lib/cmake/$1"
    echo "set(PACKAGE_VERSION \"$2\")" >"$machine/prefix/lib/cmake/$1/$1ConfigVersion.cmake"
}

# A machine with everything, and a fresh checkout on it. The folder's name has a space, as some have.
new_machine() {
    machine=$(mktemp -d)
    bin=$machine/bin root="$machine/my course"
    mkdir -p "$bin" "$root/grader" "$root/tensor" "$root/exercises/01_single_head" "$root/build"
    cp "$checkout/headway" "$root/"
    cp -R "$checkout/scripts" "$checkout/cmake" "$checkout/CMakePresets.json" "$root/"
    touch "$root/CMakeLists.txt" "$root/grader/judge.cpp" "$root/exercises/01_single_head/single_head.hpp" \
        "$root/exercises/01_single_head/single_head.cpp"
    for program in awk basename cat chmod cp cut date dirname env find flock fold git grep head ls mkdir mv readlink rm rmdir \
        script sed sh sleep sort tail touch tr wc xargs; do
        if found=$(PATH=$real_path command -v "$program"); then ln -s "$found" "$bin/$program"; fi
    done
    for name in g++ clang++ mold gdb lcov flatc ninja clang-format python3 bwrap; do tool "$name" 99.1; done
    for name in GTest Eigen3 CLI11 tomlplusplus nlohmann_json fmt flatbuffers benchmark; do library "$name" 99.1; done
    mkdir -p "$machine/prefix/include/openssl" "$machine/prefix/include/valijson"
    echo '# define OPENSSL_VERSION_STR "99.1.0"' >"$machine/prefix/include/openssl/opensslv.h"
    touch "$machine/prefix/include/valijson/validator.hpp"
    echo 'echo 1000' | stand_in id
    stand_in cmake <<EOF
case \$1 in
--version) echo cmake version 99.1.0; exit ;;
--preset)
    echo configure >>"$machine/calls"
    mkdir -p "$root/build/\$2"
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$root" >"$root/build/\$2/CMakeCache.txt"
    touch "$root/build/\$2/build.ninja"
    exit ;;
esac
mkdir "$machine/building" || { echo "two builds at once" >>"$machine/calls"; exit 1; }
echo build >>"$machine/calls"
if [ -f "$machine/break-the-build" ]; then
    rmdir "$machine/building"
    echo "[1/2] Building CXX object judge.o"
    echo "FAILED: judge.o"
    echo "judge.cpp:1:1: error: not C++"
    exit 1
fi
sleep "\$(cat "$machine/slow" 2>/dev/null || echo 0)"
echo "[2/2] Linking"
mkdir -p "\$2/bin"
cat >"\$2/bin/headway-cli" <<'CLI'
#!/bin/sh
printf 'cli in %s, root %s:' "\$(basename "\$PWD")" "\$(basename "\$HEADWAY_ROOT")"
printf ' <%s>' "\$@"
echo
CLI
chmod +x "\$2/bin/headway-cli"
rmdir "$machine/building"
EOF
    stand_in apt-get <<EOF
echo "apt-get \$*" >>"$machine/calls"
case \$* in
update) exit ;;
*g++*) { echo '#!/bin/sh'; echo 'echo g++ 99.1'; } >"$bin/g++"; chmod +x "$bin/g++" ;;
esac
EOF
    tool dpkg 1.0
    cd "$root"
}

# start ARGUMENT...: ./headway on this machine; sets $status; what it says is in $machine/said.
start() {
    status=0
    env -i PATH="$bin" HOME="$machine" CMAKE_PREFIX_PATH="$machine/prefix" "$root/headway" "$@" \
        >"$machine/said" 2>&1 </dev/null || status=$?
}

calls() { cat "$machine/calls" 2>/dev/null || :; }

# A test is a function; in it, what fails says so and counts once.
expect() {
    if "$@"; then return; fi
    printf '  not so: %s\n' "$*"
    sed 's/^/    said: /' "$machine/said"
    calls | sed 's/^/    ran:  /'
    fine=no
}
says() { grep -qF -- "$1" "$machine/said"; }
says_nothing_of() { ! says "$1"; }
ran() { calls | grep -qF -- "$1"; }
never_ran() { ! ran "$1"; }
exits_with() { [ "$status" = "$1" ]; }
builds() { [ "$(calls | grep -cx build)" = "$1" ]; }
fits_80_columns() { ! grep -v apt-get "$machine/said" | grep -qE '.{81}'; }
last_line_is() { [ "$(tail -n 1 "$machine/said")" = "$1" ]; }

run() {
    new_machine
    fine=yes
    "$1"
    tests=$((tests + 1))
    if [ "$fine" = yes ]; then
        echo "ok    $1"
    else
        echo "WRONG $1"
        broken=$((broken + 1))
    fi
    cd /
    rm -rf "$machine"
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

the_second_start_runs_nothing_and_takes_no_time() {
    start
    began=$(date +%s%N)
    for _ in 1 2 3 4 5 6 7 8 9 10; do start; done
    expect [ $((($(date +%s%N) - began) / 10000000)) -lt 100 ]
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

without_rights_it_prints_the_command() {
    rm "$bin/g++" "$bin/clang++"
    start grade
    expect exits_with 3
    expect says 'C++ compiler (g++ 12 or clang++ 14)'
    expect says 'as root'
    expect says '    apt-get update && apt-get install -y --no-install-recommends g++'
    expect never_ran apt-get
    expect never_ran build
}

a_folder_that_cannot_be_written_is_named() {
    rmdir build
    touch build
    start grade
    expect exits_with 3
    expect says 'a folder of your own'
}

with_passwordless_sudo_it_installs_and_goes_on() {
    rm "$bin/g++" "$bin/clang++"
    # shellcheck disable=SC2016 # for the stand-in to expand
    echo 'if [ "$1" = -n ]; then exit 0; fi; exec "$@"' | stand_in sudo
    start grade
    expect exits_with 0
    expect ran 'apt-get install -y --no-install-recommends g++'
    expect says '<grade>'
}

sudo_that_wants_a_password_is_no_permission() {
    rm "$bin/g++" "$bin/clang++"
    echo 'exit 1' | stand_in sudo
    start grade
    expect exits_with 3
    expect says 'may not install it'
    expect says '    sudo apt-get update && sudo apt-get install -y --no-install-recommends g++'
    expect never_ran apt-get
}

as_root_it_needs_no_sudo() {
    rm "$bin/g++" "$bin/clang++"
    echo 'echo 0' | stand_in id
    start grade
    expect exits_with 0
    expect says_nothing_of sudo
    expect ran 'apt-get update'
}

on_a_terminal_it_asks_first() {
    if [ ! -e "$bin/script" ]; then return; fi
    rm "$bin/g++" "$bin/clang++"
    echo 'echo 0' | stand_in id
    status=0
    (sleep 1; echo n; sleep 1) | env -i PATH="$bin" CMAKE_PREFIX_PATH="$machine/prefix" SHELL=/bin/sh \
        script -qec "'$root/headway' grade" /dev/null >"$machine/said" 2>&1 || status=$?
    expect exits_with 3
    expect says '[Y/n]'
    expect never_ran apt-get
}

an_installation_that_fails_says_what_it_said() {
    rm "$bin/g++" "$bin/clang++"
    echo 'echo 0' | stand_in id
    echo 'echo "E: Unable to fetch some archives"; exit 100' | stand_in apt-get
    start grade
    expect exits_with 3
    expect says 'Unable to fetch some archives'
    expect says 'build/install.log'
}

too_old_is_not_good_enough() {
    library Eigen3 3.3.9
    start grade
    expect exits_with 3
    expect says 'Eigen 3.4 (here: 3.3.9)'
    expect says 'libeigen3-dev'
}

what_is_optional_stands_in_nobodys_way() {
    rm "$bin/mold" "$bin/gdb"
    start grade
    expect exits_with 0
    expect never_ran apt-get
}

an_old_compiler_beside_a_good_one_is_passed_over() {
    tool g++ 9.4.0
    start grade
    expect exits_with 0
    start doctor
    expect exits_with 0
    expect says '99.1'
}

the_doctor_is_content() {
    start doctor
    expect exits_with 0
    expect says 'Everything the course needs is here.'
    expect fits_80_columns
    expect never_ran build
}

the_doctor_names_what_is_missing_and_the_cure() {
    rm "$bin/ninja"
    library fmt 7.0.0
    start doctor
    expect exits_with 3
    expect says 'too old'
    expect says 'missing'
    expect last_line_is \
        '    apt-get update && apt-get install -y --no-install-recommends ninja-build libfmt-dev'
    expect fits_80_columns
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
    expect last_line_is '3 passed, 2 failed'
    touch "$machine/break-the-build"
    start test
    expect exits_with 1
    expect last_line_is '0 passed, 1 failed'
}

# Every function from here up to the line above is a test.
# shellcheck disable=SC2013 # names are words
for test in $(sed -n '/^# --- what is expected/,$s/^\([a-z_0-9]*\)() {$/\1/p' "$0"); do run "$test"; done
echo "$((tests - broken)) of $tests as expected"
[ "$broken" = 0 ]
