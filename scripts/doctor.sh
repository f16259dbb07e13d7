#!/bin/sh
# ./headway doctor: what Headway needs, what of it is here, what is lost without the rest, and how to mend it.
# Works where nothing can be built. Exit status: 0 if the course can run, else 3.
set -eu

case ${1-} in
'') ;;
*)
    echo 'usage: ./headway doctor     what Headway needs, what of it is here, the command that installs the rest, and what'
    echo '                            holds here while a submission runs. It takes no options, and changes nothing.'
    [ "$1" = --help ] || [ "$1" = -h ] || exit 2
    exit 0
    ;;
esac

. "$HEADWAY_ROOT/scripts/dependencies.sh"
. "$HEADWAY_ROOT/scripts/setup.sh"

if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then
    good=$(printf '\033[32m') bad=$(printf '\033[31m') plain=$(printf '\033[0m')
else
    good='' bad='' plain=''
fi

row() {
    colour=$good
    if [ "$state" != fine ]; then colour=$bad; fi
    printf '  %-16s %-9.9s %s%-7s%s  %s\n' "$name" "${version:--}" "$colour" "$state" "$plain" "$lost"
}

section() {
    printf '\n%s\n' "$1"
    each_dependency row "$2"
}

printf '  %-16s %-9s %-7s  %s\n' 'what' 'version' 'state' 'without it'
section 'The course needs' course
section 'Nice to have' optional
if [ -f "$HEADWAY_ROOT/scripts/test.sh" ]; then
    section "Headway's own tests need (./headway test)" test
    section 'The slow ones need (./headway test --all)' 'all slurm'
    section "The student's edition is made with (./headway release)" release
    section 'The website and ./headway lesson --open need' site
fi

# What a submission cannot do here: tried, by the program that grades.
printf '\nWhat holds while a submission is compiled and run\n'
build=$HEADWAY_ROOT/build/default
cli=$build/bin/headway-cli
if grep -qs '^SECCOMP_INCLUDE:PATH=.*NOTFOUND' "$build/CMakeCache.txt" && [ -n "$(header_version seccomp.h)" ]; then
    # Without the configuration, the next start configures anew, and builds what that changes.
    rm -f "$build/build.ninja" "$build/.headway-built"
    echo '  libseccomp came after the grader was built: run ./headway once, it builds it in.'
elif [ ! -x "$cli" ]; then
    echo '  Not known yet: run ./headway once, it builds the grader.'
elif ! "$cli" protections; then
    echo '  Could not be tried. Run ./headway, then this again.'
fi

find_missing course
broken=$missing_names
find_missing course optional
mend=$missing_packages
find_missing test

echo
if [ -n "$broken" ]; then
    echo 'The course cannot run yet.'
else
    echo 'Everything the course needs is here.'
    if [ -n "$missing_packages" ]; then
        printf "To work on Headway itself: %s\n" "$(install_command "$missing_packages")"
    fi
fi
if [ -n "$mend" ]; then
    as=''
    if [ "$needs_root" = yes ] && [ -z "$as_root" ]; then as=', run as root'; fi
    printf 'This mends it%s:\n\n    %s\n' "$as" "$(install_command "$mend")"
elif [ -n "$broken" ]; then
    echo 'No package manager that Headway knows has it: please install it by hand.'
fi
[ -z "$broken" ] || exit 3
