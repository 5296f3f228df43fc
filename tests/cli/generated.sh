#!/bin/sh
# Holds the man page's OPTIONS and the shell completion to the option table, the man page to an entry for each report,
# format and score, and --help to 80 columns.
# `generated.sh --update` writes them anew.
set -u
. "$(dirname "$0")/../testing/script.sh"
doc=${ATTN_BUILD:-.}/attn-doc

"$doc" man >"$work/options" && "$doc" completion >"$work/completion" && "$doc" help >"$work/help" || exit 1
awk -v options="$work/options" '
    /^\.\\" BEGIN OPTIONS/ { print; while ((getline line < options) > 0) print line; skip = 1; next }
    /^\.\\" END OPTIONS/ { skip = 0 }
    !skip' "$source/man/attn.1" >"$work/man"
if [ "${1-}" = --update ]; then
    cp "$work/man" "$source/man/attn.1" && cp "$work/completion" "$source/completions/attn"
    exit
fi
same() { # FILE OF THE SOURCE, WHAT IS GENERATED
    if diff "$source/$1" "$2" >"$work/diff"; then pass; else fail "$1 is stale: make update-docs" <"$work/diff"; fi
}

none() { # LINES, WHAT THEY ARE: there must be none
    if [ -z "$1" ]; then pass; else echo "$1" | fail "$2"; fi
}

same man/attn.1 "$work/man"
same completions/attn "$work/completion"
none "$(awk 'length($0) > 80' "$work/help")" '--help is wider than 80 columns'
none "$(grep ' $' "$work/help")" '--help has spaces before a line end'
for option in $(sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' "$work/help"); do
    grep -qF -- "\\-\\-$(echo "$option" | sed 's/-/\\-/g')" "$source/man/attn.1" || echo "--$option"
done >"$work/missing"
none "$(cat "$work/missing")" 'options that the man page does not have'
choices() { sed -n "s/^    --$1[|)].*compgen -W '\([^']*\)'.*/\1/p" "$work/completion"; }
for choice in $(choices print) $(choices format) $(choices score); do
    grep -q "^\.B $choice\$" "$source/man/attn.1" || echo "$choice"
done >"$work/missing"
none "$(cat "$work/missing")" 'reports, formats and scores without an entry in the man page'
none "$(bash -n "$source/completions/attn" 2>&1)" 'completions/attn is no bash'
finish
