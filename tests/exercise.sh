#!/bin/sh
# Holds src/README's steps for a new report: takes the lines behind "$" under "A report", runs them in a copy of the
# tree, builds it and asks the new report; then the checks that would find a place that was forgotten.
set -u
. "$(dirname "$0")/testing/script.sh"
[ "$source" = "$(cd "${ATTN_BUILD:-.}" && pwd)" ] || skip_all 'the build tree is apart from the sources'
MAKEFLAGS='' MFLAGS=''
export MAKEFLAGS MFLAGS

# The tree with its objects, but for what is built of tests and benchmarks: only what changes is built again.
copy=$work/copy log=$work/log
mkdir "$copy"
tar -C "$source" -cf - --exclude=./.git --exclude=./build-sanitize --exclude='./attn-[0-9]*' --exclude=./tests/fuzz/seeds \
    --exclude=./tests/data --exclude='./tests/*.o' --exclude='./tests/*.log' . | tar -C "$copy" -xf - || exit 1
sed -n '/^A report (/,/^An option/s/^    \$ //p' "$source/src/README" >"$work/steps"

step() { # WHAT COMMAND…
    what=$1
    shift
    if (cd "$copy" && "$@") >"$log" 2>&1; then pass; else
        tail -5 "$log" | fail "$what"
        finish
    fi
}
same_rows() {
    "$attn" -m examples/fruit.json -p heads -T 'orange pear' >"$work/heads" &&
        ./attn -m examples/fruit.json -p hoods -T 'orange pear' >"$work/hoods" && diff "$work/heads" "$work/hoods"
}
generated() { ATTN_SOURCE=$copy ATTN_BUILD=$copy ATTN=$copy/attn tests/cli/generated.sh; }

step 'src/README has steps for a report' test -s "$work/steps"
step 'the steps can be taken' sh -e "$work/steps"
step 'the tree with the new report builds' make -s attn attn-doc
step 'the new report prints what it was copied from' same_rows
step 'tests/layers.sh finds no place that the steps forgot' env ATTN_SOURCE=. tests/layers.sh
step 'the documents are made anew' make -s update-docs abs_top_builddir="$copy"
step 'tests/cli/generated.sh finds no place that the steps forgot' generated
finish
