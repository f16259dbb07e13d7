#!/bin/sh
# in_container_root.sh EDITION: an edition of ./headway release as a user in its container, without Docker: the RUN lines of
# its Dockerfile are played in a bare Debian 12, then ./headway doctor and a grading of the solution of 01 run there, with
# nothing downloaded, (a) where a container may make namespaces, (b) where it may not, as Docker has it, and (c) where the
# kernel is too old for the weaker jail, too.
# Takes mmdebstrap, root, Linux 6.12 (as the weaker jail does) and a few minutes; by hand, since a mirror must be reached.
set -eu

edition=${1:?usage: in_container_root.sh EDITION}
# shellcheck source=tests/end_to_end/bare_root.sh
. "$(dirname "$0")/bare_root.sh"
mmdebstrap --quiet --variant=minbase bookworm "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp -R "$edition" "$root/course"

# What COPY does: /tmp is empty in each of the calls below, so it lies elsewhere.
cp "$edition/cmake/dependencies.tsv" "$root/dependencies.tsv"
# Lines that go on with a backslash become one; comments and other words of the Dockerfile are left out.
sed -e ':more' -e '/\\$/{N;s/\\\n//;b more' -e '}' "$edition/.devcontainer/Dockerfile" |
    sed -n 's|/tmp/dependencies.tsv|/dependencies.tsv|g; s/^RUN //p' >"$place/run_lines"
while IFS= read -r line; do
    echo "RUN $line"
    in_root sh -c "$line" >"$place/said" 2>&1 </dev/null || { tail -n 20 "$place/said"; exit 1; }
done <"$place/run_lines"

cp "$checkout/solutions/01_single_head/single_head.cpp" "$root/course/exercises/01_single_head/"
in_root chown -R student: /course
# From here on it has no network, and no lists of packages to install from.
rm -f "$root/etc/resolv.conf"
as_student='setpriv --reuid=student --regid=student --clear-groups env HOME=/home/student LANG=C.UTF-8'
echo '== (a) with namespaces'
# shellcheck disable=SC2086 # words
expect 0 '10 / 10' $as_student ./headway --yes grade 01
# shellcheck disable=SC2086
expect 0 'Everything the course needs is here.' $as_student ./headway doctor
also 'no_hidden_suites    enforced'

# A program that forbids the namespaces stands in for Docker. It is written in Python, which the container itself does
# not need.
cp /etc/resolv.conf "$root/etc/resolv.conf"
in_root sh -c 'apt-get update && apt-get install -y --no-install-recommends python3' >"$place/said" 2>&1 ||
    { tail -n 20 "$place/said"; exit 1; }
rm -f "$root/etc/resolv.conf"
cp "$checkout/tests/hostile/poor_machine.py" "$root/poor_machine.py"
student=$(in_root id -u student)
# poor OPTION... COMMAND...: as that user, where nobody may make namespaces.
poor() { echo env HOME=/home/student python3 /poor_machine.py "$@" --user "$student"; }
echo '== (b) as in a container that may make none: the weaker jail'
# shellcheck disable=SC2046 # words
expect 0 '10 / 10' $(poor) ./headway grade 01
also 'weaker jail: '
# shellcheck disable=SC2046
expect 0 'Everything the course needs is here.' $(poor) ./headway doctor
also 'jail                weaker'
also 'no_hidden_suites    enforced'
echo '== (c) and on a kernel that is too old for that: no jail, and only own code'
# shellcheck disable=SC2046
expect 0 '10 / 10' $(poor --no-landlock) ./headway grade 01
also 'there is no jail here'
in_root cp -R exercises /home/student/others
# shellcheck disable=SC2046
expect 3 '--unsafe' $(poor --no-landlock) ./headway grade 01 --submission /home/student/others
# shellcheck disable=SC2046
expect 0 'Everything the course needs is here.' $(poor --no-landlock) ./headway doctor
also 'Your own exercises are graded.'
exit "$failed"
