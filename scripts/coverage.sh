#!/bin/sh
# coverage.sh SOURCE BUILD: grades the solutions with counters, then writes BUILD/report/index.html and prints the line
# and branch coverage of solutions/, tensor/ and grader/. Fails if the hidden suites leave out too much of solutions/.
set -eu

source=$1
build=$2
work=$build/counts
least_lines=100
least_branches=95

trace() {
    # geninfo 1.16 defines some functions twice and says so on every start.
    lcov --quiet --rc lcov_branch_coverage=1 --rc geninfo_gcov_tool="$source/scripts/gcov_decisions.pl" "$@" \
        2>"$work/lcov.log" || { grep -v redefined "$work/lcov.log" >&2; return 1; }
}

# count FILE FOLDER: one line of the table, out of a tracefile.
count() {
    awk -F'[:,]' -v folder="$2" -v prefix="SF:$source/$2/" '
        /^SF:/ { here = index($0, prefix) == 1; file = substr($0, 4) }
        here && /^DA:/ { lines++; if ($3 > 0) lines_hit++ }
        here && /^BRDA:/ { branches++; if ($5 + 0 > 0) branches_hit++ }
        function share(hit, all) { return all ? 100 * hit / all : 0 }
        END {
            printf "  %-12s %6.1f %%  %5d of %5d     %6.1f %%  %5d of %5d\n", folder "/",
                share(lines_hit, lines), lines_hit, lines, share(branches_hit, branches), branches_hit, branches
        }' "$1"
}

# missed FILE: where the solutions have lines or branches that no hidden test reaches, and whether that is too much.
missed() {
    awk -F'[:,]' -v root="$source/" -v least_lines="$least_lines" -v least_branches="$least_branches" '
        /^SF:/ { file = substr($0, 4); sub(root, "", file) }
        /^DA:/ { lines++; if ($3 > 0) lines_hit++; else print "  never run: " file ":" $2 }
        /^BRDA:/ { branches++; of[$2]++; if ($5 + 0 > 0) branches_hit++; else untaken[$2]++ }
        /^end_of_record/ {
            for (line in untaken) printf "  %d of %d branches never taken: %s:%d\n", untaken[line], of[line], file, line
            split("", of)
            split("", untaken)
        }
        END {
            if (!lines) { print "  no counts of the solutions at all"; exit 1 }
            exit lines_hit * 100 < lines * least_lines || branches_hit * 100 < branches * least_branches
        }' "$1"
}

rm -rf "$work" "$build/report"
mkdir -p "$work"

# The solutions are counted in a run of their own: what the hidden suites reach, and no other test.
echo "Grading the solutions"
HEADWAY_ROOT=$source HEADWAY_STATE=$work/state "$build/bin/headway-cli" grade --submission "$source/solutions"

echo "Reading the counts"
# Sanitizers put branches of their own into the code; the plain build has the same lines without them.
find "$build" -path '*_sanitized.dir/*' \( -name '*.gcda' -o -name '*.gcno' \) -delete
trace --capture --initial --directory "$build/tensor" --directory "$build/grader" --output-file "$work/zero.info"
set -- --directory "$build/tensor" --directory "$build/grader"
trace --capture "$@" --output-file "$work/all.info"
trace --add-tracefile "$work/zero.info" --add-tracefile "$work/all.info" --output-file "$work/sum.info"
trace --extract "$work/sum.info" "$source/tensor/*" "$source/grader/*" --output-file "$work/headway.info"

trace --capture --directory "$work/state" --output-file "$work/graded.info"
# The grader compiles copies: give the files their place in solutions/ back.
for file in "$source"/solutions/*/*.cpp; do
    echo "s|^SF:.*/$(basename "$file")\$|SF:$file|"
done >"$work/places.sed"
sed -f "$work/places.sed" "$work/graded.info" >"$work/placed.info"
trace --extract "$work/placed.info" "$source/solutions/*" --output-file "$work/solutions.info"

cat "$work/headway.info" "$work/solutions.info" >"$work/report.info"
genhtml --quiet --branch-coverage --legend --title Headway --prefix "$source" --output-directory "$build/report" \
    "$work/report.info"

echo
echo "                lines                         branches"
for folder in solutions tensor grader; do count "$work/report.info" "$folder"; done
echo
echo "Report: $build/report/index.html"
echo
if missed "$work/solutions.info"; then
    echo "The hidden suites reach enough of solutions/ ($least_lines % of the lines, $least_branches % of the branches)."
else
    echo "Too little: the hidden suites must reach $least_lines % of the lines of solutions/" \
        "and $least_branches % of the branches."
    exit 1
fi
