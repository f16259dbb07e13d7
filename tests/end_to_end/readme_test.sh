#!/bin/sh
# readme_test.sh CHECKOUT CLI: what README, CONTRIBUTING, SECURITY, docs/, classroom/ and tests/ tell people to type exists,
# the links lead somewhere, and the version is one.
set -eu

checkout=$1
cli=$2
broken=0
HEADWAY_STATE=$(mktemp -d)
export HEADWAY_STATE
trap 'rm -rf "$HEADWAY_STATE"' EXIT

complain() {
    echo "$1"
    broken=$((broken + 1))
}

# Asked for the help of a command that it does not know, it shows the help of all.
"$cli" --help >"$HEADWAY_STATE/all"
knows() { "$cli" "$1" --help >"$HEADWAY_STATE/one" 2>&1 && ! cmp -s "$HEADWAY_STATE/all" "$HEADWAY_STATE/one"; }

if knows nonsense; then complain "a command that is unknown would not be noticed here"; fi
for page in $(cd "$checkout" && echo ./*.md docs/*.md docs/decisions/*.md classroom/*.md tests/*/README.md); do
    if [ "$page" = ./CHANGELOG.md ]; then continue; fi # it tells what was
    # shellcheck disable=SC2013 # commands are words
    for command in $(grep -o '\./headway [a-z][a-z]*' "$checkout/$page" | cut -d' ' -f2 | sort -u); do
        case $command in
        doctor | new | release | test | update) grep -Eq "^([a-z]+ \| )*$command( \| [a-z]+)*\)" "$checkout/headway" || complain "$page: ./headway $command is unknown to the launcher" ;;
        *) knows "$command" || complain "$page: ./headway $command is unknown to the command" ;;
        esac
    done
    for link in $(grep -o '](\([^)#:]*\)[#)]' "$checkout/$page" | tr -d ']()#' | sort -u); do
        [ -e "$(dirname "$checkout/$page")/$link" ] || complain "$page: there is no $link"
    done
done

# The first command of the README, as it stands there, for a student who has written nothing yet.
grep -qx './headway grade' "$checkout/README.md" || complain "README.md does not begin with ./headway grade"
grep -qx './headway test' "$checkout/README.md" || complain "README.md does not name ./headway test"
status=0
"$cli" grade --submission "$checkout/exercises" >"$HEADWAY_STATE/out" 2>&1 || status=$?
[ "$status" = 1 ] || complain "./headway grade of the stubs ends with $status, not 1"
exercises=$(find "$checkout/exercises" -mindepth 1 -maxdepth 1 -type d | wc -l)
[ "$(grep -c ': not started' "$HEADWAY_STATE/out")" = "$exercises" ] || complain "$(cat "$HEADWAY_STATE/out")"

version=$(sed -n 's/^project(headway VERSION \([0-9.]*\).*/\1/p' "$checkout/CMakeLists.txt")
newest=$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$checkout/CHANGELOG.md" | head -n 1)
[ "$newest" = "$version" ] || complain "CHANGELOG.md begins with $newest, and CMakeLists.txt says $version"
[ "$("$cli" --version)" = "Headway $version" ] || complain "./headway --version is $("$cli" --version), not $version"

[ "$broken" = 0 ] && echo "What the pages name is there."
