#!/bin/sh
# Holds the man page's OPTIONS and the shell completion to the option table, and --help to 80 columns.
# `generated.sh --update` writes them anew.
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$(dirname "$here")")
doc=${ATTN_BUILD:-.}/attn-doc
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

"$doc" man >"$work/options" && "$doc" completion >"$work/completion" && "$doc" help >"$work/help" || exit 1
awk -v options="$work/options" '
    /^\.\\" BEGIN OPTIONS/ { print; while ((getline line < options) > 0) print line; skip = 1; next }
    /^\.\\" END OPTIONS/ { skip = 0 }
    !skip' "$source/man/attn.1" >"$work/man"
if [ "${1-}" = --update ]; then
    cp "$work/man" "$source/man/attn.1" && cp "$work/completion" "$source/completions/attn"
    exit
fi
failed=0
diff "$source/man/attn.1" "$work/man" || { echo 'man/attn.1 is stale: make update-docs'; failed=$((failed + 1)); }
diff "$source/completions/attn" "$work/completion" || { echo 'completions/attn is stale: make update-docs'; failed=$((failed + 1)); }
long=$(awk 'length($0) > 80' "$work/help")
[ -z "$long" ] || { echo "--help is wider than 80 columns: $long"; failed=$((failed + 1)); }
! grep -q ' $' "$work/help" || { echo '--help has spaces before a line end'; failed=$((failed + 1)); }
for option in $(sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' "$work/help"); do
    grep -qF -- "\\-\\-$(echo "$option" | sed 's/-/\\-/g')" "$source/man/attn.1" ||
        { echo "--$option is not in the man page"; failed=$((failed + 1)); }
done
bash -n "$source/completions/attn" || failed=$((failed + 1))
if [ "$failed" = 0 ]; then echo "5 passed, 0 failed, 0 skipped"; else echo "0 passed, $failed failed, 0 skipped"; fi
[ "$failed" = 0 ]
