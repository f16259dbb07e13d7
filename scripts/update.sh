#!/bin/sh
# ./headway update [FROM]: puts newer files of the course in place of the older ones. What the student wrote is not
# touched, whatever git thinks of it: nothing is merged, so nothing can conflict.
#   FROM: a folder or an archive (.tar.gz) with the newer course; without it, where this copy was cloned from.
set -eu

root=$HEADWAY_ROOT
new=
backup=$root/backups/update/$(date +%Y-%m-%d_%H-%M-%S)

say() { printf '%s\n' "$*"; }

fail() {
    say "$1" >&2
    exit "$2"
}

in_git() { git -C "$root" rev-parse --verify -q HEAD >/dev/null 2>&1; }

# fetch: the newest course of the repository that this is a clone of; FETCH_HEAD names it from here on.
fetch() {
    in_git || fail 'This copy is no git clone. Get the newer course, and say where it is: ./headway update FOLDER' 2
    branch=$(git -C "$root" symbolic-ref -q --short HEAD || :)
    remote=$(git -C "$root" config "branch.$branch.remote" || echo origin)
    git -C "$root" fetch -q "$remote" || fail "git cannot reach $remote. Is there a network?" 3
    git -C "$root" archive FETCH_HEAD | tar -x -C "$new"
}

# find_newer FROM: sets $new to a folder with the newer course.
find_newer() {
    if [ -d "${1-}" ]; then
        new=$(CDPATH='' cd -- "$1" && pwd -P)
        return
    fi
    mkdir -p "$root/build"
    new=$(mktemp -d "$root/build/update-XXXXXX")
    trap 'rm -rf "$unpacked"' EXIT
    unpacked=$new
    if [ -z "${1-}" ]; then
        fetch
    elif [ -f "$1" ]; then
        tar -xf "$1" -C "$new" || fail "$1 cannot be unpacked." 2
    else
        fail "There is no $1." 2
    fi
    # Archives often hold one folder that holds the rest.
    [ -f "$new/headway" ] || new=$(find "$new" -mindepth 2 -maxdepth 2 -name headway -exec dirname {} \; | head -n 1)
}

# What the student may have written: the files that stubs/ has too. All else in the course is the course's.
is_students() {
    case $1 in
    exercises/*) [ -f "$new/stubs/${1#exercises/}" ] ;;
    *) return 1 ;;
    esac
}

# Changed in this copy, as far as can be known: without git, every older file may be.
is_changed_here() { ! in_git || ! git -C "$root" diff --quiet "$base" -- "$1" 2>/dev/null; }

# Kept before it is replaced or removed.
keep() {
    mkdir -p "$backup/$(dirname "$1")"
    cp -p "$root/$1" "$backup/$1"
    kept=$((kept + 1))
}

# In one step: this script is one of the files. Its time is now, or the launcher would not see that it must build again.
put() {
    mkdir -p "$root/$(dirname "$1")"
    cp -p "$new/$1" "$root/$1.new"
    touch "$root/$1.new"
    mv "$root/$1.new" "$root/$1"
    updated=$((updated + 1))
}

update_file() {
    if [ ! -e "$root/$1" ]; then
        put "$1"
    elif cmp -s "$new/$1" "$root/$1"; then
        :
    elif is_students "$1"; then
        # An untouched stub gives way to the newer one; what was written stays.
        stub=stubs/${1#exercises/}
        if cmp -s "$root/$stub" "$root/$1"; then
            put "$1"
        elif ! cmp -s "$new/$stub" "$root/$stub"; then
            newer_stubs=$((newer_stubs + 1))
        fi
    else
        if is_changed_here "$1"; then keep "$1"; fi
        put "$1"
    fi
}

# remove_old: what the older course had, and the newer has not. Known only to git.
remove_old() {
    in_git || return 0
    git -C "$root" ls-tree -r --name-only "$base" >"$root/build/.update-old"
    while IFS= read -r file; do
        if [ -e "$new/$file" ] || [ ! -f "$root/$file" ]; then continue; fi
        case $file in exercises/*) continue ;; esac
        if is_changed_here "$file"; then keep "$file"; fi
        rm -f "$root/$file"
        updated=$((updated + 1))
    done <"$root/build/.update-old"
    rm -f "$root/build/.update-old"
}

# Tells git where the course is now. Own commits stay: they and the newer course become parents of a commit that holds
# the newer course with the student's files.
tell_git() {
    head=$(git -C "$root" rev-parse HEAD)
    newest=$(git -C "$root" rev-parse FETCH_HEAD)
    if ! git -C "$root" merge-base --is-ancestor "$head" "$newest"; then
        GIT_INDEX_FILE=$root/build/.update-index
        export GIT_INDEX_FILE
        git -C "$root" read-tree "$newest"
        git -C "$root" ls-tree -r "$head" -- exercises | while read -r mode _ blob file; do
            # An untouched stub is the course's, not the student's.
            [ "$blob" = "$(git -C "$root" rev-parse -q --verify "$base:$file" || :)" ] && continue
            if is_students "$file" || [ ! -e "$new/$file" ]; then
                git -C "$root" update-index --add --cacheinfo "$mode,$blob,$file"
            fi
        done
        tree=$(git -C "$root" write-tree)
        rm -f "$GIT_INDEX_FILE"
        unset GIT_INDEX_FILE
        name=$(git -C "$root" config user.name || echo Headway)
        mail=$(git -C "$root" config user.email || echo headway@localhost)
        newest=$(git -C "$root" -c "user.name=$name" -c "user.email=$mail" commit-tree "$tree" -p "$head" -p "$newest" \
            -m 'Update the course')
    fi
    git -C "$root" update-ref -m 'headway update' HEAD "$newest"
    git -C "$root" reset -q
}

main() {
    case ${1-} in -h | --help) fail "usage: ./headway update [FOLDER or ARCHIVE with the newer course]" 0 ;; esac
    find_newer "${1-}"
    if [ -z "$new" ] || [ ! -f "$new/headway" ] || [ ! -d "$new/stubs" ]; then
        fail "${1:-What was fetched} holds no course: there is no headway, or no stubs/ in it." 2
    fi
    updated=0 kept=0 newer_stubs=0
    base=
    if in_git; then
        base=HEAD
        if [ -z "${1-}" ]; then base=$(git -C "$root" merge-base HEAD FETCH_HEAD || echo HEAD); fi
    fi
    list=$(mktemp)
    (cd "$new" && find . \( -path ./.git -o -path ./build -o -path ./.headway -o -path ./backups \) -prune -o \
        -type f ! -path ./exercises/progress.txt -print) | sed 's|^\./||' >"$list"
    # Stubs last: until then, the older ones say which of the student's files are untouched.
    for part in others stubs; do
        while IFS= read -r file; do
            case $file in
            stubs/*) [ "$part" = others ] || update_file "$file" ;;
            *) [ "$part" = stubs ] || update_file "$file" ;;
            esac
        done <"$list"
    done
    rm -f "$list"
    if [ -z "${1-}" ]; then
        remove_old
        tell_git
    fi
    if [ "$updated" = 0 ]; then
        say 'The course is as new as it can be.'
    else
        say "$updated files of the course are newer now. The next start builds the grader again."
    fi
    say "Your own files are as they were."
    if [ "$newer_stubs" -gt 0 ]; then
        say "(Of $newer_stubs of them there is a newer stub; ./headway reset NN brings it, and keeps yours.)"
    fi
    if [ "$kept" -gt 0 ]; then
        say "$kept files of the course were other than they came; they are kept in ${backup#"$root"/}"
    fi
    exit 0
}

main "$@"
