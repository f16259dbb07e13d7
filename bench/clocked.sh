#!/bin/sh
# clocked.sh COMPILER ARGUMENT...: compiles, and adds "OBJECT SECONDS" of the processor to the file $HEADWAY_CLOCK.
"$@"
status=$?
object=-
for argument do
    if [ "${of:-}" = -o ]; then object=$argument; fi
    of=$argument
done
if [ -n "${HEADWAY_CLOCK:-}" ]; then
    spent=$HEADWAY_CLOCK.$$
    times >"$spent" # two lines: this shell's, its children's; in a pipe it would be another shell's
    awk -v object="$object" -F'[ms ]+' 'NR == 2 { printf "%s %.2f\n", object, 60 * $1 + $2 + 60 * $3 + $4 }' \
        "$spent" >>"$HEADWAY_CLOCK"
    rm -f "$spent"
fi
exit "$status"
