#!/bin/sh
# Gives every seed and every input that once crashed to its fuzz target. Each fuzz_NAME.c must have a program
# and seeds.
set -u
. "$(dirname "$0")/../testing/script.sh"
for file in "$source"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$file" .c)
    name=${name#fuzz_}
    program=${ATTN_BUILD:-.}/tests/fuzz/fuzz_$name
    set --
    for input in "$source/tests/fuzz/seeds/$name"/* "$source/tests/fuzz/crashes/$name"/*; do
        [ -f "$input" ] && set -- "$@" "$input"
    done
    if [ ! -x "$program" ]; then
        fail "$name has no program (tests/fuzz/local.mk)" </dev/null
    elif [ $# -eq 0 ]; then
        fail "$name has no seeds (tests/fuzz/make_seeds.py)" </dev/null
    elif "$program" -timeout=10 "$@" >"$work/log" 2>&1; then
        pass
    else
        fail "$name" <"$work/log"
    fi
done
finish
