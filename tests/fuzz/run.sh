#!/bin/sh
# run.sh SECONDS [NAME...]: runs each fuzz target (all by default) for so long. New inputs go to
# ATTN_BUILD/fuzz/NAME; a crash leaves its input in ATTN_BUILD/fuzz/crash-NAME-*, to be copied to
# tests/fuzz/crashes/NAME once its cause is mended. Prints `N passed, N failed, N skipped` targets.
seconds=$1
shift
if [ $# -eq 0 ]; then
    for source in "$ATTN_SOURCE"/tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        set -- "$@" "${name#fuzz_}"
    done
fi
passed=0 failed=0
for name in "$@"; do
    program=$ATTN_BUILD/tests/fuzz/fuzz_$name
    if ! "$program" -help=1 2>&1 | grep -q libFuzzer; then
        echo "fuzz: $program is no libFuzzer program: configure CC=clang --enable-fuzzing"
        exit 1
    fi
    mkdir -p "$ATTN_BUILD/fuzz/$name"
    set -- "$ATTN_BUILD/fuzz/$name" "$ATTN_SOURCE/tests/fuzz/seeds/$name"
    if [ -d "$ATTN_SOURCE/tests/fuzz/crashes/$name" ]; then
        set -- "$@" "$ATTN_SOURCE/tests/fuzz/crashes/$name"
    fi
    log=$ATTN_BUILD/fuzz/$name.log
    export ATTN_SOURCE
    "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$ATTN_BUILD/fuzz/crash-$name-" "$@" >"$log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ $status -eq 0 ]; then
        echo "$name: ${runs:-0} executions, no crash"
        passed=$((passed + 1))
    else
        echo "$name: ${runs:-?} executions, CRASH: see $log"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
