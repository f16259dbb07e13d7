#!/bin/sh
# site_test.sh CHECKOUT ANSWERS CLI: builds the website, has the labs draw their pictures, and tests both in Chromium.
# 77 (skipped) where that cannot be done. ANSWERS is the explorer's model, compiled natively.
set -eu

cli=$3
HEADWAY_ROOT=$1
HEADWAY_EXPLORER_ANSWERS=$2
HEADWAY_LAB_PAGES=$(mktemp -d)
HEADWAY_STATE=$HEADWAY_LAB_PAGES/state
export HEADWAY_ROOT HEADWAY_EXPLORER_ANSWERS HEADWAY_LAB_PAGES HEADWAY_STATE
trap 'rm -rf "$HEADWAY_LAB_PAGES"' EXIT
cd "$1/site"

skip() {
    echo "The website is not tested: $1"
    exit 77
}

for tool in node npm emcmake; do
    command -v "$tool" >/dev/null 2>&1 || skip "$tool is missing (on Debian: apt install nodejs npm emscripten)."
done
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || skip "node $major is too old, it takes 20 or newer."
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 ||
    command -v google-chrome >/dev/null 2>&1 || skip 'there is no Chromium here (on Debian: apt install chromium).'

if ! cmp -s package-lock.json node_modules/.headway-lock; then
    # Not `npm ci`: it refuses the lock file where the registry lacks what other systems would take.
    if ! npm install --no-save --no-audit --no-fund; then
        npm ping || skip 'the package registry cannot be reached; run npm install in site/ when there is a network.'
        exit 1
    fi
    cp package-lock.json node_modules/.headway-lock
fi
npm run build
sh "$HEADWAY_ROOT/scripts/pages.sh"

# draw LAB [OPTION...]
draw() {
    name=$1
    shift
    "$cli" lab "$name" --reference --quick --output "$HEADWAY_LAB_PAGES/$name" "$@" >/dev/null
}
draw cost
draw train --heads 2,4 --export "$HEADWAY_LAB_PAGES/tiny"
draw prune --heads 4
draw gpt2 --model "$HEADWAY_LAB_PAGES/tiny" --text '. anna red rome . bob blue oslo . anna'
npm test
