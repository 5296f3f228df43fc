#!/bin/sh
# Shows that the tests bite: applies each patch of this folder to a copy of the sources, builds it, and runs the
# tests that its `Test:` lines name; at least one must fail. usage: run.sh SOURCE BUILD [NAME…]
#   Test: tests/text/test_words            a test program
#   Test: tests/cli/run.sh fruit-scores    a script with arguments
# A patch that does not apply or build, or that no test catches, is a failure.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
shared=$(sed -n 's/^ATTN_SHARED = //p' "$build/Makefile")
case $shared in '$(abs_top_srcdir)'*) shared=$source/${shared#*/} ;; esac

(cd "$source" && git ls-files -z 2>/dev/null | xargs -0 cp --parents -t "$work/" 2>/dev/null) || true
[ -f "$work/configure.ac" ] || cp -r "$source/." "$work/"
cd "$work" || exit 1
git init -q . 2>/dev/null && git add -A >/dev/null 2>&1 && git -c user.name=m -c user.email=m@m commit -qm base
mkdir -p m4 && autoreconf -i >/dev/null 2>&1 && ./configure -q CFLAGS='-O1' >/dev/null || exit 1
make -s -j2 >/dev/null 2>&1 || { echo "the sources do not build"; exit 1; }
ATTN=$work/attn ATTN_SOURCE=$work ATTN_BUILD=$work ATTN_SHARED=$shared
export ATTN ATTN_SOURCE ATTN_BUILD ATTN_SHARED

# Runs the test of a `Test:` line, built first: status 0 passed, 77 skipped, 99 does not build, else failed.
run_test() {
    program=${1%% *}
    case $program in
    *.sh | *.py) ;;
    *) make -s -j2 "$program" >"$work/build.log" 2>&1 || return 99 ;;
    esac
    # shellcheck disable=SC2086
    timeout 300 ./$1 >"$work/test.log" 2>&1
}

caught_by() { # the first test named by patch $1 that fails
    sed -n 's/^Test: *//p' "$1" | while read -r test; do
        run_test "$test"
        case $? in
        0 | 77) ;;
        99) echo does-not-build && return ;;
        *) echo "$test" | tr ' ' '_' && return ;;
        esac
    done | head -1
}

passed=0 failed=0
[ $# -gt 0 ] || set -- $(cd "$source/tests/mutants" && ls ./*.patch | sed 's|^\./||;s|\.patch$||')
# A test that fails as things are would catch anything.
for name in "$@"; do sed -n 's/^Test: *//p' "$source/tests/mutants/$name.patch"; done | sort -u >"$work/tests.txt"
while read -r test; do
    run_test "$test" </dev/null
    case $? in
    0 | 77) ;;
    *) echo "FAIL: $test fails without any mutant" && failed=$((failed + 1)) ;;
    esac
done <"$work/tests.txt"
for name in "$@"; do
    patch=$source/tests/mutants/$name.patch
    if ! git apply "$patch" 2>"$work/apply.log"; then
        echo "FAIL: $name: does not apply: $(head -1 "$work/apply.log")"
        failed=$((failed + 1))
        continue
    fi
    if ! make -s -j2 attn >"$work/build.log" 2>&1; then
        verdict=does-not-build
    else
        verdict=$(caught_by "$patch")
    fi
    case $verdict in
    '' | does-not-build)
        echo "FAIL: $name: ${verdict:-no test caught it}"
        failed=$((failed + 1))
        ;;
    *)
        echo "caught: $name by $verdict"
        passed=$((passed + 1))
        ;;
    esac
    git checkout -q .
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
