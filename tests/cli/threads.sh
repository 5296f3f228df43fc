#!/bin/sh
# The same bytes at 1, 2, 3 and 7 threads, of every report and every kernel this machine can run, on a text
# whose length is off the block size.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0 passed=0

# A toy of 40 words and 2 layers of 4 heads; a text of 333 of them.
awk 'function number() { seed = (seed * 16807) % 2147483647; return sprintf("%.3f", seed / 1073741824 - 1) }
     function row(n, i, s) { s = number(); for (i = 1; i < n; i++) s = s "," number(); return "[" s "]" }
     function matrix(n, i, s) { s = row(n); for (i = 1; i < n; i++) s = s "," row(n); return "[" s "]" }
     function layer() { return "{\"n_heads\":4,\"W_Q\":" matrix(24) ",\"W_K\":" matrix(24) ",\"W_V\":" matrix(24) "}" }
     BEGIN { seed = 7; printf "{\"words\":{"
             for (i = 0; i < 40; i++) printf "%s\"w%d\":%s", i ? "," : "", i, row(24)
             printf "},\"layers\":[%s,%s]}\n", layer(), layer() }' >"$work/toy.json"
awk 'BEGIN { for (i = 0; i < 333; i++) printf "w%d ", (i * i + 3 * i) % 40; print "" }' >"$work/text"

compare() { # MODEL REPORT FORMAT
    "$ATTN" -m "$1" -p "$2" -f "$3" -j 1 "$work/text" >"$work/one" 2>"$work/error" || {
        echo "FAIL: $ATTN_KERNEL $2: $(head -1 "$work/error")"
        failed=$((failed + 1))
        return
    }
    for threads in 2 3 7; do
        "$ATTN" -m "$1" -p "$2" -f "$3" -j "$threads" "$work/text" >"$work/other" 2>/dev/null
        if [ -s "$work/one" ] && cmp -s "$work/one" "$work/other"; then
            passed=$((passed + 1))
        else
            echo "FAIL: $ATTN_KERNEL $2 -f $3: $threads threads differ from one"
            failed=$((failed + 1))
        fi
    done
}

kernels=$("$ATTN" --version | sed -n 's/^kernel: .*(of \(.*\))$/\1/p' | tr -d ',')
for ATTN_KERNEL in $kernels; do
    export ATTN_KERNEL
    "$ATTN" --version | grep -q "^kernel: $ATTN_KERNEL " || {
        echo "SKIP: this machine can not run the $ATTN_KERNEL kernels"
        continue
    }
    for report in weights scores; do compare "$work/toy.json" $report matrix; done
    for report in embeddings nearest heads tokens; do compare "$work/toy.json" $report tsv; done
    published=$ATTN_SHARED/data/stories260K/hf
    if [ -d "$published" ]; then
        printf 'Once upon a time, there was a little girl named Lily. She loved to play outside. %.0s' \
            1 2 3 4 5 6 7 8 9 10 >"$work/text.story"
        mv "$work/text" "$work/words" && mv "$work/text.story" "$work/text"
        for report in heads next embeddings; do compare "$published" $report tsv; done
        mv "$work/words" "$work/text"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
