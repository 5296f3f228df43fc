#!/bin/sh
# The functions of a page of -f html, run by node on what attn writes (html_functions.js says what they are held to).
set -eu
. "$(dirname "$0")/../testing/script.sh"
node=$(command -v node || command -v nodejs) || skip_all 'no node'
"$node" -e 'new DecompressionStream("deflate")' 2>/dev/null || skip_all 'a node without DecompressionStream'
cd "$source"
for report in weights scores; do
    set -- -q -p $report -T 'the king of Israel spake unto the people of the land'
    "$attn" "$@" -f html >"$work/page.html"
    "$attn" "$@" -f npy >"$work/page.npy"
    "$attn" "$@" -f tsv --precision=4 >"$work/page.tsv"
    if "$node" tests/output/html_functions.js "$work/page.html" "$work/page.npy" "$work/page.tsv" >"$work/said"; then
        pass
    else
        fail "functions of a page of $report" <"$work/said"
    fi
done
finish
