#!/bin/sh
# Compiles the explorer's model for the browser: this folder, and what of the course it is made of.
set -eu

model=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
course=$(CDPATH='' cd -- "$model/../../.." && pwd -P)
compiled=$model/compiled

if ! command -v em++ >/dev/null 2>&1; then
    echo "The explorer is C++ compiled for the browser, and em++ is missing. Install emscripten (on Debian:" >&2
    echo "apt install --no-install-recommends emscripten) and run this again." >&2
    exit 3
fi

sources="$model/as_json.cpp $model/browser.cpp $model/question.cpp $model/trace.cpp
    $course/lessons/numbers/sentence.cpp"
for name in elementwise engine given_split_heads layout mask matmul movement print random reduce tensor; do
    sources="$sources $course/tensor/src/$name.cpp"
done
for name in array attention; do sources="$sources $course/grader/reference/$name.cpp"; done
for name in catalogue elements moving right softmax \
    mistakes/scale mistakes/softmax mistakes/mask_reading mistakes/mask_blocking mistakes/causal_and_padding \
    mistakes/weighing mistakes/projecting mistakes/heads mistakes/output mistakes/equivalents; do
    sources="$sources $course/grader/diagnosis/$name.cpp"
done

# is_current FILE: whether nothing that it may be made of is newer.
is_current() {
    [ -f "$1" ] && [ -z "$(find "$model" "$course/tensor" "$course/grader/diagnosis" "$course/grader/reference" \
        "$course/lessons/numbers" -type f \( -name '*.[ch]pp' -o -name compile.sh \) -newer "$1" -print -quit)" ]
}

if is_current "$compiled/model.mjs"; then exit 0; fi
mkdir -p "$compiled/objects"
echo "Compiling the explorer's model: a minute or two."
# Debian's emscripten needs Debian's acorn, which a node from elsewhere does not find by itself.
NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs
export NODE_PATH
objects=
for source in $sources; do
    object=$compiled/objects/$(basename "$(dirname "$source")")-$(basename "$source" .cpp).o
    objects="$objects $object"
    if is_current "$object"; then continue; fi
    # Debian's header-only libraries lie in /usr/include, which must not come before emscripten's own headers.
    em++ -std=c++20 -O2 -fexceptions -DEIGEN_NO_DEBUG -I "$course/tensor/include" -I "$course/tensor/src" \
        -I "$course/grader" -I "$course/lessons/numbers" -isystem /usr/include/eigen3 -idirafter /usr/include \
        -c "$source" -o "$object"
done
# shellcheck disable=SC2086 # one word an object
em++ -O2 -fexceptions $objects -o "$compiled/model.mjs" -s MODULARIZE=1 -s EXPORT_ES6=1 -s SINGLE_FILE=1 \
    -s ENVIRONMENT=web -s ALLOW_MEMORY_GROWTH=1 -s FILESYSTEM=0 \
    -s EXPORTED_RUNTIME_METHODS=ccall
