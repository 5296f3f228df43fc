#!/bin/sh
# Runs the Check suites and the command-line cases under valgrind's memcheck: a wrong read or write, a number that was
# never set, a block that is lost. Takes half an hour: .ci/full runs it, make check does not.
# usage: valgrind.sh BUILD-FOLDER [TEST…]   (tests/text/kinds/test_merge; tests/cli/run.sh is the cases)
build=$(cd "$1" && pwd) || exit 2
shift
ATTN=$build/attn ATTN_BUILD=$build CK_DEFAULT_TIMEOUT=3600
ATTN_SHARED=$(sed -n 's/^ATTN_SHARED = //p' "$build/Makefile")
. "$(dirname "$0")/testing/script.sh"
case $ATTN_SHARED in '$(abs_top_srcdir)'*) ATTN_SHARED=$source${ATTN_SHARED#*)} ;; esac
ATTN_SOURCE=$source
export ATTN ATTN_SOURCE ATTN_BUILD ATTN_SHARED CK_DEFAULT_TIMEOUT

memcheck="valgrind -q --leak-check=full --show-leak-kinds=definite --log-file=$work/%p.valgrind"
# In the cases attn is a script that runs it under memcheck.
printf '#!/bin/sh\nexec %s %s "$@"\n' "$memcheck" "$attn" >"$work/attn"
chmod +x "$work/attn"

suites() { # all but those that try millions of numbers
    (cd "$source" && find tests -name 'test_*.c' ! -name test_decimal.c ! -name test_number.c) | sed 's/\.c$//' | sort
}

# The errors of all processes: paragraphs of lines ==PID==, a place a line, the innermost first. Those within what PCRE2
# has compiled at run time, which has no name, are left out: it reads past a text's end within a vector's width.
errors() {
    find "$work" -name '*.valgrind' -size +0 -exec cat {} + | awk '
        function flush() { if (text != "" && !nameless) printf "%s", text; text = ""; places = nameless = 0 }
        { text = text $0 "\n" }
        / (at|by) 0x/ && ++places == 1 { nameless = / \?\?\?$/ }
        /^==[0-9]+== *$/ { flush() }
        END { flush() }'
}

[ $# -gt 0 ] || set -- $(suites) tests/cli/run.sh
for test in "$@"; do
    rm -f "$work"/*.valgrind
    case $test in
    *.sh) ATTN=$work/attn "$source/$test" ;;
    *) (cd "$build" && $memcheck "./$test") ;;
    esac >"$work/log" 2>&1
    status=$?
    errors >"$work/errors"
    if [ "$status" = 77 ]; then
        skip "$test" "$(sed -n 's/^SKIP: //p' "$work/log" | head -1)"
    elif [ "$status" = 0 ] && [ ! -s "$work/errors" ]; then
        pass
    else
        fail "$test: status $status" <"$work/errors"
        grep -E '^FAIL|:[EF]:' "$work/log" | head -20
        sed -n 6,60p "$work/errors"
    fi
done
finish
