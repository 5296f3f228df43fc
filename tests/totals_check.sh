#!/bin/sh
# Holds totals.sh to logs written by hand: what counts as passed, what as skipped, and what is named.
set -u
. "$(dirname "$0")/testing/script.sh"

log() { # TEST RESULT: its log is standard input
    mkdir -p "$work/build/$(dirname "$1")"
    cat >"$work/build/$1.log"
    printf ':test-result: %s\n' "$2" >"$work/build/$1.trs"
}

totals_are() { # WHAT: of the logs, standard input
    cat >"$work/expected"
    "$source/tests/totals.sh" "$work/build" >"$work/found"
    if cmp -s "$work/expected" "$work/found"; then pass; else diff "$work/expected" "$work/found" | fail "$1"; fi
    rm -rf "$work/build"
}

# A suite: a SKIP is one of its checks that was left out.
log tests/base/test_json PASS <<'END'
Running suite(s): json
SKIP: shared_case: no outside data: cases/017
SKIP: shared_case: no outside data: cases/100
SKIP: tiles: this machine can not run the avx512 kernels
SKIP: packing: this machine can not run the avx512 kernels
100%: Checks: 14, Failures: 0, Errors: 0
END
log tests/base/test_utf8 FAIL <<'END'
66%: Checks: 9, Failures: 2, Errors: 1
END
# Scripts say all three themselves; what one does not give a reason for is named too.
log tests/cli/run.sh PASS <<'END'
SKIP: terminal-table: no script
7 passed, 0 failed, 1 skipped
END
log tests/cli/reading.sh PASS <<'END'
2 passed, 0 failed, 2 skipped
END
# Anything else is one.
log tests/kernels/neon.sh SKIP <<'END'
SKIP: qemu-aarch64 is absent
END
log tests/output/npy.sh PASS </dev/null
# One that is no more.
log tests/base/test_gone PASS <<'END'
100%: Checks: 1000, Failures: 0, Errors: 0
END
totals_are 'all kinds' <<'END'
skipped: tests/base/test_json: shared_case: no outside data: cases/017
skipped: tests/base/test_json: shared_case: no outside data: cases/100
skipped: tests/base/test_json: 2 × this machine can not run the avx512 kernels
skipped: tests/cli/reading.sh: 2 × it does not say why
skipped: tests/cli/run.sh: terminal-table: no script
skipped: tests/kernels/neon.sh: qemu-aarch64 is absent
26 passed, 3 failed, 8 skipped
END

# One that ends in a crash has failed, whatever it printed before.
log tests/cli/run.sh FAIL <<'END'
7 passed, 0 failed, 0 skipped
END
totals_are 'a crash' <<'END'
7 passed, 1 failed, 0 skipped
END
finish
