#!/bin/sh
# What takes too long for make check (make check-deep runs it: some three minutes of a core): each call of the C library
# failing at each number, 200 runs ended by each signal, and a dozen commands under the thread sanitizer and under
# valgrind, whose output must be that of a plain run; and the ids of 45 models of SentencePiece's beside its own.
# usage: deep.sh BUILD-FOLDER [all]   (all: every test under both, too, which takes an hour)
build=$(cd "$1" && pwd) || exit 2
ATTN=${ATTN:-$build/attn}
. "$(dirname "$0")/testing/script.sh"
ATTN_BUILD=$build ATTN_SOURCE=$source
# valgrind knows no AVX-512, and each kernel has its own last digits: one for all.
ATTN_KERNEL=scalar
"$attn" --version | grep -q '^kernel: .*avx2[,)]' && ATTN_KERNEL=avx2
export ATTN ATTN_BUILD ATTN_SOURCE ATTN_KERNEL
unset ATTN_MODEL
cd "$source" || exit 2

commands() { # the arguments of attn, a line each
    cat <<'END'
-m examples/fruit.json -T apple -T orange -j 4
-m examples/subjects.json -p nearest -k 3 -j 4 examples/texts/orchard.txt examples/texts/phone.txt
-m examples/fruit.json -p scores -f json -s gravity -a none -j 2 examples/texts/phone.txt
-m examples/fruit.json -c examples/texts/phone.txt -f table -p pull examples/texts/orchard.txt
-m examples/weekday.json -p explain -f table -T ann-monday
-v examples/ko/fishing-words.txt -w examples/ko/fishing-weights.json -t longest -p tokens -T 어부가
-m models/attn-tiny -p next -k 3 -j 4 README
-m models/attn-tiny -p heads -j 8 README
-m models/attn-tiny -p weights -L 0 -H 0,1 -f svg --draw=squares -j 4 examples/texts/phone.txt
-m models/attn-tiny -f html -j 4 examples/texts/phone.txt
-m models/attn-tiny -p embeddings -f npy --at=before -L 0 -j 3 examples/texts/phone.txt
-m tests/model/families/llama/model.gguf -t ids -p moves -j 4 -T 1,2,3,4,5
-m tests/model/families/gpt2 -t ids -p model
END
}

# Runs each command as ATTN does and as COMMAND… does; what it says beyond that is a fault.
check_commands() { # WHAT COMMAND…
    what=$1
    shift
    commands >"$work/commands"
    while read -r line; do
        # shellcheck disable=SC2086
        "$attn" $line >"$work/expected" 2>"$work/expected.said" </dev/null
        expected=$?
        # shellcheck disable=SC2086
        "$@" $line >"$work/found" 2>"$work/said" </dev/null
        status=$?
        if [ "$status" = "$expected" ] && cmp -s "$work/expected" "$work/found" &&
            cmp -s "$work/expected.said" "$work/said"; then pass; else
            fail "$what: status $status, expected $expected: attn $line" <"$work/said"
        fi
    done <"$work/commands"
}

counted() { # COMMAND…: its last line is its totals
    "$@" >"$work/log" 2>&1
    grep -E '^(FAIL|SKIP|[0-9]+ signals)' "$work/log"
    totals=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$work/log" | tail -1 | tr -d ,)
    # shellcheck disable=SC2086
    set -- ${totals:-0 passed 1 failed 0 skipped}
    passed=$((passed + $1)) skipped=$((skipped + $5))
    for _ in $(seq "$3"); do echo failed >>"$work/failures"; done
}

sanitized_tree() { # the released files, configured with the thread sanitizer, in $tree
    tree=$build/build-thread
    rm -rf "$tree"
    make -s -C "$build" distdir distdir=build-thread >"$work/log" 2>&1 &&
        (cd "$tree" && ./configure -q --enable-tsan --with-shared="$shared" CFLAGS='-O1 -g' &&
            make -s -j2) >>"$work/log" 2>&1
}

counted tests/faults/run.py --whole
counted tests/faults/kills.py --whole
if command -v valgrind >/dev/null; then
    check_commands valgrind valgrind -q --leak-check=full --show-leak-kinds=definite "$attn"
    if [ "${2:-}" = all ]; then
        make -s -C "$build" check TESTS= >/dev/null 2>&1
        counted tests/valgrind.sh "$build"
    fi
else
    skip 'a dozen commands under valgrind' 'no valgrind'
fi
encode=$build/tests/text/encode_file
if [ ! -x "$encode" ] || [ ! -d "$shared/data/text" ]; then
    skip 'comparison with SentencePiece' 'no tests/text/encode_file, or no outside data: data/text'
else
    counted /usr/bin/python3 tests/text/npm_compare/spm.py "$encode" "$shared" # Debian's, which has its sentencepiece
fi
if sanitized_tree; then
    check_commands 'thread sanitizer' "$tree/attn"
    if [ "${2:-}" = all ]; then
        make -s -C "$tree" check >"$work/log" 2>&1
        counted tests/totals.sh "$tree"
    fi
else
    tail -5 "$work/log" | fail 'the thread sanitizer can not be built with'
fi
finish
