#!/bin/sh
# Runs the Check suites and the command-line cases under valgrind's memcheck: a wrong read or write, a number that
# was never set, a block that is lost. Takes minutes: .ci/full runs it, make check does not.
# usage: valgrind.sh BUILD-DIRECTORY [TEST…]   (tests/text/kinds/test_merge; tests/cli/run.sh for the cases)
set -u
build=$(cd "$1" && pwd) && shift || exit 1
ATTN_SOURCE=$(cd "$(dirname "$0")/.." && pwd) ATTN_BUILD=$build ATTN=$build/attn
ATTN_SHARED=$(sed -n 's/^ATTN_SHARED = //p' "$build/Makefile")
case $ATTN_SHARED in '$(abs_top_srcdir)'*) ATTN_SHARED=$ATTN_SOURCE${ATTN_SHARED#*)} ;; esac
CK_DEFAULT_TIMEOUT=1800
export ATTN_SOURCE ATTN_BUILD ATTN ATTN_SHARED CK_DEFAULT_TIMEOUT
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
memcheck="valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite"
memcheck="$memcheck --log-file=$work/%p.valgrind"
# test_memory fails each allocation of whole runs: hours.
[ $# -gt 0 ] || set -- $(cd "$build" && find tests -name 'test_*' -perm -100 -type f ! -name '*.*' ! -name test_memory |
    sort) tests/cli/run.sh

# Within the cases attn is a script that runs it under memcheck: an error is a wrong status.
printf '#!/bin/sh\nexec %s %s "$@"\n' "$memcheck" "$ATTN" >"$work/attn"
chmod +x "$work/attn"

passed=0 failed=0 skipped=0
for test in "$@"; do
    rm -f "$work"/*.valgrind
    case $test in
    *.sh) ATTN=$work/attn "$ATTN_SOURCE/$test" ;;
    *) (cd "$build" && $memcheck "./$test") ;;
    esac >"$work/log" 2>&1
    status=$?
    find "$work" -name '*.valgrind' -size +0 -exec cat {} + >"$work/errors"
    if [ "$status" = 77 ]; then
        skipped=$((skipped + 1))
    elif [ "$status" = 0 ] && [ ! -s "$work/errors" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $test (status $status)"
        grep -E '^FAIL|:[EF]:' "$work/log" | head -20
        head -40 "$work/errors"
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
