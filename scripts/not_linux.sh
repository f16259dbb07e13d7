#!/bin/sh
# What ./headway says where there is no Linux: its jail and its judge need that kernel. Exit status 3: the machine's fault.
set -eu

system=$(uname -s)
case $system in Darwin) system='macOS (Darwin)' ;; esac
cat >&2 <<EOF
Headway grades on Linux, and this is $system. The container in .devcontainer/
grades here. With Docker, in this folder, one command does it:

    docker run --rm -it -u "\$(id -u)" -v "\$PWD:/course" "\$(docker build -q -f .devcontainer/Dockerfile .)" ./headway

Put after ./headway what you want: grade 01, watch, doctor. Or open this folder
in VS Code and choose "Reopen in Container".
EOF
# In a container the processor stays what it is. Told before one is built.
compiled=$HEADWAY_ROOT/grader/compiled/processor
machine=$(uname -m)
case $machine in arm64) machine=aarch64 ;; esac
if [ -f "$compiled" ] && ! grep -qxF "$machine" "$compiled"; then
    cat >&2 <<EOF

But this edition was made for $(cat "$compiled"), and containers here are $machine
(which is arm64, if this Mac has an M in its processor's name). Ask for that
edition where you got this one: ./headway release DIR --for $machine makes it.
EOF
fi
# The student's edition has no solutions to try, and its libraries are Linux's.
if [ -d "$HEADWAY_ROOT/solutions" ]; then
    cat >&2 <<'EOF'

Without a container, the tensor library, the exercises and their visible tests
build here; nothing is graded. It takes CMake, Ninja, Eigen and GoogleTest:

    brew install cmake ninja eigen googletest
    cmake --workflow --preset portable
EOF
fi
exit 3
