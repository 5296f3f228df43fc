#!/bin/sh
# Adds up the logs that make check has left in a build folder. Prints what was skipped, a line each (what a program
# skipped many times for one reason once, with its number), then `N passed, N failed, N skipped`.
#   a Check suite     its count of tests; each `SKIP: TEST: WHY` in its log is one of them that was left out
#   a script          its last line `N passed, N failed, N skipped`, and a `SKIP: WHAT: WHY` for each skipped
#   anything else     is one test; exit status 77 and `SKIP: WHY`: skipped
# usage: totals.sh BUILD-FOLDER
source=$(cd "$(dirname "$0")/.." && pwd)
find "$1/tests" -name '*.trs' | sort | while read -r trs; do
    name=${trs%.trs}
    name=tests/${name#"$1/tests/"}
    # Logs of tests that are no more, or have moved, are not counted.
    [ -e "$source/$name" ] || [ -e "$source/$name.c" ] || continue
    result=$(sed -n 's/^:test-result: //p' "$trs" | head -1)
    awk -v result="$result" -v name="$name" '
        function skip(why) { skipped[why]++; n_skipped++; if (skipped[why] == 1) order[++n_reasons] = why }
        /^SKIP: / {
            text = substr($0, 7)
            at = index(text, ": ")
            what[at > 0 ? substr(text, at + 2) : text] = at > 0 ? substr(text, 1, at - 1) ": " : ""
            skip(at > 0 ? substr(text, at + 2) : text)
        }
        /^[0-9]+%: Checks: / { gsub(/[:,]/, ""); checks = $3; f = $5 + $7; is_suite = 1 }
        /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { gsub(/,/, ""); p = $1; f = $3; said = $5; is_script = 1 }
        END {
            if (result == "SKIP" && n_skipped == 0) skip("it does not say why")
            if (is_suite) p = checks - f - n_skipped
            else if (!is_script) { p = result == "PASS"; f = result != "PASS" && result != "SKIP" }
            for (; is_script && n_skipped < said;) skip("it does not say why")
            if (result != "PASS" && result != "SKIP" && f == 0) f = 1
            for (i = 1; i <= n_reasons; i++)
                print "skipped: " name ": " (skipped[order[i]] > 1 ? skipped[order[i]] " × " : what[order[i]]) order[i]
            print p + 0, f + 0, n_skipped + 0
        }' "$1/$name.log"
done | awk '/^skipped: / { print; next }
            { p += $1; f += $2; s += $3 }
            END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 || p == 0 }'
