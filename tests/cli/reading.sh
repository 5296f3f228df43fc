#!/bin/sh
# The manual's section on reading the TSV, word for word: each tool that is here reads hard tables (columns of nothing
# but T and F, numbers, NA, quotes, …) and must find each token as it was written here, and weights whose sum is the
# number of queries, as softmax makes them. Prints `N passed, N failed, N skipped`.
set -u
. "$(dirname "$0")/../testing/script.sh"
LC_ALL=C.UTF-8
export LC_ALL
cd "$work" || exit 99

recipe() { # NAME: the example of the manual's section on this tool
    sed -n "/^\.SS $1\$/,/^\.EE/p" "$source/man/attn.1" |
        sed -e '1,/^\.EX/d' -e '/^\.EE/d' -e '/^# not run/d' -e 's/\\-/-/g; s/\\e/\\/g; s/\\&//g'
}

# Each tool's script: its recipe; then it prints the sum of the weights as a whole number, and each row's tokens.
{ recipe pandas && cat; } >read.py <<'END'
print(round(table.weight.sum()))
for query, key in zip(table.query_token, table.key_token): print(query, key, sep="\t")
END
{ recipe R && cat; } >read.R <<'END'
cat(round(sum(table$weight)), "\n", sep = "")
cat(paste0(table$query_token, "\t", table$key_token, "\n"), sep = "")
END
{ recipe sqlite3 && cat; } >import.sql <<'END'
.mode list
.separator "\t" "\n"
SELECT CAST(round(sum(CAST(weight AS REAL))) AS INTEGER) FROM weights;
SELECT query_token, key_token FROM weights;
END
{ recipe DuckDB && cat; } >read.sql <<'END'
SELECT CAST(round(sum(weight)) AS INT) FROM weights;
SELECT query_token, key_token FROM weights;
END

python=$(python_with pandas) || skip pandas 'no python3 with pandas'
duckdb=
if command -v duckdb >/dev/null 2>&1; then
    duckdb=cli
elif [ -d "${ATTN_NPM_MODULES:-}/@duckdb/node-api" ]; then # npm install @duckdb/node-api
    duckdb=node
    cat >duckdb.mjs <<'END'
import { readFileSync } from "node:fs";
const { DuckDBInstance } = await import(process.env.ATTN_NPM_MODULES + "/@duckdb/node-api/lib/index.js");
const connection = await (await DuckDBInstance.create(":memory:")).connect();
for (const query of readFileSync("read.sql", "utf8").split(";\n").filter((part) => part.trim() !== "")) {
    const rows = (await connection.runAndReadAll(query)).getRows();
    if (!query.includes("CREATE TABLE")) for (const row of rows) console.log(row.join("\t"));
}
END
else
    skip DuckDB 'no duckdb, nor @duckdb/node-api in ATTN_NPM_MODULES'
fi
for tool in Rscript sqlite3; do
    command -v "$tool" >/dev/null 2>&1 || skip "$tool" "no $tool"
done

check() { # TOOL COMMAND…: where it is here
    tool=$1 && shift
    command -v "$1" >/dev/null 2>&1 || return 0
    "$@" >found 2>&1 </dev/null
    if diff want found >why; then pass; else fail "$tool: $(tr '\n' ' ' <words)" <why; fi
}

table() { # TOKEN…, as TSV writes them: the table of every pair, and what is to be read in it
    printf '%s\n' "$@" >words
    sed 's/"/\\"/g; s/.*/"&": [1, 0]/' words | paste -sd , | sed 's/.*/{"words": {&}}/' >m.json
    "$attn" -m m.json -t ids -a none -T "$(seq -s ' ' 0 $(($# - 1)))" -o weights.tsv || exit 1
    echo $# >want
    for query; do for key; do printf '%s\t%s\n' "$query" "$key"; done; done >>want
}

read_all() { # TOKEN…
    table "$@"
    check awk awk -F'\t' 'NR > 1 { s += $8; pair[NR] = $5 "\t" $7 }
        END { printf "%.0f\n", s; for (i = 2; i <= NR; i++) print pair[i] }' weights.tsv
    check pandas "${python:-no}" read.py
    check R Rscript read.R
    check sqlite3 sqlite3 -init import.sql :memory: ''
    [ "$duckdb" != node ] || check DuckDB node duckdb.mjs
    [ "$duckdb" != cli ] || check DuckDB duckdb -noheader -list -separator "$(printf '\t')" -c '.read read.sql'
}

read_all T F T2
read_all T F
read_all True False
read_all 007 1e3
read_all 0x1A
read_all NA
read_all nan inf NULL
read_all 2026-11-30 12:30
read_all '"' "'" '"x' "x'" '""'
read_all '#' '\\' '\t' '\n' '\r' ' x' 'x ' ' ' ',' ';' '|' '어부' '\\t'
finish
