#!/bin/sh
# in_debian_11.sh EDITION [RELEASE [MIRROR]]: an edition of ./headway release in a bare Debian 11, from nothing: g++ 10, CMake
# 3.18 and bubblewrap 0.4 stand for what hosted graders and universities run. What the edition's README says is typed, as
# root; then a user grades. The solutions get full points in the jail, and the labs run. RELEASE bookworm: in a bare Debian 12.
# Takes mmdebstrap, root and some five minutes; by hand, since a mirror must be reached.
set -eu

edition=${1:?usage: in_debian_11.sh EDITION [RELEASE [MIRROR]]}
# shellcheck source=tests/end_to_end/bare_root.sh
. "$(dirname "$0")/bare_root.sh"
mmdebstrap --quiet --variant=minbase "${2:-bullseye}" "$root" ${3:+"$3"}
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp -R "$edition" "$root/course"
exercises=$(ls "$checkout/solutions")

echo '== from nothing'
expect 1 '01 single head: not started' ./headway --yes grade
for exercise in $exercises; do
    cp "$checkout/solutions/$exercise"/*.cpp "$root/course/exercises/$exercise/"
    expect 0 '10 / 10' ./headway grade "$(printf '%.2s' "$exercise")"
done
expect 0 "$(echo "$exercises" | wc -l) passed" ./headway grade
for lab in cost train prune gpt2; do expect 0 "lab-results/$lab/$lab.html" ./headway lab $lab --quick; done
expect 0 'Everything the course needs is here.' ./headway doctor
expect 0 'no_hidden_suites    enforced' ./headway protections
grep -v enforced "$place/said" || :

echo '== as a user'
in_root useradd --create-home student
rm -rf "$root/course/.headway"
in_root chown -R student: /course
as_student='setpriv --reuid=student --regid=student --clear-groups env HOME=/home/student'
# shellcheck disable=SC2086 # words
expect 0 '10 / 10' $as_student ./headway grade 01
# shellcheck disable=SC2086
expect 0 'no_hidden_suites    enforced' $as_student ./headway protections
grep -v enforced "$place/said" || :
exit "$failed"
