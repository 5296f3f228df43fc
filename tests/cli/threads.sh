#!/bin/sh
# The same bytes at 1, 2, 3 and 7 threads, of every report and every kernel this machine can run, on a text
# whose length is off the block size.
set -u
. "$(dirname "$0")/../testing/script.sh"

# A toy of 40 words and 2 layers of 4 heads; a text of 333 of them.
awk 'function number() { seed = (seed * 16807) % 2147483647; return sprintf("%.3f", seed / 1073741824 - 1) }
     function row(n, i, s) { s = number(); for (i = 1; i < n; i++) s = s "," number(); return "[" s "]" }
     function matrix(n, i, s) { s = row(n); for (i = 1; i < n; i++) s = s "," row(n); return "[" s "]" }
     function layer() { return "{\"n_heads\":4,\"W_Q\":" matrix(24) ",\"W_K\":" matrix(24) ",\"W_V\":" matrix(24) "}" }
     BEGIN { seed = 7; printf "{\"words\":{"
             for (i = 0; i < 40; i++) printf "%s\"w%d\":%s", i ? "," : "", i, row(24)
             printf "},\"layers\":[%s,%s]}\n", layer(), layer() }' >"$work/toy.json"
awk 'BEGIN { for (i = 0; i < 333; i++) printf "w%d ", (i * i + 3 * i) % 40; print "" }' >"$work/text"

printf 'Once upon a time, there was a little girl named Lily. She loved to play outside. %.0s' \
    1 2 3 4 5 6 7 8 9 10 >"$work/story"

compare() { # MODEL TEXT REPORT FORMAT
    "$attn" -m "$1" -p "$3" -f "$4" -j 1 "$2" >"$work/one" 2>"$work/error" || {
        fail "$ATTN_KERNEL $3" <"$work/error"
        return
    }
    for threads in 2 3 7; do
        "$attn" -m "$1" -p "$3" -f "$4" -j "$threads" "$2" >"$work/other" 2>"$work/error"
        if [ -s "$work/one" ] && cmp -s "$work/one" "$work/other"; then pass; else
            fail "$ATTN_KERNEL $3 -f $4: $threads threads differ from one" <"$work/error"
        fi
    done
}

all_reports() { # by the kernel that is set
    "$attn" --version | grep -q "^kernel: $ATTN_KERNEL " || fail "ATTN_KERNEL=$ATTN_KERNEL chooses another" </dev/null
    for report in weights scores; do compare "$work/toy.json" "$work/text" $report matrix; done
    for report in pull moves explain queries embeddings nearest heads tokens; do compare "$work/toy.json" "$work/text" $report tsv; done
    if [ -d "$shared/data/stories260K" ]; then
        for report in heads pull explain keys next embeddings; do compare "$shared/data/stories260K/hf" "$work/story" $report tsv; done
    else
        skip "$ATTN_KERNEL" 'no outside data: data/stories260K'
    fi
}

each_kernel all_reports
finish
