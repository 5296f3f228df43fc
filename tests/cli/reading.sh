#!/bin/sh
# The manual's section on reading the TSV: each tool that is here reads a hard table (quotes, NA, a backslash, a
# hash, numbers as words) and must find the same cells and sum as attn wrote. Prints `N passed, N failed,
# N skipped`.
set -u
. "$(dirname "$0")/../testing/script.sh"
LC_ALL=C.UTF-8
export LC_ALL
printf '{"words": {"\\"": [1, 0], "NA": [2, 1], "\\\\": [0, 1], "#": [3, 1], "nan": [1, 1], "0": [1, 2], "\\t": [2, 2]}}' >"$work/m.json"
"$attn" -m "$work/m.json" -t ids -a none -p scores -s dot -T '0 1 2 3 4 5 6' >"$work/t.tsv" || exit 1
# 49 rows; the sum of all scores is |Σ vectors|² = 10² + 8² = 164; NA stands 7 times as a key
want='49 164 7'

check() { # NAME FOUND
    if [ "$2" = "$want" ]; then pass; else echo "found '$2', expected '$want'" | fail "$1"; fi
}

has() { # COMMAND: is it here? else it is skipped
    command -v "$1" >/dev/null 2>&1 || { skip "$1" "no $1"; return 1; }
}

check awk "$(awk -F'\t' 'NR > 1 { n++; s += $8; na += $7 == "NA" } END { print n, s, na }' "$work/t.tsv")"

if python=$(python_with pandas); then
    check pandas "$("$python" -c 'import pandas, sys
t = pandas.read_csv(sys.argv[1], sep="\t", quoting=3, keep_default_na=False)
print(len(t), int(t.score.sum()), int((t.key_token == "NA").sum()))' "$work/t.tsv")"
else
    skip pandas 'no python3 with pandas'
fi

has Rscript && check R "$(Rscript -e 't <- read.delim(commandArgs(TRUE)[1], quote = "", na.strings = character(0), comment.char = "")
cat(nrow(t), sum(t$score), sum(t$key_token == "NA"))' "$work/t.tsv")"

has sqlite3 && check sqlite3 "$(printf '.mode ascii\n.separator "\\t" "\\n"\n.import %s t\n.separator " "\nSELECT count(*), CAST(sum(score) AS INTEGER), sum(key_token = "NA") FROM t;\n' "$work/t.tsv" | sqlite3 :memory:)"

has duckdb && check duckdb "$(duckdb -noheader -list -separator ' ' -c "SELECT count(*), CAST(sum(score) AS INT), sum(CAST(key_token = 'NA' AS INT)) FROM read_csv('$work/t.tsv', delim = '\t', quote = '', escape = '', header = true, nullstr = '')")"
finish
