#!/bin/sh
# What examples/article.sh and examples/ko/article.sh print, by each kernel, against article.txt and article-ko.txt,
# character by character. The numbers there are those of shared/data/reading, where tests/report/test_pull and
# test_explain check them (moves, pull, explain), and of the command-line cases of the same examples.
set -u
. "$(dirname "$0")/../testing/script.sh"
ATTN=$attn LC_ALL=C.UTF-8
export ATTN LC_ALL
unset ATTN_MODEL COLUMNS

check_article() { # the script, what it must print
    sh "$source/examples/$1" >"$work/found" 2>&1 </dev/null
    status=$?
    diff "$source/tests/cli/$2" "$work/found" >"$work/why"
    same=$?
    if [ "$status$same" = 00 ]; then pass; else fail "$1, $ATTN_KERNEL: status $status" <"$work/why"; fi
}

each_kernel check_article article.sh article.txt
each_kernel check_article ko/article.sh article-ko.txt
finish
