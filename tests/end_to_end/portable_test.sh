#!/bin/sh
# portable_test.sh CHECKOUT BUILD: the preset `portable` builds without a warning, and the visible tests pass on the solutions
# with clang++ and libc++, which are macOS's. Exit status 77 where one of them is missing.
set -eu

checkout=$1 build=$2

skip() {
    echo "SKIPPED: $1 is not here; this installs it:  apt-get install -y --no-install-recommends $2"
    exit 77
}

command -v clang++ >/dev/null || skip clang++ clang
echo '#include <version>' | clang++ -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null || skip libc++ 'libc++-14-dev libc++abi-14-dev'
[ -f /usr/src/googletest/CMakeLists.txt ] || skip "GoogleTest's sources" googletest

cd "$checkout"
cmake --preset portable -B "$build" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure --no-tests=error

# Every exercise, and with that library.
exercises=$(find stubs -mindepth 1 -maxdepth 1 -type d | wc -l)
[ "$(find "$build" -maxdepth 1 -name 'visible_*' | wc -l)" = "$exercises" ] || {
    echo "not every one of the $exercises exercises was built"
    exit 1
}
for program in "$build"/visible_*; do
    libraries=$(ldd "$program")
    case $libraries in
    *libstdc++.so*) ;;
    *libc++.so*) continue ;;
    esac
    echo "$program does not use libc++ alone: $libraries"
    exit 1
done
