#!/bin/sh
# Runs the examples of README, man/attn.1 and man/attn-article.7: in an indented block (README) or between .EX and .EE (man page) a
# line `$ command` is run in the source folder by each kernel, and the lines after it are what it must print
# (standard output and error together), character by character. A block without output is run and must succeed; a
# block whose first line is `# not run: why` is left alone. Prints `N passed, N failed, N skipped`.
set -u
. "$(dirname "$0")/../testing/script.sh"
mkdir "$work/bin" "$work/tree" && ln -s "$attn" "$work/bin/attn"
cp -r "$source/examples" "$source/README" "$work/tree" && chmod -R u+w "$work/tree"
ln -s "$attn" "$work/tree/attn"
PATH=$work/bin:$PATH LC_ALL=C.UTF-8
export PATH LC_ALL
unset ATTN_KERNEL ATTN_MODEL MAKEFLAGS MAKELEVEL MFLAGS

# Blocks of document $1 as files $work/N.cmd (the command) and $work/N.out (its output).
blocks() {
    rm -f "$work"/*.cmd "$work"/*.out
    awk -v dir="$work" '
        function start(command) { n++; file = sprintf("%s/%03d", dir, n); print command > (file ".cmd")
                                  printf "" > (file ".out") }
        FILENAME ~ /README$/ && $0 == "" && inside { blank++; next } # the block may go on behind it
        FILENAME ~ /README$/ {
            inside = /^    /; text = substr($0, 5)
            for (; blank > 0; blank--)
                if (inside && !skip && file != "" && text !~ /^\$ /) print "" > (file ".out")
        }
        FILENAME !~ /README$/ {
            if ($0 == ".EX") { inside = 1; skip = 0; file = ""; next }
            if ($0 == ".EE") { inside = 0 }
            text = $0; gsub(/\\-/, "-", text); gsub(/\\e/, "\\", text); gsub(/\\&/, "", text); gsub(/\\\(aq/, "\047", text)
            n_signs = split("\\(pc · \\(mu × \\(mi − \\(-> → \\(*S Σ \\(S2 ² \\[u2423] ␣", signs, " ")
            for (i = 1; i < n_signs; i += 2)
                while ((at = index(text, signs[i])) > 0)
                    text = substr(text, 1, at - 1) signs[i + 1] substr(text, at + length(signs[i]))
        }
        !inside { skip = 0; file = ""; next }
        text ~ /^# not run/ { skip = 1 }
        skip { next }
        text ~ /^\$ / { start(substr(text, 3)); continued = text ~ /\\$/; next }
        continued && file != "" { print text > (file ".cmd"); continued = text ~ /\\$/; next }
        file != "" { print text > (file ".out") }
    ' "$1"
}

run_examples() { # of document $1, by the kernel that is set
    for cmd in "$work"/*.cmd; do
        [ -f "$cmd" ] || continue
        (cd "$work/tree" && sh "$cmd" >"$work/found" 2>&1 </dev/null)
        status=$?
        want=${cmd%.cmd}.out
        : >"$work/why"
        [ ! -s "$want" ] || diff "$want" "$work/found" >"$work/why"
        same=$?
        [ "$status" = 0 ] || { echo "exit status $status" && cat "$work/found"; } >>"$work/why"
        if [ "$same$status" = 00 ]; then pass; else
            fail "$(basename "$1"), $ATTN_KERNEL: $(cat "$cmd")" <"$work/why"
        fi
    done
}

for document in "$source/README" "$source/man/attn.1" "$source/man/attn-article.7"; do
    blocks "$document"
    each_kernel run_examples "$document"
done
finish
