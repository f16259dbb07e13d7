#!/bin/sh
# needs_test.sh CHECKOUT: what the launcher says and does about what a machine lacks, on one that is made of stand-ins, as in
# launcher_test.sh.
set -eu

# shellcheck source=tests/end_to_end/stand_in_machine.sh
. "$(dirname "$0")/stand_in_machine.sh"

# --- what is expected -----------------------------------------------------------------------------------------------

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

a_header_of_the_same_name_elsewhere_is_another_header() {
    mkdir -p "$machine/prefix/include/linux" "$machine/prefix/include/x86_64-linux-gnu"
    : >"$machine/prefix/include/linux/of_the_test.h"
    expect test -z "$(CMAKE_PREFIX_PATH=$machine/prefix sh -c '. scripts/dependencies.sh; header_version of_the_test.h')"
    : >"$machine/prefix/include/x86_64-linux-gnu/of_the_test.h"
    expect test -n "$(CMAKE_PREFIX_PATH=$machine/prefix sh -c '. scripts/dependencies.sh; header_version of_the_test.h')"
}

on_macos_it_names_the_container_and_changes_nothing() {
    echo 'echo Darwin' | stand_in uname
    for command in doctor grade 'lesson 03' --help; do
        # shellcheck disable=SC2086 # words
        start $command
        expect exits_with 3
        expect says 'Headway grades on Linux, and this is macOS (Darwin).'
        expect says '    docker run --rm -it '
        expect says 'Reopen in Container'
        expect says_nothing_of '--preset portable'
    done
    mkdir solutions
    start doctor
    expect says '    cmake --workflow --preset portable'
    expect never_ran build
    expect never_ran apt-get
    expect test ! -e build/default
}

on_a_mac_an_edition_for_another_processor_says_so_before_a_container_is_built() {
    # shellcheck disable=SC2016 # for the stand-in to expand
    echo 'if [ "${1-}" = -m ]; then echo arm64; else echo Darwin; fi' | stand_in uname
    mkdir -p grader/compiled
    echo aarch64 >grader/compiled/processor
    start doctor
    expect exits_with 3
    expect says '    docker run --rm -it '
    expect says_nothing_of 'was made for'
    echo x86_64 >grader/compiled/processor
    start doctor
    expect exits_with 3
    expect says 'made for x86_64, and containers here are aarch64'
    expect says './headway release DIR --for aarch64'
    expect never_ran build
}

what_is_installed_after_the_build_is_built_in() {
    start grade
    echo 'SECCOMP_INCLUDE:PATH=SECCOMP_INCLUDE-NOTFOUND' >>"$root/build/default/CMakeCache.txt"
    start doctor
    expect says 'libseccomp came after the grader was built'
    : >"$machine/calls"
    start grade
    expect builds 1
}

run_all
