# What .ci/run and .ci/full share: steps with a name, the totals they print, the end.
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
shared=$(cd "$top/../shared" 2>/dev/null && pwd)
failures=()
totals='' # lines of `N passed, N failed, N skipped`, each behind lines `skipped: WHAT: WHY`

run() { # NAME COMMAND…
    echo "== $1"
    local start=$SECONDS
    if "${@:2}"; then echo "== $1: fine ($((SECONDS - start)) s)"; else
        echo "== $1: FAILED ($((SECONDS - start)) s)"
        failures+=("$1")
    fi
}

run_counted() { # NAME COMMAND…: a step whose last line is its totals
    local log
    log=$(mktemp)
    run "$1" logged "$log" "${@:2}"
    add_totals "$1" "$(sed -n 's/^SKIP: /skipped: /p' "$log")
$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)"
    rm -f "$log"
}
logged() { "${@:2}" 2>&1 | tee "$1"; return "${PIPESTATUS[0]}"; }

skip() { # NAME WHY
    echo "== $1: skipped: $2"
    totals+="skipped: $1: $2"$'\n0 passed, 0 failed, 1 skipped\n'
}

add_totals() { # NAME TOTALS
    echo "$1: $(echo "${2:-no totals}" | tail -1)"
    totals+=$2$'\n'
}

install_extras() { # PACKAGE…: what only some steps and tests use
    [ "$(id -u)" -ne 0 ] || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
        >/dev/null 2>&1 || echo 'not all extras could be installed: what needs them is skipped'
}

build_in() { # FOLDER CONFIGURE-ARGUMENT…: a build tree of its own
    rm -rf "$1" && mkdir "$1" && (cd "$1" && ../configure -q ${shared:+"--with-shared=$shared"} "${@:2}" &&
        make -s -j"$(nproc)")
}

show_failures() { # FOLDER: the ends of the logs of the tests that failed there
    find "$1" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|ERROR)' {} + | sed 's/trs$/log/' | xargs -r tail -n 40
}

finish() { # names what failed and what was skipped, prints the sum of the totals; the status of it all
    local failure
    for failure in "${failures[@]}"; do echo "FAILED: $failure"; done
    printf '%s' "$totals" |
        awk '/^skipped: / && !seen[$0]++
             /^[0-9]+ passed, / { gsub(/,/, ""); p += $1; f += $3; s += $5 }
             END { printf "%d passed, %d failed, %d skipped\n", p, f, s }'
    [ ${#failures[@]} -eq 0 ]
}
