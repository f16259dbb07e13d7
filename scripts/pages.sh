#!/bin/sh
# pages.sh [release]: the lessons as pages that need no server, in build/pages: formulas set, pictures, diagrams and the
# explorer. What is up to date stays. Exits 3, having said why, where they cannot be built; `release` installs what is
# missing first, and wants the explorer too.
set -eu

root=$HEADWAY_ROOT
pages=$root/build/pages
log=$root/build/pages.log

. "$root/scripts/dependencies.sh"
. "$root/scripts/setup.sh"

fail() {
    say "The lessons' pages cannot be built: $1"
    if [ -f "$pages/.built" ]; then say "These are the pages as they were built before."; fi
    exit 3
}

# What of the two tools is here, and what installs the rest.
note_tool() {
    case $name in
    Node.js) node=$state node_packages=$packages ;;
    Emscripten) emscripten=$state emscripten_packages=$packages ;;
    esac
}

# how PACKAGES: "Install it with: ..."
how() { if [ "$1" = - ]; then echo 'Please install it.'; else echo "Install it with:  $(install_command "$1")"; fi; }

# step WHAT COMMAND...: its output goes to the log, and is shown if it fails.
step() {
    what=$1
    shift
    if "$@" >"$log" 2>&1 </dev/null; then return; fi
    tail -n 15 "$log" >&2
    fail "$what failed. All it said is in build/pages.log."
}

# Which explorer there is in what was built, and from which folder, is in the stamp.
is_built() {
    [ -f "$pages/.built" ] && [ "$(cat "$pages/.built")" = "$root, explorer $emscripten" ] || return 1
    newer=$(find "$root/lessons" "$root/site" "$root/tensor" "$root/grader/diagnosis" "$root/grader/reference" -name node_modules -prune -o -name compiled -prune -o \
        -name .vitepress -prune -o -type f -newer "$pages/.built" -print -quit)
    [ -z "$newer" ] || return 1
    [ -z "$(find "$root/site/.vitepress/markdown" "$root/site/.vitepress/theme" -newer "$pages/.built" -print -quit)" ]
}

install_packages() {
    if cmp -s "$root/site/package-lock.json" "$root/site/node_modules/.headway-lock"; then return; fi
    say "The pages are built with packages of npm, which are not here yet. This installs them into site/, once:"
    say ""
    say "    (cd site && npm install --no-save)"
    say ""
    agreed || fail "nothing was installed."
    say "Installing; this can take a minute."
    # Not `npm ci`: it refuses the lock file where the registry lacks what other systems would take.
    step 'npm install' npm install --prefix "$root/site" --no-save --no-audit --no-fund --fetch-retries=1
    cp "$root/site/package-lock.json" "$root/site/node_modules/.headway-lock"
}

mkdir -p "$root/build"
if have flock; then
    exec 9>"$root/build/.lock-pages"
    flock 9
fi
[ "${1-}" != release ] || set_up site
each_dependency note_tool site
[ "$node" = fine ] || fail "Node.js 20 is missing. $(how "$node_packages")"
have npm || fail "npm is missing. $(how "$node_packages")"
if is_built; then exit; fi

install_packages
if [ "$emscripten" = fine ]; then
    if [ ! -f "$root/site/explorer/model/compiled/model.mjs" ]; then
        say "Compiling the explorer's model for the browser: some minutes, this first time."
    fi
    step "the explorer's model" sh "$root/site/explorer/model/compile.sh"
else
    rm -f "$root/site/explorer/model/compiled/model.mjs"
    say "The pages come without the explorer: Emscripten is missing. $(how "$emscripten_packages")"
fi
say "Building the lessons' pages: half a minute."
cd "$root/site"
step 'the build of the pages' npx vite build --config offline/vite.config.ts --outDir "$pages"
echo "$root, explorer $emscripten" >"$pages/.built"
