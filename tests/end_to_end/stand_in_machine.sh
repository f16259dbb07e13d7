# The vocabulary of launcher_test.sh and needs_test.sh, which read this file: a machine made of stand-ins, and what to expect
# of a start on it.
# shellcheck shell=sh
# shellcheck disable=SC2034 # what is set here is used there

checkout=$1
real_path=$PATH
tests=0
broken=0

# stand_in NAME: a program of this machine; its text comes from standard input. A link goes first: written through, it would
# change the real program that it leads to.
stand_in() {
    rm -f "$bin/$1"
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
    for program in awk basename cat chmod cmp cp cut date dirname env find flock fold git grep head ls mkdir mv readlink rm rmdir \
        script sed sh sleep sort tail touch tr uname wc xargs; do
        if found=$(PATH=$real_path command -v "$program"); then ln -s "$found" "$bin/$program"; fi
    done
    for name in g++ clang++ mold gdb lcov flatc ninja clang-format shellcheck python3 bwrap; do tool "$name" 99.1; done
    for name in GTest Eigen3 CLI11 tomlplusplus nlohmann_json fmt flatbuffers benchmark; do library "$name" 99.1; done
    mkdir -p "$machine/prefix/include/openssl" "$machine/prefix/include/valijson"
    echo '# define OPENSSL_VERSION_STR "99.1.0"' >"$machine/prefix/include/openssl/opensslv.h"
    mkdir -p "$machine/prefix/share/zoneinfo/Europe"
    touch "$machine/prefix/share/zoneinfo/Europe/Berlin" "$machine/prefix/include/valijson/validator.hpp" "$machine/prefix/include/seccomp.h"
    echo 'echo 1000' | stand_in id
    stand_in cmake <<EOF
case \$1 in
--version) echo cmake version 99.1.0; exit ;;
--preset)
    echo "configure \$3" >>"$machine/calls"
    mkdir -p "$root/build/\$2"
    { echo "CMAKE_HOME_DIRECTORY:INTERNAL=$root"; echo "HEADWAY_SUITES:STRING=\${3#*=}"; } >"$root/build/\$2/CMakeCache.txt"
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
    cd "$root" || exit
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

# Every function of a test's file below its line "what is expected" is a test.
run_all() {
    # shellcheck disable=SC2013 # names are words
    for test in $(sed -n '/^# --- what is expected/,$s/^\([a-z_0-9]*\)() {$/\1/p' "$0"); do run "$test"; done
    echo "$((tests - broken)) of $tests as expected"
    [ "$broken" = 0 ]
}
