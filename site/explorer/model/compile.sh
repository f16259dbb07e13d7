#!/bin/sh
# Compiles the explorer's model for the browser, into compiled/model.mjs. What is up to date stays.
set -eu

model=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)

for tool in emcmake cmake ninja; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "The explorer is C++ compiled for the browser, and $tool is missing. Install emscripten, CMake and Ninja" >&2
        echo "(on Debian: apt install --no-install-recommends emscripten cmake ninja-build) and run this again." >&2
        exit 3
    fi
done

# Debian's emscripten needs Debian's acorn, which a node from elsewhere does not find by itself.
NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs
export NODE_PATH

if [ ! -f "$model/compiled/build.ninja" ]; then
    emcmake cmake -G Ninja -S "$model" -B "$model/compiled" -DCMAKE_BUILD_TYPE=None >/dev/null
fi
cmake --build "$model/compiled"
