# Sourced: installs what is missing, or says how. Needs dependencies.sh.
# shellcheck shell=sh disable=SC2154,SC2034 # each_dependency sets some, callers use others

# note_missing: for each_dependency; gathers what is not fine, and which compiler is.
note_missing() {
    if [ "$name" = 'C++ compiler' ]; then compiler=$found; fi
    if [ "$state" = fine ]; then return; fi
    case $minimum in
    -) wanted=$name ;;
    *'|'*)
        tools=${found_by#tool }
        wanted="$name (${tools%%|*} ${minimum%%|*} or ${tools#*|} ${minimum#*|})"
        ;;
    *) wanted="$name $minimum" ;;
    esac
    if [ "$state" = 'too old' ]; then wanted="$wanted (here: $version)"; fi
    missing_names="${missing_names:+$missing_names, }$wanted"
    if [ "$packages" != - ]; then missing_packages="${missing_packages:+$missing_packages }$packages"; fi
}

# find_missing WHO...: sets $missing_names and $missing_packages; and $compiler, if WHO needs one.
find_missing() {
    missing_names='' missing_packages=''
    each_dependency note_missing "$@"
}

# How to act as root: nothing to add for root, or where there is no sudo (then the message says "as root").
as_root='' needs_root=no
if [ "$manager" != brew ] && [ "$(id -u)" != 0 ]; then
    needs_root=yes
    if have sudo; then as_root='sudo '; fi
fi

# install_command PACKAGE...: the command line that installs them, as one would type it.
install_command() {
    case $manager in
    apt-get)
        # The lists first: a fresh container has none, and old ones name packages that are gone.
        printf '%sapt-get update && %sapt-get install -y --no-install-recommends %s' "$as_root" "$as_root" "$*"
        ;;
    dnf) printf '%sdnf install -y %s' "$as_root" "$*" ;;
    pacman) printf '%spacman -S --needed --noconfirm %s' "$as_root" "$*" ;;
    zypper) printf '%szypper --non-interactive install %s' "$as_root" "$*" ;;
    brew) printf 'brew install %s' "$*" ;;
    esac
}

may_install() {
    [ "$needs_root" = no ] || { have sudo && sudo -n true 2>/dev/null; }
}

# On a terminal we ask; --yes or no terminal means yes.
agreed() {
    [ -z "${HEADWAY_YES-}" ] && [ -t 0 ] && [ -t 2 ] || return 0
    printf 'Install them now with this command? [Y/n] ' >&2
    read -r answer || return 1
    case $answer in
    '' | [yY]*) return 0 ;;
    *) return 1 ;;
    esac
}

# install PACKAGE...: runs the install command; its output goes to a log and is shown only if it fails.
install() {
    install_log=$HEADWAY_ROOT/build/install.log
    mkdir -p "$HEADWAY_ROOT/build"
    # An installation that was interrupted would keep apt from every other one. What cannot be mended apt says again.
    mend=
    if [ "$manager" = apt-get ]; then mend="${as_root}dpkg --configure -a; "; fi
    if DEBIAN_FRONTEND=noninteractive sh -c "$mend$(install_command "$@")" >"$install_log" 2>&1 </dev/null; then
        return 0
    fi
    tail -n 15 "$install_log" >&2
    return 1
}

# set_up WHO...: returns when everything needed for WHO is here; else says what to do and exits 3.
set_up() {
    find_missing "$@"
    [ -n "$missing_names" ] || return 0
    say "Headway needs what is not here yet: $missing_names." 2>&1 | fold -s -w 80 >&2
    if [ -z "$missing_packages" ]; then
        say "No package manager that Headway knows has it (apt, dnf, pacman, zypper, brew): please install it by hand."
        exit 3
    fi
    command_line=$(install_command "$missing_packages")
    if ! may_install; then
        say "Headway may not install it (that takes root, or sudo without a password)."
        if [ -n "$as_root" ]; then
            say "Run this, then the same ./headway again:"
        else
            say "Have this run as root, then run the same ./headway again:"
        fi
        say ""
        say "    $command_line"
        exit 3
    fi
    say ""
    say "    $command_line"
    say ""
    if ! agreed; then
        say "Nothing was installed. Run the command above, then the same ./headway again."
        exit 3
    fi
    say "Installing; this can take a few minutes."
    # shellcheck disable=SC2086 # a list of packages
    if ! install $missing_packages; then
        say "The installation failed (is there a network?); all it said is in build/install.log."
        say "The command above tries again."
        exit 3
    fi
    install_optional
    find_missing "$@"
    [ -n "$missing_names" ] || return 0
    say "Installed, and still not good enough: $missing_names."
    say "The packages of this system may be too old. ./headway doctor shows the whole list."
    exit 3
}

# What only makes things better is tried once, beside what is needed, and never stands in the way.
install_optional() {
    find_missing optional
    for package in $missing_packages; do
        install "$package" 2>/dev/null || say "Going on without $package: it could not be installed."
    done
}
