# Sourced by the other scripts: what Headway needs (cmake/dependencies.tsv), and what of it is here.
# shellcheck shell=sh disable=SC2034 # what it sets, the functions given to each_dependency use

tab=$(printf '\t')

say() { printf '%s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

package_manager() {
    for candidate in apt-get dnf pacman zypper brew; do
        if have "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}
manager=$(package_manager)

# at_least VERSION MINIMUM
at_least() { [ "$2" = - ] || printf '%s\n%s\n' "$2" "$1" | sort -V -C; }

# Where libraries live, most particular first; CMAKE_PREFIX_PATH as CMake itself reads it.
library_prefixes() {
    printf '%s' "${CMAKE_PREFIX_PATH-}" | tr ':;' '[\n*]'
    printf '\n/usr/local\n/opt/homebrew\n/usr\n'
}

# The version of a program, as the first number with a dot that `--version` prints; "here" where there is none.
tool_version() {
    have "$1" || return 0
    "$1" --version 2>/dev/null | grep -Eo '[0-9]+(\.[0-9]+)+' | head -n 1 | grep . || echo here
}

# The version of a CMake package, from the file that find_package() itself would ask.
config_version() {
    library_prefixes | while IFS= read -r prefix; do
        [ -d "$prefix" ] || continue
        for file in "$prefix"/lib*/cmake/"$1"*/*[vV]ersion.cmake "$prefix"/lib/*/cmake/"$1"*/*[vV]ersion.cmake \
            "$prefix"/share/cmake/"$1"*/*[vV]ersion.cmake "$prefix"/share/*/cmake/"$1"*[vV]ersion.cmake; do
            [ -f "$file" ] || continue
            sed -n 's/^ *set *(PACKAGE_VERSION "\([0-9][0-9.]*\)".*/\1/p' "$file" | head -n 1
            return 0
        done
    done
}

# header_version HEADER [MACRO]: for libraries without a CMake package; "here" where the header tells no version. Of the
# folders below include only those of a machine (x86_64-linux-gnu) count: linux/seccomp.h is not libseccomp's.
header_version() {
    library_prefixes | while IFS= read -r prefix; do
        for file in "$prefix/include/$1" "$prefix"/include/*-*-*/"$1"; do
            [ -f "$file" ] || continue
            if [ -n "${2-}" ]; then
                sed -n "s/^ *# *define *$2 *\"\([0-9.]*\).*/\1/p" "$file" | head -n 1
            else
                echo here
            fi
            return 0
        done
    done
}

# file_version FILE: "here" where a library's prefix has it.
file_version() {
    library_prefixes | while IFS= read -r prefix; do
        [ -e "$prefix/$1" ] || continue
        echo here
        return 0
    done
}

# probe FOUND_BY AT_LEAST: sets $state (fine, too old, missing), $version and $found. Where the table gives alternatives
# (g++|clang++, 12|14) the first that is fine counts.
probe() {
    state=missing version='' found=''
    kind=${1%% *} names=${1#* } macro='' minima=$2
    case $names in
    *' '*) macro=${names#* } names=${names%% *} ;;
    esac
    while [ "$state" != fine ] && [ -n "$names" ]; do
        candidate=${names%%|*} names=${names#"${names%%|*}"} names=${names#|}
        least=${minima%%|*} minima=${minima#*|}
        case $kind in
        tool) seen=$(tool_version "$candidate") ;;
        config) seen=$(config_version "$candidate") ;;
        header) seen=$(header_version "$candidate" "$macro") ;;
        file) seen=$(file_version "$candidate") ;;
        esac
        [ -n "$seen" ] || continue
        version=$seen found=$candidate state='too old'
        if [ "$seen" = here ] || at_least "$seen" "$least"; then state=fine; fi
    done
}

# each_dependency FUNCTION WHO...: calls FUNCTION for each line of the table that is needed for one of WHO, with the
# columns in $name, $for, $minimum, $packages (of this machine's package manager), $lost, and probe's findings.
each_dependency() {
    function=$1
    shift
    while IFS=$tab read -r name for found_by minimum apt dnf pacman zypper brew lost; do
        case " $* " in
        *" $for "*) ;;
        *) continue ;;
        esac
        case $manager in
        apt-get) packages=$apt ;;
        dnf) packages=$dnf ;;
        pacman) packages=$pacman ;;
        zypper) packages=$zypper ;;
        brew) packages=$brew ;;
        *) packages=- ;;
        esac
        probe "$found_by" "$minimum"
        "$function"
    done <"$HEADWAY_ROOT/cmake/dependencies.tsv"
}
