#!/bin/sh
# Adds up the test logs of a build directory and prints `N passed, N failed, N skipped`. Check suites count
# their checks, scripts say `N passed, N failed, N skipped` themselves, any other program counts as one.
# usage: totals.sh BUILD-DIRECTORY
find "$1/tests" -name '*.trs' | sort | while read -r trs; do
    log=${trs%.trs}.log
    result=$(sed -n 's/^:test-result: //p' "$trs" | head -1)
    awk -v result="$result" -v name="$log" '
        /^[0-9]+%: Checks: / { gsub(/[:,]/, ""); p += $3 - $5 - $7; f += $5 + $7; said = 1 }
        /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { gsub(/,/, ""); p += $1; f += $3; s += $5; said = 1 }
        END {
            if (result == "SKIP") { p = f = 0; s = 1 }
            else if (!said) { p = result == "PASS"; f = result != "PASS"; s = 0 }
            else if (result != "PASS" && f == 0) f = 1
            print p + 0, f + 0, s + 0
        }' "$log"
done | awk '{ p += $1; f += $2; s += $3 }
            END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 || p == 0 }'
