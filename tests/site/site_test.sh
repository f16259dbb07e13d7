#!/bin/sh
# site_test.sh CHECKOUT ANSWERS: builds the website and tests it in Chromium. 77 (skipped) where that cannot be done.
# ANSWERS is the explorer's model, compiled natively.
set -eu

cd "$1/site"
HEADWAY_EXPLORER_ANSWERS=$2
export HEADWAY_EXPLORER_ANSWERS

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
npm test
