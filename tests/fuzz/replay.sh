#!/bin/sh
# Gives every seed and every input that once crashed to its fuzz target. Each fuzz_NAME.c must have a program
# and seeds.
failed=0
for source in "$ATTN_SOURCE"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    program=$ATTN_BUILD/tests/fuzz/fuzz_$name
    set --
    for folder in seeds crashes; do
        for file in "$ATTN_SOURCE/tests/fuzz/$folder/$name"/*; do
            [ -f "$file" ] && set -- "$@" "$file"
        done
    done
    if [ ! -x "$program" ]; then
        echo "FAIL: $name has no program (tests/fuzz/local.mk)"
        failed=1
    elif [ $# -eq 0 ]; then
        echo "FAIL: $name has no seeds (tests/fuzz/make_seeds.py)"
        failed=1
    elif "$program" -timeout=10 "$@" >/dev/null; then
        echo "$name: $# inputs"
    else
        echo "FAIL: $name"
        failed=1
    fi
done
exit $failed
