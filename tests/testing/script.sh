# script.sh: what test scripts share; one begins with  . "$(dirname "$0")/../testing/script.sh"  and ends with  finish.
# $source is the source tree, $attn the program (an absolute path), $shared the outside data, $work a folder of this
# run's that goes when it ends.
#
#   pass            a check that held
#   fail WHAT…      one that did not; what is to be read about it is standard input's, its first lines
#   skip WHAT WHY   one that can not be made here: counted and named in the totals (tests/totals.sh)
#   skip_all WHY    the whole script can not run: ends it
#   finish          prints `N passed, N failed, N skipped` and ends with the status of a test
#   python_with M…  the python3 that has the modules; status 1: there is none
#   each_kernel COMMAND…  runs it once for each kernel of this machine, with ATTN_KERNEL set; the others are skipped
#   compare_text EXPECTED FOUND   status 0: the files agree, numbers within 1e-6; else says the first difference
source=$(cd "$(dirname "$0")" && pwd)
while [ ! -f "$source/tests/testing/script.sh" ]; do source=$(dirname "$source"); done
attn=${ATTN:-./attn}
case $attn in /*) ;; *) attn=$PWD/$attn ;; esac
shared=${ATTN_SHARED:-$source/../shared}
passed=0 skipped=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

pass() {
    passed=$((passed + 1))
}

fail() { # counted in a file: it often ends a pipe, in a shell of its own
    echo "$*" >>"$work/failures"
    echo "FAIL: $*"
    head -5
}

skip() {
    skipped=$((skipped + 1))
    echo "SKIP: $1: $2"
}

skip_all() {
    echo "SKIP: $1"
    exit 77
}

finish() {
    failed=$(cat "$work/failures" 2>/dev/null | wc -l)
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
    exit
}

python_with() {
    modules=$(echo "$*" | tr ' ' ',')
    for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
        if "$candidate" -c "import $modules" 2>/dev/null; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

each_kernel() { # --version says "kernel: avx2 (of avx512 [not on this machine], avx2, scalar)"
    "$attn" --version | sed -n 's/^kernel: .*(of \(.*\))$/\1/p' | sed 's/, /\n/g' >"$work/kernels"
    [ -s "$work/kernels" ] || fail 'no kernels in --version' </dev/null
    while read -r ATTN_KERNEL absent <&3; do
        export ATTN_KERNEL
        if [ -n "$absent" ]; then
            skip "$ATTN_KERNEL" "this machine can not run the $ATTN_KERNEL kernels"
        else
            "$@"
        fi
    done 3<"$work/kernels"
    unset ATTN_KERNEL
}

compare_text() {
    cmp -s "$1" "$2" || awk -f "$source/tests/compare.awk" "$1" "$2"
}
