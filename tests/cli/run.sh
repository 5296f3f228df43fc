#!/bin/sh
# Runs the command-line cases: each folder of tests/cli/cases holds
#   cmd     a shell script, run in a copy of the folder; attn is on PATH, $EXAMPLES and $SHARED are set
#   stdout  what it must print (absent: nothing), numbers within 1e-6
#   stderr  likewise (a line `*` stands for any text)
#   status  its exit status (absent: 0)
#   needs   one word a line: `shared`, or a command that must exist; else the case is skipped
# Add a case by dropping a folder. `run.sh NAME…` runs some. Prints `N passed, N failed, N skipped`.
set -u
. "$(dirname "$0")/../testing/script.sh"
cases=$source/tests/cli/cases
mkdir "$work/bin" && ln -s "$attn" "$work/bin/attn"
PATH=$work/bin:$PATH EXAMPLES=$source/examples SHARED=$shared LC_ALL=C.UTF-8
unset ATTN_KERNEL ATTN_MODEL MAKEFLAGS MAKELEVEL MFLAGS
export PATH EXAMPLES SHARED LC_ALL

lacks() { # the first need of case $1 that is not met
    [ -f "$1/needs" ] || return 1
    while read -r need; do
        if [ "$need" = shared ]; then
            [ -d "$SHARED/data" ] || { echo "outside data"; return 0; }
        else
            command -v "$need" >/dev/null 2>&1 || { echo "$need"; return 0; }
        fi
    done <"$1/needs"
    return 1
}

expected() { # the expected text of stream $2 of case $1, as a file
    if [ -f "$1/$2" ]; then echo "$1/$2"; else echo /dev/null; fi
}

matches() { # stream $2 of case $1 against what was found
    want=$(expected "$1" "$2")
    [ "$(cat "$want")" = '*' ] && return 0
    compare_text "$want" "$work/$2"
}

[ $# -gt 0 ] || set -- $(ls "$cases")
for name in "$@"; do
    case=$cases/$name
    if need=$(lacks "$case"); then
        skip "$name" "no $need"
        continue
    fi
    rm -rf "$work/case" && cp -r "$case" "$work/case" && chmod -R u+w "$work/case"
    (cd "$work/case" && sh ./cmd >"$work/stdout" 2>"$work/stderr" </dev/null)
    status=$?
    want=0
    [ ! -f "$case/status" ] || want=$(cat "$case/status")
    wrong=
    [ "$status" = "$want" ] || wrong="status $status, expected $want"
    matches "$case" stdout >"$work/why" || wrong="$wrong stdout: $(cat "$work/why")"
    matches "$case" stderr >"$work/why" || wrong="$wrong stderr: $(cat "$work/why")"
    if [ -z "$wrong" ]; then pass; else fail "$name: $wrong" <"$work/stderr"; fi
done
finish
