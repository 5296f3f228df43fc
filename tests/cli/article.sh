#!/bin/sh
# What examples/article.sh and examples/ko/article.sh print, by each kernel, against article.txt and article-ko.txt,
# character by character. The numbers there are those of shared/data/reading, where tests/report/test_pull and
# test_explain check them (moves, pull, explain), and of the command-line cases of the same examples.
set -u
. "$(dirname "$0")/../testing/script.sh"
ATTN=$attn LC_ALL=C.UTF-8
export ATTN LC_ALL
unset ATTN_MODEL COLUMNS ATTN_KERNEL

check_article() { # the script, what it must print
    sh "$source/examples/$1" >"$work/found" 2>&1 </dev/null
    status=$?
    diff "$source/tests/cli/$2" "$work/found" >"$work/why"
    same=$?
    if [ "$status$same" = 00 ]; then pass; else fail "$1, $ATTN_KERNEL: status $status" <"$work/why"; fi
}

# With a folder, the same words and five pictures in it.
check_pictures() {
    (cd "$work" && sh "$source/examples/$1" "a folder/$1" >"$work/found" 2>&1 </dev/null)
    diff "$source/tests/cli/$2" "$work/found" >"$work/why" && pass || fail "$1 with pictures" <"$work/why"
    for name in apple fisherman half heads size; do
        grep -q '</svg>' "$work/a folder/$1/$name.svg" && pass || fail "$1: $name.svg" </dev/null
    done
}

check_pictures article.sh article.txt
check_pictures ko/article.sh article-ko.txt
each_kernel check_article article.sh article.txt
each_kernel check_article ko/article.sh article-ko.txt
finish
