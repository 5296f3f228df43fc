#!/bin/sh
# run.sh SECONDS [NAME...]: runs each fuzz target (all by default) for so long, or for two million executions. New inputs
# go to ATTN_BUILD/fuzz/NAME; a crash leaves its input in ATTN_BUILD/fuzz/crash-NAME-*, to be copied to
# tests/fuzz/crashes/NAME once its cause is mended. Prints a row for each target: executions, coverage (edges of the
# code), findings; then `N passed, N failed, N skipped` targets.
seconds=$1
shift
if [ $# -eq 0 ]; then
    for source in "$ATTN_SOURCE"/tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        set -- "$@" "${name#fuzz_}"
    done
fi

options_of() { # what a target needs beyond the rest
    case $1 in
    tokenizer_pair) echo -max_len=16384 ;; # what is not linear shows in long texts
    command_line) echo -max_len=2048 ;;
    esac
}

export ATTN_SOURCE
passed=0 failed=0
printf '%-20s %12s %10s  %s\n' target executions coverage findings
for name in "$@"; do
    program=$ATTN_BUILD/tests/fuzz/fuzz_$name
    if ! "$program" -help=1 2>&1 | grep -q libFuzzer; then
        echo "fuzz: $program is no libFuzzer program: configure CC=clang --enable-fuzzing"
        exit 1
    fi
    found=$ATTN_BUILD/fuzz/$name
    log=$found.log
    mkdir -p "$found"
    "$ATTN_SOURCE/tests/fuzz/dictionary.py" "$name" >"$found.dict"
    set -- "$found" "$ATTN_SOURCE/tests/fuzz/seeds/$name"
    [ ! -d "$ATTN_SOURCE/tests/fuzz/crashes/$name" ] || set -- "$@" "$ATTN_SOURCE/tests/fuzz/crashes/$name"
    [ ! -s "$found.dict" ] || set -- "-dict=$found.dict" "$@"
    "$program" -max_total_time="$seconds" -runs=2000000 -timeout=20 -rss_limit_mb=1500 $(options_of "$name") \
        -print_final_stats=1 -artifact_prefix="$ATTN_BUILD/fuzz/crash-$name-" "$@" >"$log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    if [ $status -eq 0 ]; then
        finding=none
        passed=$((passed + 1))
    else
        finding="$(grep -a -m1 -E 'SUMMARY|^fuzz:|runtime error' "$log" || echo "status $status"), see $log"
        failed=$((failed + 1))
    fi
    printf '%-20s %12s %10s  %s\n' "$name" "${runs:-?}" "${edges:-?}" "$finding"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
